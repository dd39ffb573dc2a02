/*
 * The bridge's thread and its entry points. Every round of the thread takes over new calls, sends what has become
 * ready, receives one message if there is one, and releases messages that have been sent.
 */
#include "runtime/net/bridge_inside.h"

#include "runtime/core/clock.h"
#include "runtime/core/status.h"
#include "runtime/core/watch.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FAULT_TEXT = 1024 };

static void retire(struct bridge *b, bool all)
{
	for (struct bridge_call **at = &b->crossings; *at;) {
		struct bridge_call *x = *at;
		if (!all && (x->to_send || x->to_come)) {
			at = &x->next;
			continue;
		}
		*at = x->next;
		free(x);
		__atomic_sub_fetch(&b->pending, 1, __ATOMIC_RELEASE);
	}
}

static void raise_fault(struct bridge *b, sccl_status_t status, const char *text)
{
	char line[FAULT_TEXT];
	snprintf(line, sizeof line, "rank %u: %s", b->comm->meeting.rank, text);
	sccli_watch_raise(b->comm, status, line);
}

static void carrier_fails(struct bridge *b)
{
	raise_fault(b, SCCL_SYSTEM, sccl_error_text());
}

/* Sends the fault that ended this communicator to every rank on another server. */
static void report_fault(struct bridge *b)
{
	const struct meeting *m = &b->comm->meeting;
	struct parcel p = {.kind = PARCEL_FAULT};

	for (uint32_t r = 0; r < m->ranks; r++) {
		struct letter *l = meeting_reaches(m, r) ? NULL : malloc(sizeof *l + sizeof p + FAULT_TEXT);
		if (!l)
			continue;
		*l = (struct letter){.bytes = sizeof p + FAULT_TEXT};
		memset(l->data + sizeof p, 0, FAULT_TEXT);
		p.block = (uint32_t)sccl_comm_status(b->comm, (char *)l->data + sizeof p, FAULT_TEXT);
		memcpy(l->data, &p, sizeof p);
		sccli_bridge_send(b, l, r);
	}
	b->faulted = true;
}

static void hear_fault(struct bridge *b, const struct letter *l, const struct parcel *p)
{
	char text[FAULT_TEXT + 1] = "a rank on another server has failed";

	if (l->bytes == sizeof *p + FAULT_TEXT && l->data[sizeof *p] != '\0')
		memcpy(text, l->data + sizeof *p, FAULT_TEXT);
	b->faulted = true; /* the same rank has informed all others */
	sccli_watch_raise(b->comm, sccli_status_read(p->block), text);
}

static struct bridge_call *crossing_of(const struct bridge *b, uint64_t call)
{
	struct bridge_call *x = b->crossings;
	while (x && x->number != call)
		x = x->next;
	return x;
}

/* Returns true if L has been processed, false if its call has not begun here yet. */
static bool read_letter(struct bridge *b, const struct letter *l)
{
	struct parcel p;
	struct bridge_call *x;

	if (l->bytes < sizeof p) {
		raise_fault(b, SCCL_SYSTEM, "a message from another server is too short");
		return true;
	}
	memcpy(&p, l->data, sizeof p);
	if (p.kind == PARCEL_FAULT) {
		hear_fault(b, l, &p);
		return true;
	}
	x = crossing_of(b, p.call);
	if (!x && p.call > b->last)
		return false;
	if (!x || (p.kind != PARCEL_DATA && p.kind != PARCEL_READY))
		raise_fault(b, SCCL_SYSTEM, "a message from another server belongs to no call in progress");
	else if (sccli_parcel_unpack(b, x, l) != SCCL_OK && sccli_watch_status(b->comm) == SCCL_OK)
		raise_fault(b, SCCL_SYSTEM, sccl_error_text());
	return true;
}

/*
 * Whether L may be kept until its call begins here. Data is sent only after it was requested, and a rank that has
 * offered memory does not proceed until it has been written, so no rank is ahead by more than one offer per block. Any
 * other early message would be kept forever.
 */
static bool may_be_early(const struct bridge *b, const struct letter *l)
{
	struct parcel p;
	uint32_t n = 0;

	memcpy(&p, l->data, sizeof p);
	for (const struct letter *e = b->early; e; e = e->next)
		n += e->from == l->from;
	return p.kind == PARCEL_READY && l->bytes == sizeof p && n < b->comm->max_blocks && sccli_watch_status(b->comm) == SCCL_OK;
}

