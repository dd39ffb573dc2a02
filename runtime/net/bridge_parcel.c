/* Packs the data written for a rank on another server between two of its signals into a message, and unpacks it
 * there. */

#include "runtime/net/bridge_inside.h"

#include "runtime/core/orders.h"
#include "runtime/core/status.h"

#include <stdlib.h>
#include <string.h>

const uint32_t *sccli_word_behind(const uint32_t *w)
{
	switch (*w & 0xffu) {
	case SCCL_WORD_OFFER:
	case SCCL_WORD_CREDIT:
	case SCCL_WORD_WAIT:
	case SCCL_WORD_SIGNAL: return w + SCCL_FLAG_WORDS;
	case SCCL_WORD_FLAGS: return w + 2; /* what stands together is read one by one */
	case SCCL_WORD_MOVES: return w + w[2];
	case SCCL_WORD_COPY:
	case SCCL_WORD_REDUCE:
	case SCCL_WORD_TOTAL: return w + 4 + 2 * (w[2] + w[3]);
	default: return w + 1; /* SCCL_WORD_SYNC */
	}
}

static bool is_end(const uint32_t *w)
{
	return (*w & 0xffu) == SCCL_WORD_END;
}

static bool moves(const uint32_t *w)
{
	return (*w & 0xffu) == SCCL_WORD_COPY || SCCL_IS_REDUCTION(*w);
}

static bool posts(const uint32_t *w)
{
	return (*w & 0xffu) == SCCL_WORD_OFFER || (*w & 0xffu) == SCCL_WORD_SIGNAL;
}

void sccli_crossing_count(struct bridge_call *x, const struct sccl_comm *c)
{
	const struct meeting *m = &c->meeting;
	const sccl_table_t *t = x->plan->table;

	for (uint32_t r = 0; r < m->ranks; r++)
		for (const uint32_t *w = t->words[r]; !is_end(w); w = sccli_word_behind(w)) {
			if (!posts(w))
				continue;
			x->to_send += r == m->rank && !meeting_reaches(m, w[1]);
			x->to_come += w[1] == m->rank && !meeting_reaches(m, r);
		}
	x->to_send *= x->launch.blocks;
	x->to_come *= x->launch.blocks;
}

static sccl_block_t block_of(const struct bridge *b, const struct bridge_call *x, uint32_t block)
{
	const sccl_launch_t *l = &x->launch;

	return (sccl_block_t){
		.env = &b->comm->env,
		.launch = l,
		.begin = sccl_block_begin(l->slot_bytes, block, l->blocks),
		.end = sccl_block_begin(l->slot_bytes, block + 1, l->blocks),
		.block = block,
		.element = (uint32_t)x->plan->element,
	};
}

/* The first word that belongs to signal K to PEER: the one after the previous signal. */
static const uint32_t *words_of(const struct bridge_call *x, uint32_t peer, uint32_t k)
{
	const uint32_t *w = x->launch.words, *from = w;

	for (; !is_end(w); w = sccli_word_behind(w)) {
		if ((*w & 0xffu) != SCCL_WORD_SIGNAL || w[1] != peer)
			continue;
		if (w[2] >= k)
			break;
		from = sccli_word_behind(w);
	}
	return from;
}

static bool is_signal(const uint32_t *w, uint32_t peer, uint32_t k)
{
	return (*w & 0xffu) == SCCL_WORD_SIGNAL && w[1] == peer && w[2] == k;
}

/* Lists every place of PEER that is written before signal K. If PIECES is NULL it only counts. Returns the number of
 * pieces; *BYTES is their total size. */
static uint32_t list_pieces(const struct bridge *b, const struct bridge_call *x, uint32_t peer, uint32_t block, uint32_t k,
			    struct parcel_piece *pieces, size_t *bytes)
{
	sccl_block_t at = block_of(b, x, block);
	uint32_t n = 0;

	*bytes = 0;
	for (const uint32_t *w = words_of(x, peer, k); k > 0 && !is_end(w) && !is_signal(w, peer, k); w = sccli_word_behind(w)) {
		sccl_move_t m;
		if (!moves(w))
			continue;
		sccl_move_read(&at, w, (uint32_t)x->plan->element, &m);
		for (uint32_t i = m.sources; i < m.sources + m.targets; i++) {
			uint32_t buffer = m.places[2 * i] >> 30, rank = m.places[2 * i] & 0x3fffffffu;
			if (rank != peer || m.bytes == 0)
				continue;
			const uint8_t *base = buffer == SCCL_OUT ? x->window.bases[peer] : x->plan->scratch.bases[peer];
			if (pieces)
				pieces[n] = (struct parcel_piece){buffer, (uint64_t)(sccl_place_at(&at, &m, i) - base), m.bytes};
			*bytes += m.bytes;
			n++;
		}
	}
	return n;
}

static sccl_status_t copy(const struct bridge *b, void *to, const void *from, size_t bytes)
{
	const struct unit *u = &b->comm->meeting.unit;
	return bytes ? u->device->copy(u, to, from, bytes, b->stream) : SCCL_OK;
}

