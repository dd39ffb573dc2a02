/*
 * For each NCCL communicator, a communicator of ours with the same ranks. Its slots hold one selector for each kind of
 * call, created collectively when first needed.
 */
#include "runtime/nccl/shadow_inside.h"

#include "runtime/core/agree.h"
#include "runtime/core/comm.h"
#include "runtime/nccl/catalog.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct shadow *shadows;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct shadow *find(ncclComm_t comm)
{
	struct shadow *s = shadows;
	while (s && s->real != comm)
		s = s->next;
	return s;
}

bool shadow_is(ncclComm_t comm)
{
	pthread_mutex_lock(&lock);
	bool there = find(comm) != NULL;
	pthread_mutex_unlock(&lock);
	return there;
}

struct shadow *shadow_get(ncclComm_t comm)
{
	pthread_mutex_lock(&lock);
	struct shadow *s = find(comm);
	if (s)
		s->users++;
	pthread_mutex_unlock(&lock);
	return s;
}

void shadow_put(struct shadow *s)
{
	if (!s)
		return;
	pthread_mutex_lock(&lock);
	bool last = --s->users == 0 && s->leaves;
	pthread_mutex_unlock(&lock);
	if (last)
		shadow_release(s);
}

void shadow_keep(struct shadow *s)
{
	pthread_mutex_lock(&lock);
	s->next = shadows;
	shadows = s;
	pthread_mutex_unlock(&lock);
}

static void free_windows(struct shadow *s)
{
	while (s->windows) {
		struct shadow_window *next = s->windows->next;
		sccl_memory_free(s->windows->memory);
		free(s->windows);
		s->windows = next;
	}
}

void shadow_release(struct shadow *s)
{
	while (s->slots) {
		struct shadow_slot *next = s->slots->next;
		sccl_selector_free(s->slots->selector);
		free(s->slots);
		s->slots = next;
	}
	free_windows(s);
	sccl_comm_free(s->comm);
	if (s->socket)
		sccl_socket_close(&s->bootstrap);
	free(s);
}

void shadow_leave(ncclComm_t comm, bool aborts)
{
	struct shadow *s;

	pthread_mutex_lock(&lock);
	struct shadow **at = &shadows;
	while (*at && (*at)->real != comm)
		at = &(*at)->next;
	s = *at;
	if (s) {
		*at = s->next;
		s->leaves = true;
		s->users++;
	}
	pthread_mutex_unlock(&lock);
	if (s && aborts)
		sccl_comm_abort(s->comm);
	shadow_put(s);
}

void shadow_abort(ncclComm_t comm)
{
	struct shadow *s = shadow_get(comm);

	if (s)
		sccl_comm_abort(s->comm);
	shadow_put(s);
}

ncclResult_t shadow_error(ncclComm_t comm)
{
	struct shadow *s = shadow_get(comm);
	char text[1024];
	bool fine = !s || sccl_comm_status(s->comm, text, sizeof text) == SCCL_OK;

	shadow_put(s);
	if (!fine)
		fprintf(stderr, "sccl-nccl: %s\n", text);
	return fine ? ncclSuccess : ncclRemoteError;
}

/* A thread of shadows_together. */
struct crew {
	void (*work)(void *of, size_t i);
	void *of;
	size_t number;
	pthread_t thread;
	bool runs;
};

static void *crew_work(void *argument)
{
	struct crew *c = argument;
	c->work(c->of, c->number);
	return NULL;
}

void shadows_together(void (*work)(void *of, size_t i), void *of, size_t n)
{
	struct crew *crew = calloc(n ? n : 1, sizeof *crew);

	if (!crew) {
		fprintf(stderr, "sccl-nccl: no memory\n");
		abort(); /* other processes wait for this one, and there is no other way to notify them */
	}
	for (size_t i = 0; i < n; i++) {
		crew[i] = (struct crew){.work = work, .of = of, .number = i};
		crew[i].runs = i > 0 && pthread_create(&crew[i].thread, NULL, crew_work, &crew[i]) == 0;
		if (i > 0 && !crew[i].runs) {
			fprintf(stderr, "sccl-nccl: cannot start a thread\n");
			abort();
		}
	}
	if (n > 0)
		work(of, 0);
	for (size_t i = 1; i < n; i++)
		pthread_join(crew[i].thread, NULL);
	free(crew);
}

void shadows_by_turns(void (*work)(void *of, size_t i), const void *of, size_t size, size_t n, ncclComm_t (*comm)(const void *of, size_t i))
{
	for (size_t first = 0, next; first < n; first = next) {
		bool again = false;
		for (next = first + 1; next < n && !again; next += !again)
			for (size_t i = first; i < next && !again; i++)
				again = comm(of, i) == comm(of, next);
		shadows_together(work, (char *)(uintptr_t)of + first * size, next - first);
	}
}

static bool same_kind(const struct terms_of_call *a, const struct terms_of_call *b)
{
	return strcmp(a->collective, b->collective) == 0 && a->root == b->root && a->type == b->type && a->op == b->op;
}

/* A call that needs a slot which does not exist yet. */
struct need {
	const struct nccl_call *call;
	struct shadow *shadow;
	struct shadow_slot *slot;
};

/* Collective. Whether to measure numbers of blocks (SCCL_NCCL_ADAPT): between calls the ranks then wait for each other, which
 * one thread cannot do for several of them. */
static sccl_status_t may_adapt(const struct shadow *s, bool *adapts)
{
	const struct meeting *m = &s->comm->meeting;
	const char *asked = getenv("SCCL_NCCL_ADAPT");
	char mine = asked && *asked && *asked != '0' && (s->alone || m->unit.device->synchronous), *all = calloc(m->ranks, 1);

	if (!all)
		abort();
	sccl_status_t status = sccli_exchange(&m->bootstrap, m->rank, &mine, all, 1);
	*adapts = status == SCCL_OK;
	for (uint32_t r = 0; r < m->ranks; r++)
		*adapts = *adapts && all[r];
	free(all);
	return status;
}

