/*
 * What a rank on another server sends. A rank's bridge is put together by hand, without its thread, its peers and its
 * kernels; a carrier delivers the letters, and calls begin between them. Memory ends in guards.
 *
 * Input: letters, each a byte for its sender, two for its length, low one first, and its bytes; or a byte BEGIN, and
 * another call begins.
 */
#include "tests/fuzz/targets.h"

#include "runtime/net/bridge_inside.h"
#include "runtime/core/status.h"
#include "tests/fuzz/refusal.h"
#include "tests/runtime/ring.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 3, SLOT = 192, SLOTS = 3, OUT = 400, GUARD = 64, GUARD_BYTE = 0xa5, CALLS = 3, BEGIN = 0xff };

/* The letters that are still to come, and whether the one before them has been taken. */
struct delivery {
	const unsigned char *at, *end;
	size_t bytes;
};

/* The next letter's sender; BEGIN is none. False: there is none. */
static bool next_letter(struct delivery *d, uint32_t *from)
{
	if (d->end - d->at < 3 || *d->at == BEGIN)
		return false;
	size_t says = d->at[1] | (size_t)d->at[2] << 8, left = (size_t)(d->end - d->at) - 3;
	*from = d->at[0];
	d->bytes = says < left ? says : left;
	return true;
}

static int post_send(void *context, uint32_t to, const void *data, size_t bytes, void **ticket)
{
	(void)context;
	(void)data;
	fuzz_need(to < RING && to != 0 && bytes >= sizeof(struct parcel), "a letter that goes nowhere");
	*ticket = NULL;
	return 0;
}

static int post_sent(void *context, void *ticket)
{
	(void)context;
	(void)ticket;
	return 1;
}

static int post_arrived(void *context, uint32_t *from, size_t *bytes)
{
	struct delivery *d = context;
	bool there = next_letter(d, from);

	*bytes = d->bytes;
	return there;
}

static int post_receive(void *context, void *data)
{
	struct delivery *d = context;

	memcpy(data, d->at + 3, d->bytes);
	d->at += 3 + d->bytes;
	return 0;
}

static uint8_t *guarded(size_t bytes)
{
	uint8_t *p = aligned_alloc(128, (bytes + GUARD + 127) / 128 * 128);
	fuzz_need(p, "no memory");
	memset(p, 0, bytes);
	memset(p + bytes, GUARD_BYTE, GUARD);
	return p;
}

static bool is_whole(const uint8_t *p, size_t bytes)
{
	for (size_t i = 0; i < GUARD; i++)
		if (p[bytes + i] != GUARD_BYTE)
			return false;
	return true;
}

/* The same memory on every rank; nothing is shared, as each is on a server of its own. */
struct memory {
	uint8_t *bases[RING];
	size_t bytes;
};

static struct symmetric memory_make(struct memory *m, size_t bytes)
{
	m->bytes = bytes;
	for (int r = 0; r < RING; r++)
		m->bases[r] = guarded(bytes);
	return (struct symmetric){.ranks = RING, .bytes = bytes, .bases = m->bases};
}

static void memory_free(const struct memory *m)
{
	for (int r = 0; r < RING; r++) {
		fuzz_need(is_whole(m->bases[r], m->bytes), "a letter was written beyond the memory that it is for");
		free(m->bases[r]);
	}
}

/* Rank 0 of the ring. */
struct end {
	struct memory boards, flags, scratch, out;
	struct symmetric window;
	struct sccl_comm comm;
	struct sccl_plan plan;
	struct delivery delivery;
	sccl_carrier_t carrier;
	struct bridge bridge;
	uint64_t epochs[BLOCKS], seen[RING * SCCL_FLAG_KINDS * BLOCKS];
};

