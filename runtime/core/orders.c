/*
 * Every rank publishes its order of each call on its board, in a ring of the last ORDERS entries, and compares it with
 * the orders of its peers that are already there. A running hash of all earlier orders detects ranks whose sequences of
 * calls differ.
 */
#include "runtime/core/orders.h"

#include "runtime/core/watch.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	size_t offset;
} terms[] = {
	{"plan number", offsetof(struct order, plan)},
	{"symmetric memory (numbered as made; 0: staging)", offsetof(struct order, memory)},
	{"offset of the output", offsetof(struct order, offset)},
	{"count", offsetof(struct order, count)},
	{"history: the ranks did not make the same calls before", offsetof(struct order, before)},
};

static uint64_t hash(uint64_t h, uint64_t value)
{
	for (int i = 0; i < 64; i += 8)
		h = (h ^ (value >> i & 0xff)) * 0x100000001b3u;
	return h;
}

static sccl_status_t raise_mismatch(struct sccl_comm *c, uint64_t call, const struct order *mine, const struct order *theirs,
                                    uint32_t peer)
{
	char line[512] = "";
	for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
		uint64_t a, b;
		memcpy(&a, (const char *)mine + terms[i].offset, sizeof a);
		memcpy(&b, (const char *)theirs + terms[i].offset, sizeof b);
		if (a == b)
			continue;
		snprintf(line, sizeof line, "call %llu has another %s on rank %u (%llu) than on rank %u (%llu)",
		         (unsigned long long)call, terms[i].name, c->meeting.rank, (unsigned long long)a, peer,
		         (unsigned long long)b);
		break;
	}
	return sccli_watch_raise(c, SCCL_MISMATCH, line);
}

/* The number of the call is cleared first and written last, so that a half-written entry is never taken for an
 * order. */
static void put(struct order_entry *e, uint64_t call, const struct order *o)
{
	__atomic_store_n(&e->call, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&e->order.plan, o->plan, __ATOMIC_RELAXED);
	__atomic_store_n(&e->order.memory, o->memory, __ATOMIC_RELAXED);
	__atomic_store_n(&e->order.offset, o->offset, __ATOMIC_RELAXED);
	__atomic_store_n(&e->order.count, o->count, __ATOMIC_RELAXED);
	__atomic_store_n(&e->order.before, o->before, __ATOMIC_RELAXED);
	__atomic_store_n(&e->call, call, __ATOMIC_SEQ_CST); /* before reading any other rank's entry */
}

static bool get(const struct order_entry *e, uint64_t call, struct order *o)
{
	if (__atomic_load_n(&e->call, __ATOMIC_SEQ_CST) != call)
		return false;
	*o = (struct order){
		__atomic_load_n(&e->order.plan, __ATOMIC_ACQUIRE),
		__atomic_load_n(&e->order.memory, __ATOMIC_ACQUIRE),
		__atomic_load_n(&e->order.offset, __ATOMIC_ACQUIRE),
		__atomic_load_n(&e->order.count, __ATOMIC_ACQUIRE),
		__atomic_load_n(&e->order.before, __ATOMIC_ACQUIRE),
	};
	return __atomic_load_n(&e->call, __ATOMIC_SEQ_CST) == call;
}

sccl_status_t sccli_orders_match(struct sccl_comm *c, uint64_t call, const struct order *mine, const struct order *theirs,
				 uint32_t peer)
{
	return memcmp(theirs, mine, sizeof *mine) == 0 ? SCCL_OK : raise_mismatch(c, call, mine, theirs, peer);
}

sccl_status_t sccli_orders_compare(struct sccl_comm *c, struct order *mine, const uint32_t *peers, size_t n)
{
	struct board *b = comm_board(c, c->meeting.rank);
	sccl_status_t status = SCCL_OK;

	mine->before = c->history;
	c->history = hash(hash(hash(hash(c->history, mine->plan), mine->memory), mine->offset), mine->count);
	put(&b->entries[c->calls % ORDERS], c->calls, mine);
	__atomic_store_n(&b->entered, c->calls, __ATOMIC_RELEASE);
	for (size_t i = 0; i < n && status == SCCL_OK; i++) {
		struct order theirs;
		if (get(&comm_board(c, peers[i])->entries[c->calls % ORDERS], c->calls, &theirs))
			status = sccli_orders_match(c, c->calls, mine, &theirs, peers[i]);
	}
	return status;
}