/* Collective, so all ranks reach the same result. */
static void make_slot(void *of, size_t i)
{
	struct need *n = (struct need *)of + i;
	const struct terms_of_call *t = &n->slot->terms;
	size_t n_choices;
	sccl_choice_t *choices = catalog_choices(catalog_open(), n->shadow->ranks, t->collective, t->root, &n_choices);
	const struct meeting *m = &n->shadow->comm->meeting;
	sccl_status_t status = sccli_agree(&m->bootstrap, m->rank, m->ranks, SCCL_OK, &(struct terms){{"number of fitting programs"}, {n_choices}});

	bool adapts = false;
	if (status == SCCL_OK && n_choices > 0)
		status = may_adapt(n->shadow, &adapts);
	if (status == SCCL_OK && n_choices > 0)
		status = sccl_selector_create(&n->slot->selector, n->shadow->comm, choices, n_choices, t->type, t->op, t->count,
		                              &(sccl_selector_options_t){.adapt = adapts});
	if (status != SCCL_OK || n_choices == 0)
		catalog_log("rank %u: %s: NCCL serves: %s", n->shadow->rank, t->collective,
			    status == SCCL_OK ? "no program fits" : sccl_error_text());
	sccl_choices_free(choices);
}

static struct shadow_slot *slot_for(const struct shadow *s, const struct terms_of_call *t)
{
	for (struct shadow_slot *slot = s->slots; slot; slot = slot->next)
		if (same_kind(&slot->terms, t) && t->count <= slot->terms.count)
			return slot;
	return NULL;
}

/* Adds an empty slot with a count rounded up to a power of two, so that calls of growing size do not each create a
 * plan. */
static struct shadow_slot *new_slot(struct shadow *s, const struct terms_of_call *t)
{
	enum { LEAST = 1 << 14 };
	struct shadow_slot *slot = calloc(1, sizeof *slot);
	uint64_t room = LEAST;

	if (!slot)
		abort();
	while (room < t->count)
		room *= 2;
	slot->terms = *t;
	slot->terms.count = room;
	slot->next = s->slots;
	s->slots = slot;
	return slot;
}

void shadows_decide(const struct nccl_call *calls, size_t n, bool *ours)
{
	struct need *needs = calloc(n ? n : 1, sizeof *needs);
	struct shadow **held = calloc(n ? n : 1, sizeof *held);
	size_t n_needs = 0;

	if (!needs || !held)
		abort();
	for (size_t i = 0; i < n; i++) {
		struct shadow *s = shadow_get(calls[i].comm);
		struct terms_of_call t;
		const char *why = "the communicator";

		held[i] = s;
		ours[i] = s && call_terms(&calls[i], s->ranks, &t, &why);
		if (!ours[i])
			catalog_log("%s: NCCL serves: %s is not supported here", call_name(&calls[i]), why);
		else if (!slot_for(s, &t))
			needs[n_needs++] = (struct need){&calls[i], s, new_slot(s, &t)};
	}
	shadows_together(make_slot, needs, n_needs);
	free(needs);
	for (size_t i = 0; i < n; shadow_put(held[i++])) {
		struct shadow *s = held[i];
		struct terms_of_call t;
		const char *why;
		sccl_choice_t choice;

		if (!ours[i])
			continue;
		call_terms(&calls[i], s->ranks, &t, &why);
		const struct shadow_slot *slot = slot_for(s, &t);
		ours[i] = slot->selector && sccl_selector_choice(slot->selector, t.count, &choice, NULL, 0) == SCCL_OK &&
			  call_matches(&calls[i], &t, choice.program);
	}
	free(held);
}

struct running {
	const struct nccl_call *calls;
	const bool *ours;
	ncclResult_t *results;
};

static void run_one(void *of, size_t i)
{
	struct running *r = of;
	const struct nccl_call *c = &r->calls[i];
	struct shadow *s = r->ours[i] ? shadow_get(c->comm) : NULL;
	struct terms_of_call t;
	const char *why;

	r->results[i] = r->ours[i] && !s ? ncclInvalidUsage : ncclSuccess; /* aborted in the meantime */
	if (!s)
		return;
	call_terms(c, s->ranks, &t, &why);
	sccl_selector_t *selector = slot_for(s, &t)->selector;
	sccl_status_t status = c->has_factor ? sccl_selector_factor(selector, &c->factor) : SCCL_OK;
	if (status == SCCL_OK)
		status = sccl_selector_run(selector, c->in, c->out, t.count, c->stream);
	if (status != SCCL_OK) {
		fprintf(stderr, "sccl-nccl: %s: rank %u: %s\n", call_name(c), s->rank, sccl_error_text());
		r->results[i] = ncclSystemError;
	}
	shadow_put(s);
}

ncclResult_t shadows_run(const struct nccl_call *calls, size_t n, const bool *ours)
{
	ncclResult_t result = ncclSuccess, *results = calloc(n ? n : 1, sizeof *results);
	struct running r = {calls, ours, results};
	const struct catalog *c = catalog_open();

	if (!results)
		return ncclSystemError;
	if (c && strcmp(c->target, "host") == 0) /* a call is complete when it returns, so the ranks must run
	                                          * concurrently */
		shadows_together(run_one, &r, n);
	for (size_t i = 0; i < n && c && strcmp(c->target, "host") != 0; i++)
		run_one(&r, i);
	for (size_t i = 0; i < n; i++)
		result = results[i] != ncclSuccess ? results[i] : result;
	free(results);
	return result;
}