/* Processes the messages that arrived before their calls, in order of arrival. */
static void read_early(struct bridge *b)
{
	for (struct letter **at = &b->early; *at;) {
		struct letter *l = *at;
		if (!read_letter(b, l)) {
			at = &l->next;
			continue;
		}
		*at = l->next;
		free(l);
	}
}

/* Processes, keeps or rejects L. Takes ownership of it. */
static void take(struct bridge *b, struct letter *l)
{
	struct letter **end = &b->early;

	read_early(b); /* older messages come first */
	if (read_letter(b, l)) {
		free(l);
		return;
	}
	if (!may_be_early(b, l)) {
		raise_fault(b, SCCL_SYSTEM, "a message from another server belongs to no call in progress");
		free(l);
		return;
	}
	while (*end)
		end = &(*end)->next;
	*end = l;
}

static bool receive(struct bridge *b, bool *moved)
{
	const sccl_carrier_t *k = b->carrier;
	uint32_t from;
	size_t bytes;
	int there = k->arrived(k->context, &from, &bytes);

	if (there < 0)
		sccli_fail(SCCL_SYSTEM, "the transport to other servers fails");
	if (there <= 0)
		return there == 0;
	*moved = true;
	const struct meeting *m = &b->comm->meeting;
	bool expected = from < m->ranks && !meeting_reaches(m, from) && bytes <= LETTER_MAX;
	struct letter *l = expected ? malloc(sizeof *l + bytes) : NULL;
	if (!l) {
		sccli_fail(SCCL_SYSTEM, "a message of %zu bytes from another server cannot be received", bytes);
		return false;
	}
	*l = (struct letter){.from = from, .bytes = bytes};
	if (k->receive(k->context, l->data) != 0) {
		sccli_fail(SCCL_SYSTEM, "the transport to other servers fails");
		free(l);
		return false;
	}
	take(b, l);
	return true;
}

static bool forget_sent(struct bridge *b)
{
	for (struct letter **at = &b->out; *at;) {
		struct letter *l = *at;
		int done = b->carrier->sent(b->carrier->context, l->ticket);
		if (done < 0) {
			sccli_fail(SCCL_SYSTEM, "the transport to other servers fails");
			return false;
		}
		if (!done) {
			at = &l->next;
			continue;
		}
		*at = l->next;
		free(l);
	}
	return true;
}

bool sccli_bridge_turn(struct bridge *b)
{
	bool moved = false, alive = sccli_watch_status(b->comm) == SCCL_OK, works = true;

	sccli_bridge_take_over(b);
	if (alive) {
		read_early(b);
		works = sccli_bridge_poll(b, &moved);
	}
	works = works && receive(b, &moved) && forget_sent(b);
	if (!works && alive)
		carrier_fails(b);
	if (sccli_watch_status(b->comm) != SCCL_OK && !b->faulted)
		report_fault(b);
	retire(b, sccli_watch_status(b->comm) != SCCL_OK);
	return moved;
}

void sccli_bell_init(struct bell *bell)
{
	pthread_condattr_t by;

	pthread_condattr_init(&by);
	pthread_condattr_setclock(&by, CLOCK_MONOTONIC);
	pthread_cond_init(&bell->rings, &by);
	pthread_condattr_destroy(&by);
	pthread_mutex_init(&bell->lock, NULL);
	bell->rung = false;
}

void sccli_bell_destroy(struct bell *bell)
{
	pthread_mutex_destroy(&bell->lock);
	pthread_cond_destroy(&bell->rings);
}

static void bell_ring(struct bell *bell)
{
	pthread_mutex_lock(&bell->lock);
	bell->rung = true;
	pthread_cond_signal(&bell->rings);
	pthread_mutex_unlock(&bell->lock);
}

/* Waits until it is rung, or a millisecond. */
static void bell_wait(struct bell *bell)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&bell->lock);
	while (!bell->rung && pthread_cond_timedwait(&bell->rings, &bell->lock, &until) == 0)
		;
	bell->rung = false;
	pthread_mutex_unlock(&bell->lock);
}

/* Stays awake while transfers are in progress; otherwise checks for messages a thousand times per second. */
static void rest(struct bridge *b, uint32_t idle)
{
	if (idle < 1000 || b->crossings)
		sched_yield();
	else
		bell_wait(&b->bell);
}