struct letter *sccli_parcel_pack(const struct bridge *b, const struct bridge_call *x, uint32_t peer, uint32_t block, uint32_t k)
{
	const struct unit *u = &b->comm->meeting.unit;
	size_t bytes;
	uint32_t n = list_pieces(b, x, peer, block, k, NULL, &bytes);
	size_t head = sizeof(struct parcel) + n * sizeof(struct parcel_piece);
	struct letter *l = head + bytes <= LETTER_MAX ? malloc(sizeof *l + head + bytes) : NULL;
	sccl_status_t status = SCCL_OK;

	if (!l) {
		sccli_fail(SCCL_UNSUPPORTED, "no message of %zu bytes can be sent to another server: use more blocks per call", head + bytes);
		return NULL;
	}
	struct parcel p = {k ? PARCEL_DATA : PARCEL_READY, block, n, x->epochs[block] + (k ? k : 1), x->number, x->order};
	struct parcel_piece *pieces = (struct parcel_piece *)(void *)(l->data + sizeof p);
	unsigned char *at = l->data + head;
	*l = (struct letter){.bytes = head + bytes};
	memcpy(l->data, &p, sizeof p);
	list_pieces(b, x, peer, block, k, pieces, &bytes);
	for (uint32_t i = 0; i < n && status == SCCL_OK; at += pieces[i++].bytes) {
		const uint8_t *base = pieces[i].buffer == SCCL_OUT ? x->window.bases[peer] : x->plan->scratch.bases[peer];
		status = copy(b, at, base + pieces[i].offset, pieces[i].bytes);
	}
	if (status == SCCL_OK)
		status = u->device->wait(u, b->stream);
	if (status == SCCL_OK)
		return l;
	free(l);
	return NULL;
}

static sccl_status_t garbled(const struct letter *l)
{
	return sccli_fail(SCCL_SYSTEM, "rank %u on another server sent something other than was requested", l->from);
}

/* Whether the message has the number of bytes it claims, each piece lies within the memory it is meant for, and the
 * flag's value belongs to this call. */
static bool is_sound(const struct bridge *b, const struct bridge_call *x, const struct letter *l, const struct parcel *p)
{
	const struct parcel_piece *pieces = (const struct parcel_piece *)(const void *)(l->data + sizeof *p);
	size_t head = sizeof *p + (size_t)p->n_pieces * sizeof *pieces;

	if (p->block >= x->launch.blocks || p->block >= b->comm->max_blocks || p->n_pieces > l->bytes / sizeof *pieces || head > l->bytes)
		return false;
	uint64_t moved = p->value - x->epochs[p->block], left = l->bytes - head;
	if (moved < 1 || moved > (p->kind == PARCEL_READY ? 1 : x->launch.signals))
		return false;
	for (uint32_t i = 0; i < p->n_pieces; i++) {
		size_t room = pieces[i].buffer == SCCL_OUT ? x->window.bytes : x->plan->scratch.bytes;
		if ((pieces[i].buffer != SCCL_OUT && pieces[i].buffer != SCCL_SCRATCH_SLOT) || pieces[i].offset > room ||
		    pieces[i].bytes > room - pieces[i].offset || pieces[i].bytes > left)
			return false;
		left -= pieces[i].bytes;
	}
	return left == 0;
}

sccl_status_t sccli_parcel_unpack(const struct bridge *b, struct bridge_call *x, const struct letter *l)
{
	const struct meeting *m = &b->comm->meeting;
	const struct unit *u = &m->unit;
	struct parcel p;
	sccl_block_t at = {.env = &b->comm->env};

	memcpy(&p, l->data, sizeof p);
	sccl_status_t status = sccli_orders_match(b->comm, x->number, &x->order, &p.order, l->from);
	if (status != SCCL_OK || !is_sound(b, x, l, &p))
		return status != SCCL_OK ? status : garbled(l);
	const struct parcel_piece *pieces = (const struct parcel_piece *)(const void *)(l->data + sizeof p);
	const unsigned char *from = l->data + sizeof p + p.n_pieces * sizeof *pieces;
	for (uint32_t i = 0; i < p.n_pieces && status == SCCL_OK; from += pieces[i++].bytes) {
		uint8_t *base = pieces[i].buffer == SCCL_OUT ? x->window.bases[m->rank] : x->plan->scratch.bases[m->rank];
		status = copy(b, base + pieces[i].offset, from, pieces[i].bytes);
	}
	at.block = p.block;
	uint64_t *flag = sccl_flag(&at, b->comm->flags.bases[m->rank], (uint32_t)p.kind, l->from);
	if (status == SCCL_OK)
		status = u->device->synchronous ? u->device->post(u, flag, p.value, b->stream) : copy(b, flag, &p.value, sizeof p.value);
	if (status == SCCL_OK)
		status = u->device->wait(u, b->stream);
	x->to_come -= x->to_come > 0;
	return status;
}
