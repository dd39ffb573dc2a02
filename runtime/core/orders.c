/*
 * Every rank publishes its order of each call on its board, in a ring of the last ORDERS entries, and compares it with
 * the orders of its peers that are already there. A running hash of all orders detects ranks whose sequences of calls
 * differ; it is kept for the last ORDER_MARKS calls, and on devices, where calls are enqueued, no rank gets further ahead
 * of another than that.
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

/* Two multiplications mix all bits of 64 at once (as in MurmurHash3's finalizer): no call is to wait for more. */
static uint64_t hash(uint64_t h, uint64_t value)
{
	h = (h ^ value) * 0xff51afd7ed558ccdu;
	h = (h ^ h >> 32) * 0xc4ceb9fe1a85ec53u;
	return h ^ h >> 29;
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

/*
 * The number of the call is cleared first and written last, so that a half-written entry is never taken for an order: who
 * sees a new word of it also sees that it was cleared. One store alone is sequentially consistent, as is the load of the
 * others' numbers: it must be seen before they are read, and a processor that waits for that waits for all before it.
 */
static void put(struct order_entry *e, uint64_t call, const struct order *o)
{
	__atomic_store_n(&e->call, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&e->order.plan, o->plan, __ATOMIC_RELEASE);
	__atomic_store_n(&e->order.memory, o->memory, __ATOMIC_RELEASE);
	__atomic_store_n(&e->order.offset, o->offset, __ATOMIC_RELEASE);
	__atomic_store_n(&e->order.count, o->count, __ATOMIC_RELEASE);
	__atomic_store_n(&e->order.before, o->before, __ATOMIC_RELEASE);
	__atomic_store_n(&e->call, call, __ATOMIC_SEQ_CST);
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
	return __atomic_load_n(&e->call, __ATOMIC_RELAXED) == call;
}

/* Before the order: who finds that it has left the board finds the mark. */
static void put_mark(struct order_mark *m, uint64_t call, uint64_t value)
{
	__atomic_store_n(&m->call, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&m->hash, value, __ATOMIC_RELEASE);
	__atomic_store_n(&m->call, call, __ATOMIC_RELEASE);
}

static bool get_mark(const struct order_mark *m, uint64_t call, uint64_t *value)
{
	if (__atomic_load_n(&m->call, __ATOMIC_ACQUIRE) != call)
		return false;
	*value = __atomic_load_n(&m->hash, __ATOMIC_ACQUIRE);
	return __atomic_load_n(&m->call, __ATOMIC_RELAXED) == call;
}

/* Where ranks run their calls themselves, none is past a call that its peer has not begun, and no order leaves a board early. */
static bool needs_marks(const struct sccl_comm *c)
{
	return !c->meeting.unit.device->synchronous;
}

/* A peer whose order has left its board is compared by its hash. */
static sccl_status_t compare(struct sccl_comm *c, const struct order *mine, uint32_t peer)
{
	const struct board *b = comm_board(c, peer);
	struct order theirs;
	uint64_t value;
	char line[192];

	if (get(&b->entries[c->calls % ORDERS], c->calls, &theirs))
		return sccli_orders_match(c, c->calls, mine, &theirs, peer);
	if (!needs_marks(c) || !get_mark(&b->marks[c->calls % ORDER_MARKS], c->calls, &value) || value == c->history)
		return SCCL_OK;
	snprintf(line, sizeof line, "call %llu, or one before it, is another on rank %u than on rank %u, which is far ahead",
	         (unsigned long long)c->calls, c->meeting.rank, peer);
	return sccli_watch_raise(c, SCCL_MISMATCH, line);
}

/* Whether RANK has begun call CALL, or its memory is on another server. */
static bool has_begun(const struct sccl_comm *c, uint32_t rank, uint64_t call)
{
	return !meeting_reaches(&c->meeting, rank) || __atomic_load_n(&comm_board(c, rank)->entered, __ATOMIC_ACQUIRE) >= call;
}

/* Twice per ring of hashes, waits until every rank has begun what this one began half a ring ago. */
static sccl_status_t keep_near(struct sccl_comm *c)
{
	sccl_status_t status = SCCL_OK;
	char call[32];

	if (c->meeting.unit.device->synchronous || c->calls % (ORDER_MARKS / 2) != 0)
		return SCCL_OK;
	snprintf(call, sizeof call, "call %llu", (unsigned long long)c->calls);
	for (uint32_t r = 0; r < c->meeting.ranks && status == SCCL_OK; r++)
		status = sccli_watch_until(c, has_begun, r, c->calls - ORDER_MARKS / 2, call);
	return status;
}

sccl_status_t sccli_orders_match(struct sccl_comm *c, uint64_t call, const struct order *mine, const struct order *theirs,
				 uint32_t peer)
{
	return memcmp(theirs, mine, sizeof *mine) == 0 ? SCCL_OK : raise_mismatch(c, call, mine, theirs, peer);
}

sccl_status_t sccli_orders_compare(struct sccl_comm *c, struct order *mine, const uint32_t *peers, size_t n)
{
	struct board *b = comm_board(c, c->meeting.rank);
	sccl_status_t status = keep_near(c);

	if (status != SCCL_OK)
		return status;
	mine->before = c->history;
	c->history = hash(hash(hash(hash(c->history, mine->plan), mine->memory), mine->offset), mine->count);
	if (needs_marks(c))
		put_mark(&b->marks[c->calls % ORDER_MARKS], c->calls, c->history);
	put(&b->entries[c->calls % ORDERS], c->calls, mine);
	uint32_t cpu = sccli_rest_cpu();
	if (__atomic_load_n(&b->cpu, __ATOMIC_RELAXED) != cpu) /* the word's line is read by ranks that wait */
		__atomic_store_n(&b->cpu, cpu, __ATOMIC_RELAXED);
	__atomic_store_n(&b->entered, c->calls, __ATOMIC_RELEASE);
	for (size_t i = 0; i < n && status == SCCL_OK; i++)
		status = compare(c, mine, peers[i]);
	return status;
}
