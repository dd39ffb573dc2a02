/*
 * Plays a plan: every thread block as far as it gets, in turn. What is found does not depend on the turns: a conflict is
 * two accesses that no wait, message or meeting of threads orders, whichever came first here.
 */

#include "interop/plans/play.h"

#include "core/base/error.h"
#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { PLAY_BLOCKS_MAX = 4096, PLAY_CELLS_MAX = 1 << 24, PLAY_CLOCKS_MAX = 1 << 28, PLAY_MOVES_MAX = 1 << 28 };

static bool packets_are_there(struct play *y, const struct plan_transfer *t)
{
	for (size_t k = 0; k < t->n_reads; k++)
		for (int i = 0; t->reads[k].buffer == PLAN_PACKETS && i < t->n; i++) {
			const struct play_cell *c = play_cell_at(y, &t->reads[k], i);
			if (c && c->value < 0)
				return false;
		}
	return true;
}

/* What the op waits for; NULL: it can run. */
static const char *obstacle(struct play *y, const struct play_block *b, const struct plan_op *o)
{
	if (o->on_block >= 0 && y->of[y->first_block[b->rank] + o->on_block].next <= (size_t)o->on_step)
		return "an op of another thread block that never ends";
	if (o->on_block >= 0 && !y->p->of[b->rank].blocks[o->on_block].ops[o->on_step].awaited)
		return "an op that does not announce its end (hasdep is 0)";
	for (size_t i = 0; i < o->n_waits; i++)
		if (y->semaphores[o->waits[i]].n == 0)
			return "a signal that is never sent";
	for (size_t i = 0; i < o->n_transfers; i++) {
		const struct plan_transfer *t = &o->transfers[i];
		if (t->fifo_in >= 0 && y->fifos[t->fifo_in].n == 0)
			return "data that is never sent";
		if (t->fifo_out >= 0 && y->fifos[t->fifo_out].n >= (size_t)y->depth)
			return "its earlier data to be received";
		if (!packets_are_there(y, t))
			return "packets that are never written";
	}
	return NULL;
}

static void post(struct play *y, struct play_block *b, const struct plan_op *o)
{
	int self = (int)(b - y->of);

	for (size_t i = 0; i < o->n_posts; i++) {
		int *clock = copy_bytes(b->known, (size_t)y->blocks * sizeof *clock);
		play_join(y, clock, b->pending);
		clock[self] = o->proxied ? (int)b->next + 2 : b->last_sync;
		queue_push(&y->semaphores[o->posts[i]], (struct play_message){.clock = clock});
	}
}

static void meet(struct play *y, struct play_block *b)
{
	play_join(y, b->known, b->pending);
	b->last_sync = (int)b->next + 2;
	b->known[b - y->of] = b->last_sync;
}

static void take_waits(struct play *y, struct play_block *b, const struct plan_op *o)
{
	for (size_t i = 0; i < o->n_waits; i++) {
		struct play_message m = queue_pop(&y->semaphores[o->waits[i]]);
		play_join(y, b->pending, m.clock);
		free(m.clock);
	}
	if (o->on_block >= 0) {
		const int *after = y->of[y->first_block[b->rank] + o->on_block].after[o->on_step];
		if (after)
			play_join(y, b->known, after);
	}
}

static void run(struct play *y, struct play_block *b, const struct plan_op *o)
{
	take_waits(y, b, o);
	play_transfers(y, b, o);
	post(y, b, o);
	if (o->sync)
		meet(y, b);
	if (o->awaited)
		b->after[b->next] = copy_bytes(b->known, (size_t)y->blocks * sizeof *b->known);
	b->next++;
	y->moved = true;
}

static const struct plan_op *op_of(const struct play *y, const struct play_block *b)
{
	const struct plan_block *of = &y->p->of[b->rank].blocks[b->in_rank];
	return b->next < of->n ? &of->ops[b->next] : NULL;
}

static bool is_at(const struct play *y, const struct play_block *b, int barrier)
{
	const struct plan_op *o = op_of(y, b);
	return b->arrived && o && o->barrier == barrier;
}

/* If as many blocks of the rank as the barrier needs are there, all of them learn what each knows. */
static void try_barrier(struct play *y, struct play_block *b, const struct plan_op *o)
{
	int first = y->first_block[b->rank], end = y->first_block[b->rank + 1], there = 0;

	b->arrived = true;
	for (int i = first; i < end; i++)
		there += is_at(y, &y->of[i], o->barrier);
	if (there < o->barrier_blocks)
		return;
	int *all = new_array(int, (size_t)y->blocks);
	for (int i = first; i < end; i++)
		if (is_at(y, &y->of[i], o->barrier)) {
			meet(y, &y->of[i]);
			play_join(y, all, y->of[i].known);
		}
	for (int i = first; i < end; i++)
		if (is_at(y, &y->of[i], o->barrier)) {
			play_join(y, y->of[i].known, all);
			y->of[i].arrived = false;
			y->of[i].next++;
		}
	free(all);
	y->moved = true;
}