static void end_open(struct end *e, const char *bytes, size_t n)
{
	static const uint32_t servers[RING] = {0, 1, 2, 3};
	static struct unit unit; /* of the host */

	unit.device = unit.device ? unit.device : sccli_device("host");
	*e = (struct end){.delivery = {(const unsigned char *)bytes, (const unsigned char *)bytes + n, 0},
			  .carrier = {NULL, post_send, post_sent, post_arrived, post_receive}};
	e->carrier.context = &e->delivery;
	e->comm = (struct sccl_comm){.meeting = {.ranks = RING, .unit = unit, .servers = servers}, .max_blocks = BLOCKS};
	e->comm.boards = memory_make(&e->boards, board_bytes(BLOCKS));
	e->comm.flags = memory_make(&e->flags, SCCL_FLAGS_SIZE(RING, BLOCKS));
	e->comm.env = (sccl_env_t){.ranks = RING, .max_blocks = BLOCKS, .peer_flags = e->comm.flags.bases, .flags = e->flags.bases[0]};
	e->plan = (struct sccl_plan){.comm = &e->comm, .program = &ring_reducescatter, .table = &ring_reducescatter.tables[0], .element = 4};
	e->plan.scratch = memory_make(&e->scratch, SLOTS * SLOT);
	e->window = memory_make(&e->out, OUT);
	e->bridge = (struct bridge){.comm = &e->comm, .carrier = &e->carrier, .epochs = e->epochs, .seen = e->seen};
	sccli_bell_init(&e->bridge.bell);
	e->comm.bridge = &e->bridge;
}

static void free_letters(struct letter *l)
{
	while (l) {
		struct letter *next = l->next;
		free(l);
		l = next;
	}
}

static void end_close(struct end *e)
{
	free_letters(e->bridge.early);
	free_letters(e->bridge.out);
	while (e->bridge.crossings) {
		struct bridge_call *next = e->bridge.crossings->next;
		free(e->bridge.crossings);
		e->bridge.crossings = next;
	}
	sccli_bell_destroy(&e->bridge.bell);
	memory_free(&e->boards);
	memory_free(&e->flags);
	memory_free(&e->scratch);
	memory_free(&e->out);
}

static void begin(struct end *e)
{
	struct order order = {.plan = 1, .count = 4};
	sccl_launch_t launch = {.env = &e->comm.env, .words = e->plan.table->words[0], .blocks = BLOCKS, .signals = e->plan.table->signals,
				.slot_bytes = SLOT};

	e->comm.calls++;
	fuzz_need(sccli_bridge_begin(&e->plan, &launch, &e->window, &order) == SCCL_OK, "no call begins");
}

/* No flag is ahead of the calls that have begun. */
static void flags_check(const struct end *e)
{
	for (size_t at = 0; at < e->flags.bytes; at += SCCL_FLAG_STRIDE) {
		uint64_t value;
		memcpy(&value, e->flags.bases[0] + at, sizeof value);
		fuzz_need(value <= e->comm.calls * e->plan.table->signals, "a letter moved a flag beyond its call");
	}
}

bool fuzz_parcel(const char *bytes, size_t n)
{
	struct end e;
	char text[1024];
	bool moved = true;
	uint64_t awaited = 0;

	end_open(&e, bytes, n);
	begin(&e);
	while (moved) {
		const unsigned char *before = e.delivery.at;
		sccli_bridge_turn(&e.bridge);
		if (before < e.delivery.end && *before == BEGIN && e.comm.calls < CALLS) {
			e.delivery.at++;
			begin(&e);
		}
		moved = e.delivery.at != before; /* a letter of nobody is never taken */
	}
	flags_check(&e);
	sccl_status_t status = sccl_comm_status(&e.comm, text, sizeof text);
	fuzz_need(status == SCCL_OK || refusal_is_line(text), "a communicator ends without a line");
	for (const struct bridge_call *x = e.bridge.crossings; x; x = x->next)
		awaited += x->to_come;
	bool ok = status == SCCL_OK && awaited < e.comm.calls * 4 * BLOCKS;
	end_close(&e);
	return ok;
}