static void *carry(void *argument)
{
	struct bridge *b = argument;
	/* Nanoseconds to wait for the last messages; short if the communicator has failed anyway. */
	const double patience = b->comm->timeout > 0 ? b->comm->timeout * 1e9 : 60e9, linger = 1e9;
	uint32_t idle = 0;
	uint64_t since = 0;

	for (;;) {
		/* Read before the round: a fault that preceded the call to free must still be reported. */
		uint32_t stop = __atomic_load_n(&b->stop, __ATOMIC_ACQUIRE);
		idle = sccli_bridge_turn(b) ? 0 : idle + 1;
		if (!stop) {
			rest(b, idle);
			continue;
		}
		since = since ? since : clock_nanoseconds();
		if (!b->out || (double)(clock_nanoseconds() - since) > (b->faulted ? linger : patience))
			return NULL;
		sched_yield();
	}
}

static bool crosses(const struct meeting *m)
{
	for (uint32_t r = 0; r < m->ranks; r++)
		if (!meeting_reaches(m, r))
			return true;
	return false;
}

static void release(struct bridge *b)
{
	const struct unit *u = &b->comm->meeting.unit;

	if (b->stream)
		u->device->lane_destroy(u, b->stream);
	while (b->early) {
		struct letter *next = b->early->next;
		free(b->early);
		b->early = next;
	}
	sccli_bell_destroy(&b->bell);
	free(b->flags);
	free(b->seen);
	free(b->epochs);
	free(b); /* unsent messages are leaked: the carrier may still read them */
}

static bool start(struct bridge *b)
{
	sigset_t all, before;

	sigfillset(&all); /* leave signals to the caller's threads */
	pthread_sigmask(SIG_BLOCK, &all, &before);
	int error = pthread_create(&b->thread, NULL, carry, b);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error == 0;
}

sccl_status_t sccli_bridge_open(struct sccl_comm *c)
{
	const struct meeting *m = &c->meeting;

	if (!crosses(m))
		return SCCL_OK;
	struct bridge *b = calloc(1, sizeof *b);
	if (!b)
		return sccli_fail(SCCL_NO_MEMORY, "no memory for a bridge to other servers");
	*b = (struct bridge){.comm = c, .carrier = c->carrier};
	sccli_bell_init(&b->bell);
	b->epochs = calloc(c->max_blocks, sizeof *b->epochs);
	b->seen = calloc((size_t)m->ranks * SCCL_FLAG_KINDS * c->max_blocks, sizeof *b->seen);
	b->flags = malloc((size_t)c->max_blocks * SCCL_FLAG_STRIDE);
	sccl_status_t status = b->epochs && b->seen && b->flags ? SCCL_OK : sccli_fail(SCCL_NO_MEMORY, "no memory for a bridge");
	if (status == SCCL_OK && !m->unit.device->synchronous)
		status = m->unit.device->lane_create(&m->unit, &b->stream);
	if (status == SCCL_OK && !start(b))
		status = sccli_fail(SCCL_SYSTEM, "cannot start the thread for messages to other servers");
	if (status == SCCL_OK)
		c->bridge = b;
	else
		release(b);
	return status;
}

void sccli_bridge_settle(struct sccl_comm *c)
{

	while (c && c->bridge && __atomic_load_n(&c->bridge->pending, __ATOMIC_ACQUIRE) > 0)
		clock_sleep(50);
}

void sccli_bridge_close(struct sccl_comm *c)
{
	struct bridge *b = c->bridge;

	if (!b)
		return;
	sccli_bridge_settle(c);
	__atomic_store_n(&b->stop, 1, __ATOMIC_RELEASE);
	bell_ring(&b->bell);
	pthread_join(b->thread, NULL);
	c->bridge = NULL;
	release(b);
}

sccl_status_t sccli_bridge_begin(struct sccl_plan *plan, const sccl_launch_t *launch, const struct symmetric *window,
				 const struct order *order)
{
	struct bridge *b = plan->comm->bridge;
	struct bridge_call *x = malloc(sizeof *x + launch->blocks * sizeof x->epochs[0]);

	if (!x)
		return sccli_fail(SCCL_NO_MEMORY, "no memory for a call to other servers");
	*x = (struct bridge_call){.plan = plan, .launch = *launch, .window = *window, .order = *order, .number = plan->comm->calls};
	for (uint32_t block = 0; block < launch->blocks; block++) {
		x->epochs[block] = b->epochs[block];
		b->epochs[block] += launch->signals;
	}
	sccli_crossing_count(x, plan->comm);
	__atomic_add_fetch(&b->pending, 1, __ATOMIC_RELAXED);
	x->next = __atomic_load_n(&b->begun, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&b->begun, &x->next, x, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	bell_ring(&b->bell);
	return SCCL_OK;
}