static void advance(struct play *y, struct play_block *b)
{
	const struct plan_op *o;

	while ((o = op_of(y, b)) && !b->arrived) {
		if (o->barrier >= 0)
			try_barrier(y, b, o);
		else if (!obstacle(y, b, o))
			run(y, b, o);
		else
			return;
	}
}

static void report_stuck(struct play *y)
{
	for (int i = 0; i < y->blocks; i++) {
		struct play_block *b = &y->of[i];
		const struct plan_op *o = op_of(y, b);
		if (!o)
			continue;
		const char *why = b->arrived ? "other thread blocks at its barrier" : obstacle(y, b, o);
		plan_fault(y->f, y->p, b->rank, b->in_rank, o, "waits forever for %s", why ? why : "nothing");
	}
	for (size_t i = 0; i < y->p->n_fifos; i++)
		if (y->fifos[i].n && y->f->n == 0)
			plan_fault(y->f, y->p, -1, -1, NULL, "data is sent that is never received");
}

/* ---- making and freeing the state ---- */

/* The cells of a rank. In place, output may be held as long as that of all ranks: see start_cells. */
static size_t cells_of(const struct foreign_plan *p, const struct plan_rank *r, bool in_place)
{
	size_t in = (size_t)r->chunks[PLAN_INPUT], out = (size_t)r->chunks[PLAN_OUTPUT], n = in + out, whole = 0;

	if (in_place && p->kind == PLAN_ALLGATHER)
		whole = in * (size_t)p->ranks;
	if (in_place && p->kind == PLAN_REDUCESCATTER)
		whole = out * (size_t)p->ranks;
	return ((n > whole ? n : whole) + (size_t)r->chunks[PLAN_SCRATCH] + (size_t)r->chunks[PLAN_PACKETS]) * (size_t)p->cut;
}

/* Adds the clocks that an op keeps, at most, and the cells that it moves. */
static void weigh(const struct plan_op *o, size_t *clocks, size_t *moves)
{
	*clocks += o->awaited + o->n_posts;
	for (size_t i = 0; i < o->n_transfers; i++) {
		const struct plan_transfer *t = &o->transfers[i];
		*clocks += t->n_writes && t->writes[0].buffer == PLAN_PACKETS;
		*moves += (size_t)t->n * (1 + t->n_reads + t->n_writes);
	}
}

static bool fits(const struct foreign_plan *p, bool in_place, struct error *e)
{
	size_t blocks = 0, cells = 0, clocks = 0, moves = 0, words = ((size_t)p->ranks + 63) / 64;

	for (int r = 0; r < p->ranks; r++) {
		blocks += p->of[r].n;
		cells += cells_of(p, &p->of[r], in_place);
		for (size_t b = 0; b < p->of[r].n; b++)
			for (size_t i = 0; i < p->of[r].blocks[b].n; i++)
				weigh(&p->of[r].blocks[b].ops[i], &clocks, &moves);
	}
	for (size_t i = 0; i < p->n_semaphores; i++)
		clocks += (size_t)p->semaphores[i];
	if (blocks > PLAY_BLOCKS_MAX)
		return error_set(e, ERROR_LIMIT, p->path, "%zu thread blocks in all; plans of at most %d are played", blocks, PLAY_BLOCKS_MAX);
	if (cells * words > PLAY_CELLS_MAX || clocks * blocks > PLAY_CLOCKS_MAX)
		return error_set(e, ERROR_LIMIT, p->path, "%zu parts of chunks and %zu awaited ops and signals are too many to be played", cells, clocks);
	if (moves * words > PLAY_MOVES_MAX)
		return error_set(e, ERROR_LIMIT, p->path, "%zu accesses to parts of chunks are too many to be played", moves);
	return true;
}

/* The cells to hold for a buffer: those of both in the output's, if they are one. */
static int held(const struct play *y, int buffer, int rank)
{
	int n = y->length[buffer][rank], in = y->length[PLAN_INPUT][rank];

	if (!y->in_place || buffer != PLAN_OUTPUT)
		return n;
	if (y->p->kind == PLAN_ALLGATHER)
		in *= y->p->ranks;
	if (y->p->kind == PLAN_REDUCESCATTER)
		n *= y->p->ranks;
	return in > n ? in : n;
}

