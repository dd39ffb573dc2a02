/* Polls the flags that this rank advances on other servers, and sends the data that they announce. */

#include "runtime/net/bridge_inside.h"

#include "runtime/core/status.h"

#include <stdlib.h>

/* Appends the calls that have begun since, in order, to the known ones. */
void sccli_bridge_take_over(struct bridge *b)
{
	struct bridge_call *last_first = __atomic_exchange_n(&b->begun, NULL, __ATOMIC_ACQUIRE), *in_order = NULL;
	struct bridge_call **end = &b->crossings;

	while (last_first) {
		struct bridge_call *next = last_first->next;
		last_first->next = in_order;
		in_order = last_first;
		last_first = next;
	}
	while (*end)
		end = &(*end)->next;
	*end = in_order;
	for (struct bridge_call *x = in_order; x; x = x->next)
		b->last = x->number;
}

bool sccli_bridge_send(struct bridge *b, struct letter *l, uint32_t to)
{
	if (!l)
		return false; /* the error text is set */
	if (b->carrier->send(b->carrier->context, to, l->data, l->bytes, &l->ticket) != 0) {
		free(l);
		sccli_fail(SCCL_SYSTEM, "the transport to other servers fails");
		return false;
	}
	l->next = b->out;
	b->out = l;
	return true;
}

/* The flags of KIND that this rank has advanced on PEER. */
static const uint8_t *flags_on(struct bridge *b, uint32_t peer, uint32_t kind)
{
	const struct sccl_comm *c = b->comm;
	const struct meeting *m = &c->meeting;
	uint64_t at = SCCL_FLAG_OFFSET(kind, m->rank, 0, m->ranks, c->max_blocks);

	if (m->unit.device->synchronous)
		return c->flags.bases[peer] + at;
	if (m->unit.device->copy(&m->unit, b->flags, c->flags.bases[peer] + at, (size_t)c->max_blocks * SCCL_FLAG_STRIDE, b->stream) !=
	            SCCL_OK ||
	    m->unit.device->wait(&m->unit, b->stream) != SCCL_OK)
		return NULL;
	return b->flags;
}

/* Position of flag value V within call X; 0 if it does not belong to X. An offer advances the flag to 1, signal k to
 * k. */
static uint32_t number_in(const struct bridge_call *x, uint32_t block, uint64_t v)
{
	uint64_t k = block < x->launch.blocks ? v - x->epochs[block] : 0;
	return k <= x->launch.signals ? (uint32_t)k : 0;
}

static bool is_for(const struct bridge_call *x, uint32_t peer, uint32_t kind, uint32_t k)
{
	uint32_t word = kind == SCCL_READY ? SCCL_WORD_OFFER : SCCL_WORD_SIGNAL;
	const uint32_t *w = x->launch.words;

	if (kind == SCCL_READY && k != 1)
		return false;
	for (; (*w & 0xffu) != SCCL_WORD_END; w = sccli_word_behind(w))
		if ((*w & 0xffu) == word && w[1] == peer && (word == SCCL_WORD_OFFER || w[2] == k))
			return true;
	return false;
}

/* Sends, in order, the messages for all values up to NOW that have not been sent yet. */
static bool send_up_to(struct bridge *b, uint32_t peer, uint32_t kind, uint32_t block, uint64_t *seen, uint64_t now)
{
	while (*seen != now) {
		uint64_t v = ++*seen;
		for (struct bridge_call *x = b->crossings; x; x = x->next) {
			uint32_t k = number_in(x, block, v);
			if (k == 0 || !is_for(x, peer, kind, k))
				continue;
			if (!sccli_bridge_send(b, sccli_parcel_pack(b, x, peer, block, kind == SCCL_READY ? 0 : k), peer))
				return false;
			x->to_send -= x->to_send > 0;
		}
	}
	return true;
}

static bool poll_kind(struct bridge *b, uint32_t peer, uint32_t kind, bool *moved)
{
	const struct sccl_comm *c = b->comm;
	const uint8_t *flags = flags_on(b, peer, kind);
	uint64_t *seen = b->seen + ((size_t)peer * SCCL_FLAG_KINDS + kind) * c->max_blocks;

	for (uint32_t block = 0; flags && block < c->max_blocks; block++) {
		const uint64_t *flag = (const uint64_t *)(const void *)(flags + (size_t)block * SCCL_FLAG_STRIDE);
		uint64_t now = __atomic_load_n(flag, __ATOMIC_ACQUIRE);
		if (now == seen[block])
			continue;
		*moved = true;
		sccli_bridge_take_over(b); /* the flag's call had begun before the flag advanced */
		if (!send_up_to(b, peer, kind, block, &seen[block], now))
			return false;
	}
	return flags != NULL;
}

bool sccli_bridge_poll(struct bridge *b, bool *moved)
{
	const struct meeting *m = &b->comm->meeting;

	for (uint32_t r = 0; r < m->ranks; r++)
		for (uint32_t kind = 0; kind < SCCL_FLAG_KINDS && !meeting_reaches(m, r); kind++)
			if (!poll_kind(b, r, kind, moved))
				return false;
	return true;
}
