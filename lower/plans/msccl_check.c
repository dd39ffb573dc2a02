/* Would RCCL load the plan and interpret it as intended? Compares every part of it with the limits of RCCL. */

#include "lower/plans/msccl.h"

#include "core/schedule/algorithm.h"
#include "core/base/error.h"

#include <stdarg.h>
#include <stdio.h>

/* What each kind of step does. */
static const struct {
	bool sends, receives, reads, writes;
} does[MSCCL_KINDS] = {
	[MSCCL_SEND] = {true, false, true, false},
	[MSCCL_RECEIVE] = {false, true, false, true},
	[MSCCL_ADD] = {false, true, true, true},
	[MSCCL_COPY] = {false, false, true, true},
};

bool msccl_fault(const struct msccl_plan *p, int rank, size_t block, size_t step, struct error *e, const char *format, ...)
{
	const struct msccl_block *b = &p->of[rank].blocks[block];
	char where[sizeof e->where], what[sizeof e->what];
	va_list ap;

	va_start(ap, format);
	vsnprintf(what, sizeof what, format, ap);
	va_end(ap);
	snprintf(where, sizeof where, "%.300s: rank %d, thread block %zu, step %zu (%s)", p->algorithm->name, rank, block, step,
		 step < b->n ? msccl_kind_names[b->steps[step].kind] : "past the last");
	return error_set(e, ERROR_SYSTEM, where, "%s", what);
}

static bool over(const struct msccl_plan *p, int rank, struct error *e, size_t n, const char *what, int limit)
{
	char where[sizeof e->where];

	snprintf(where, sizeof where, "%.400s: rank %d", p->algorithm->name, rank);
	return error_set(e, ERROR_INPUT, where, "%zu %s; RCCL takes at most %d", n, what, limit);
}

static bool place_fits(const struct msccl_plan *p, int rank, size_t block, size_t step, struct msccl_place at, struct error *e)
{
	int count = p->of[rank].blocks[block].steps[step].count, chunks = p->of[rank].chunks[at.buffer];

	if (at.at < 0 || count > chunks || at.at > chunks - count)
		return msccl_fault(p, rank, block, step, e, "chunk %d of buffer %s is past its %d chunks", at.at + count - 1,
				   msccl_buffer_names[at.buffer], chunks);
	if (at.at > MSCCL_OFFSET_MAX)
		return over(p, rank, e, (size_t)at.at, "as an offset in a buffer", MSCCL_OFFSET_MAX);
	return true;
}

static bool awaited_fits(const struct msccl_plan *p, int rank, size_t block, size_t step, struct error *e)
{
	const struct msccl_gpu *g = &p->of[rank];
	const struct msccl_step *s = &g->blocks[block].steps[step];

	if (s->on_block < 0)
		return true;
	if ((size_t)s->on_block >= g->n || s->on_step < 0 || (size_t)s->on_step >= g->blocks[s->on_block].n ||
	    (size_t)s->on_block == block)
		return msccl_fault(p, rank, block, step, e, "depends on step %d of thread block %d, which does not exist",
				   s->on_step, s->on_block);
	if (!g->blocks[s->on_block].steps[s->on_step].awaited)
		return msccl_fault(p, rank, block, step, e, "depends on step %d of thread block %d, which has no hasdep: it would "
				   "wait forever", s->on_step, s->on_block);
	return true;
}

static bool step_fits(const struct msccl_plan *p, int rank, size_t block, size_t step, struct error *e)
{
	const struct msccl_block *b = &p->of[rank].blocks[block];
	const struct msccl_step *s = &b->steps[step];

	if (s->count < 1 || s->count > MSCCL_COUNT_MAX)
		return msccl_fault(p, rank, block, step, e, "a count of %d; RCCL takes 1 to %d", s->count, MSCCL_COUNT_MAX);
	if ((does[s->kind].sends && b->send < 0) || (does[s->kind].receives && b->receive < 0))
		return msccl_fault(p, rank, block, step, e, "the thread block has no peer for it");
	if (does[s->kind].writes && s->to.buffer == MSCCL_INPUT)
		return msccl_fault(p, rank, block, step, e, "writes into the input");
	return (!does[s->kind].reads || place_fits(p, rank, block, step, s->from, e)) &&
	       (!does[s->kind].writes || place_fits(p, rank, block, step, s->to, e)) && awaited_fits(p, rank, block, step, e);
}