/* One buffer for both where they are one: as long as the longer, which is the output's here. */
static void start_cells(struct play *y)
{
	for (int k = 0; k < PLAN_BUFFERS; k++) {
		y->cells[k] = new_array(struct play_cell *, (size_t)y->p->ranks);
		y->length[k] = new_array(int, (size_t)y->p->ranks);
		y->held[k] = new_array(int, (size_t)y->p->ranks);
		for (int r = 0; r < y->p->ranks; r++)
			y->length[k][r] = y->p->of[r].chunks[k] * y->p->cut;
	}
	for (int r = 0; y->in_place && r < y->p->ranks; r++) {
		int *in = &y->length[PLAN_INPUT][r], *out = &y->length[PLAN_OUTPUT][r], ranks = y->p->ranks;
		bool gathers = y->p->kind == PLAN_ALLGATHER, scatters = y->p->kind == PLAN_REDUCESCATTER;
		if (!*in)
			*in = gathers ? *out / ranks : scatters ? *out * ranks : *out;
		if (!*out)
			*out = gathers ? *in * ranks : scatters ? *in / ranks : *in;
	}
	for (int k = 0; k < PLAN_BUFFERS; k++)
		for (int r = 0; r < y->p->ranks; r++) {
			int n = held(y, k, r);
			y->held[k][r] = n;
			y->cells[k][r] = new_array(struct play_cell, (size_t)n + 1);
			uint64_t *parts = new_array(uint64_t, ((size_t)n + 1) * y->words);
			for (int i = 0; i <= n; i++)
				y->cells[k][r][i] = (struct play_cell){.value = -1, .parts = parts + (size_t)i * y->words, .clock = -1};
		}
}

static void free_cells(struct play *y)
{
	for (int k = 0; k < PLAN_BUFFERS; k++) {
		for (int r = 0; r < y->p->ranks; r++) {
			for (int i = 0; i <= y->held[k][r]; i++)
				free(y->cells[k][r][i].reads);
			free(y->cells[k][r][0].parts);
			free(y->cells[k][r]);
		}
		free(y->cells[k]);
		free(y->held[k]);
		free(y->length[k]);
	}
}

static void start_blocks(struct play *y)
{
	y->first_block = new_array(int, (size_t)y->p->ranks + 1);
	for (int r = 0; r < y->p->ranks; r++)
		y->first_block[r + 1] = y->first_block[r] + (int)y->p->of[r].n;
	y->blocks = y->first_block[y->p->ranks];
	y->of = new_array(struct play_block, (size_t)y->blocks);
	for (int r = 0; r < y->p->ranks; r++)
		for (int b = y->first_block[r]; b < y->first_block[r + 1]; b++) {
			y->of[b] = (struct play_block){.rank = r, .in_rank = b - y->first_block[r], .last_sync = 1,
						       .known = new_array(int, (size_t)y->blocks), .pending = new_array(int, (size_t)y->blocks)};
			y->of[b].after = new_array(int *, y->p->of[r].blocks[b - y->first_block[r]].n);
			for (int own = y->first_block[r]; own < y->first_block[r + 1]; own++)
				y->of[b].known[own] = 1;
		}
}

static void free_queue(struct play_queue *q)
{
	while (q->n) {
		struct play_message m = queue_pop(q);
		free(m.clock);
		free(m.values);
		free(m.levels);
		free(m.parts);
	}
	free(q->of);
}

static void free_play(struct play *y)
{
	for (int b = 0; b < y->blocks; b++) {
		for (size_t i = 0; i < y->p->of[y->of[b].rank].blocks[y->of[b].in_rank].n; i++)
			free(y->of[b].after[i]);
		free(y->of[b].after);
		free(y->of[b].known);
		free(y->of[b].pending);
	}
	for (size_t i = 0; i < y->p->n_semaphores; i++)
		free_queue(&y->semaphores[i]);
	for (size_t i = 0; i < y->p->n_fifos; i++)
		free_queue(&y->fifos[i]);
	for (size_t i = 0; i < y->n_pool; i++)
		free(y->pool[i]);
	free(y->pool);
	free(y->semaphores);
	free(y->fifos);
	free(y->of);
	free(y->first_block);
	free_cells(y);
}

static bool play(const struct foreign_plan *p, bool in_place, int depth, struct plan_log *log, struct plan_faults *f, struct error *e)
{
	struct play y = {.p = p, .log = log, .in_place = in_place, .depth = depth, .words = ((size_t)p->ranks + 63) / 64, .f = f, .moved = true};

	if (!fits(p, in_place, e))
		return false;
	y.semaphores = new_array(struct play_queue, p->n_semaphores);
	y.fifos = new_array(struct play_queue, p->n_fifos);
	start_blocks(&y);
	start_cells(&y);
	for (size_t i = 0; i < p->n_semaphores; i++)
		for (int k = 0; k < p->semaphores[i]; k++)
			queue_push(&y.semaphores[i], (struct play_message){.clock = new_array(int, (size_t)y.blocks)});
	play_fill(&y);
	int before = f->n;
	while (y.moved) {
		y.moved = false;
		for (int b = 0; b < y.blocks; b++)
			advance(&y, &y.of[b]);
	}
	report_stuck(&y);
	if (f->n == before)
		play_judge(&y);
	free_play(&y);
	return true;
}

bool plan_play(const struct foreign_plan *p, bool in_place, int depth, struct plan_faults *f, struct error *e)
{
	return play(p, in_place, depth, NULL, f, e);
}

bool plan_trace(const struct foreign_plan *p, bool in_place, struct plan_log *log, struct plan_faults *f, struct error *e)
{
	return play(p, in_place, PLAN_DEEP, log, f, e);
}