static bool peer_fits(const struct msccl_plan *p, int rank, int peer)
{
	return peer >= -1 && peer < p->ranks && peer != rank;
}

static bool block_fits(const struct msccl_plan *p, int rank, size_t block, struct error *e)
{
	const struct msccl_block *b = &p->of[rank].blocks[block];
	char what[64];

	if (!peer_fits(p, rank, b->send) || !peer_fits(p, rank, b->receive))
		return msccl_fault(p, rank, block, 0, e, "the peer is not another rank");
	if (b->channel < 0 || b->channel >= p->channels)
		return msccl_fault(p, rank, block, 0, e, "channel %d of %d", b->channel, p->channels);
	snprintf(what, sizeof what, "steps in thread block %zu", block);
	if (b->n > MSCCL_STEPS_MAX)
		return over(p, rank, e, b->n, what, MSCCL_STEPS_MAX);
	for (size_t i = 0; i < b->n; i++)
		if (!step_fits(p, rank, block, i, e))
			return false;
	return true;
}

/* Each connection belongs to one block at each end, and the number of connections per channel is limited. */
static bool channels_fit(const struct msccl_plan *p, int rank, struct error *e)
{
	const struct msccl_gpu *g = &p->of[rank];
	size_t sending[MSCCL_CHANNELS_MAX] = {0}, receiving[MSCCL_CHANNELS_MAX] = {0};

	for (size_t i = 0; i < g->n; i++) {
		const struct msccl_block *b = &g->blocks[i];
		for (size_t k = 0; k < i; k++) {
			const struct msccl_block *o = &g->blocks[k];
			if (b->channel == o->channel && ((b->send >= 0 && b->send == o->send) ||
							 (b->receive >= 0 && b->receive == o->receive)))
				return msccl_fault(p, rank, i, 0, e, "thread block %zu already has this connection", k);
		}
		if ((b->send >= 0 && ++sending[b->channel] > MSCCL_CHANNEL_BLOCKS_MAX) ||
		    (b->receive >= 0 && ++receiving[b->channel] > MSCCL_CHANNEL_BLOCKS_MAX))
			return over(p, rank, e, MSCCL_CHANNEL_BLOCKS_MAX + 1, "peers over one channel", MSCCL_CHANNEL_BLOCKS_MAX);
	}
	return true;
}

static bool gpu_fits(const struct msccl_plan *p, int rank, struct error *e)
{
	const struct msccl_gpu *g = &p->of[rank];
	size_t nodes = 1 + (size_t)p->ranks + g->n;

	if (g->n == 0)
		return error_set(e, ERROR_INPUT, p->algorithm->name, "rank %d has nothing to do; RCCL starts at least one thread block",
				 rank);
	if (g->n > MSCCL_BLOCKS_MAX)
		return over(p, rank, e, g->n, "thread blocks", MSCCL_BLOCKS_MAX);
	for (size_t b = 0; b < g->n; b++) {
		if (!block_fits(p, rank, b, e))
			return false;
		nodes += g->blocks[b].n;
	}
	if (nodes > MSCCL_NODES_MAX)
		return over(p, rank, e, nodes, "elements of XML", MSCCL_NODES_MAX);
	return channels_fit(p, rank, e);
}

bool msccl_check(const struct msccl_plan *p, struct error *e)
{
	if (p->ranks > MSCCL_GPUS_MAX)
		return error_set(e, ERROR_INPUT, p->algorithm->name, "%d ranks; RCCL takes at most %d", p->ranks, MSCCL_GPUS_MAX);
	if (p->channels < 1 || p->channels > MSCCL_CHANNELS_MAX)
		return error_set(e, ERROR_INPUT, p->algorithm->name, "%d channels; RCCL takes at most %d", p->channels,
				 MSCCL_CHANNELS_MAX);
	for (int r = 0; r < p->ranks; r++)
		if (!gpu_fits(p, r, e))
			return false;
	return true;
}
