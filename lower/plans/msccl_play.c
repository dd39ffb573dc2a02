/*
 * The checker of plans for RCCL, which shares only the representation with the planner. It runs each thread block as
 * far as it gets, with FIFOs that hold a single send: blocks that terminate this way also do so with larger FIFOs and
 * at any relative speed. Surely done before a step are the earlier steps of its block, the steps they and it depend on,
 * and all that was surely done before those. Messages over a FIFO do not count as order between two accesses to the
 * same memory.
 */

#include "lower/plans/msccl.h"

#include "core/schedule/algorithm.h"
#include "core/base/error.h"
#include "core/base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A step of a block of the same GPU. */
struct plan_access {
	int block, step;
};

/* One chunk of a buffer or FIFO: the contributions of a set of ranks to it, and the accesses so far. */
struct buffer_cell {
	int chunk; /* -1: nothing */
	struct plan_access written;
	size_t n, capacity;
	struct plan_access *reads; /* since it was written */
	uint64_t *parts;      /* [words] */
};

struct block_runner {
	size_t next;
	int *before;       /* [block]: how many of its steps are surely done */
	int **before_step; /* [step][block]: `before` after each awaited step that is done; NULL for other steps */
	int sent;          /* number of chunks in the FIFO into which the block sends; 0: it is empty */
	struct buffer_cell fifo[MSCCL_COUNT_MAX];
	struct block_runner *feeder; /* the block that sends into its receiving FIFO; NULL: none */
};

struct gpu_state {
	struct buffer_cell *cells[MSCCL_BUFFERS];
	struct block_runner *blocks;
};

struct plan_play {
	const struct msccl_plan *p;
	const struct algorithm *a;
	bool combining;
	size_t words;
	struct gpu_state *of;
};

/* The current step of a block, for messages and for order. */
struct spot {
	struct plan_play *y;
	int rank;
	size_t block, step;
};

static const struct msccl_step *step_at(const struct spot *at)
{
	return &at->y->p->of[at->rank].blocks[at->block].steps[at->step];
}

static struct block_runner *runner_at(const struct spot *at)
{
	return &at->y->of[at->rank].blocks[at->block];
}

static struct buffer_cell *cell_at(const struct spot *at, struct msccl_place place, int i)
{
	return &at->y->of[at->rank].cells[place.buffer][place.at + i];
}

static struct buffer_cell cell_new(const struct plan_play *y)
{
	return (struct buffer_cell){.chunk = -1, .written = {-1, -1}, .parts = new_array(uint64_t, y->words)};
}

static bool surely_done(const struct spot *at, struct plan_access a)
{
	return a.block < 0 || runner_at(at)->before[a.block] > a.step;
}

static bool read_cell(const struct spot *at, struct buffer_cell *c, struct error *e)
{
	if (c->chunk < 0 || !surely_done(at, c->written))
		return msccl_fault(at->y->p, at->rank, at->block, at->step, e, "reads data that may not have arrived yet");
	c->reads = grown(c->reads, &c->capacity, c->n + 1, sizeof *c->reads);
	c->reads[c->n++] = (struct plan_access){(int)at->block, (int)at->step};
	return true;
}

static bool write_cell(const struct spot *at, struct buffer_cell *c, int chunk, const uint64_t *parts, struct error *e)
{
	bool ordered = surely_done(at, c->written);

	for (size_t i = 0; i < c->n; i++)
		ordered = ordered && (c->reads[i].block == (int)at->block || surely_done(at, c->reads[i]));
	if (!ordered)
		return msccl_fault(at->y->p, at->rank, at->block, at->step, e, "overwrites chunk %d, which may still be needed",
				   c->chunk);
	c->n = 0;
	c->chunk = chunk;
	c->written = (struct plan_access){(int)at->block, (int)at->step};
	memcpy(c->parts, parts, at->y->words * sizeof *parts);
	return true;
}

/* Adds the contributions in C to the received ones. */
static bool add_cell(const struct spot *at, struct buffer_cell *received, const struct buffer_cell *c, struct error *e)
{
	if (!at->y->combining || received->chunk != c->chunk)
		return msccl_fault(at->y->p, at->rank, at->block, at->step, e, "chunk %d is added to chunk %d", received->chunk,
				   c->chunk);
	for (size_t w = 0; w < at->y->words; w++) {
		if (received->parts[w] & c->parts[w])
			return msccl_fault(at->y->p, at->rank, at->block, at->step, e, "a part of chunk %d is added twice",
					   c->chunk);
		received->parts[w] |= c->parts[w];
	}
	return true;
}

static bool do_send(const struct spot *at, struct error *e)
{
	const struct msccl_step *s = step_at(at);
	struct block_runner *r = runner_at(at);

	for (int i = 0; i < s->count; i++) {
		struct buffer_cell *c = cell_at(at, s->from, i);
		if (!read_cell(at, c, e))
			return false;
		r->fifo[i].chunk = c->chunk;
		memcpy(r->fifo[i].parts, c->parts, at->y->words * sizeof *c->parts);
	}
	r->sent = s->count;
	return true;
}

static bool do_receive(const struct spot *at, struct error *e)
{
	const struct msccl_step *s = step_at(at);
	struct block_runner *feeder = runner_at(at)->feeder;

	if (feeder->sent != s->count)
		return msccl_fault(at->y->p, at->rank, at->block, at->step, e, "%d chunks are sent and %d received", feeder->sent,
				   s->count);
	for (int i = 0; i < s->count; i++) {
		struct buffer_cell *c = cell_at(at, s->from, i);
		if (s->kind == MSCCL_ADD && (!read_cell(at, c, e) || !add_cell(at, &feeder->fifo[i], c, e)))
			return false;
		if (!write_cell(at, cell_at(at, s->to, i), feeder->fifo[i].chunk, feeder->fifo[i].parts, e))
			return false;
	}
	feeder->sent = 0;
	return true;
}

static bool do_copy(const struct spot *at, struct error *e)
{
	const struct msccl_step *s = step_at(at);

	for (int i = 0; i < s->count; i++) {
		struct buffer_cell *c = cell_at(at, s->from, i);
		if (!read_cell(at, c, e) || !write_cell(at, cell_at(at, s->to, i), c->chunk, c->parts, e))
			return false;
	}
	return true;
}

static bool can_send(const struct spot *at)
{
	return runner_at(at)->sent == 0;
}

static bool can_receive(const struct spot *at)
{
	return runner_at(at)->feeder && runner_at(at)->feeder->sent > 0;
}

static bool can_copy(const struct spot *at)
{
	return step_at(at)->count > 0;
}

static const struct {
	bool (*can)(const struct spot *at);
	bool (*run)(const struct spot *at, struct error *e);
	const char *waits;
} kinds[MSCCL_KINDS] = {
	[MSCCL_SEND] = {can_send, do_send, "its earlier data to be received"},
	[MSCCL_RECEIVE] = {can_receive, do_receive, "data that is never sent"},
	[MSCCL_ADD] = {can_receive, do_receive, "data that is never sent"},
	[MSCCL_COPY] = {can_copy, do_copy, "nothing"},
};

static bool dependence_done(const struct spot *at)
{
	const struct msccl_step *s = step_at(at);
	return s->on_block < 0 || at->y->of[at->rank].blocks[s->on_block].next > (size_t)s->on_step;
}

/* All that was surely done after the step that this one depends on is done before this one. */
static void inherit_order(const struct spot *at)
{
	const struct msccl_step *s = step_at(at);
	struct block_runner *r = runner_at(at);

	if (s->on_block < 0)
		return;
	const int *before = at->y->of[at->rank].blocks[s->on_block].before_step[s->on_step];
	for (size_t b = 0; b < at->y->p->of[at->rank].n; b++)
		if (before[b] > r->before[b])
			r->before[b] = before[b];
}

static void finish(const struct spot *at)
{
	struct block_runner *r = runner_at(at);

	r->next++;
	r->before[at->block] = (int)r->next;
	if (step_at(at)->awaited)
		r->before_step[at->step] = copy_bytes(r->before, at->y->p->of[at->rank].n * sizeof *r->before);
}

/* Runs the block until it has to wait or ends. */
static bool advance(struct plan_play *y, int rank, size_t block, bool *moved, struct error *e)
{
	struct spot at = {y, rank, block, 0};
	struct block_runner *r = runner_at(&at);

	while (r->next < y->p->of[rank].blocks[block].n) {
		at.step = r->next;
		if (!dependence_done(&at) || !kinds[step_at(&at)->kind].can(&at))
			return true;
		inherit_order(&at);
		if (!kinds[step_at(&at)->kind].run(&at, e))
			return false;
		finish(&at);
		*moved = true;
	}
	return true;
}

static bool all_ended(struct plan_play *y, struct error *e)
{
	for (int r = 0; r < y->p->ranks; r++)
		for (size_t b = 0; b < y->p->of[r].n; b++) {
			struct spot at = {y, r, b, y->of[r].blocks[b].next};
			if (at.step < y->p->of[r].blocks[b].n)
				return msccl_fault(y->p, r, b, at.step, e, "waits forever for %s",
						   dependence_done(&at) ? kinds[step_at(&at)->kind].waits : "its dependency");
			if (y->of[r].blocks[b].sent)
				return msccl_fault(y->p, r, b, at.step, e, "the data that it sent last is never received");
		}
	return true;
}

static bool whole(const struct plan_play *y, const struct buffer_cell *c, int chunk)
{
	if (c->chunk != chunk)
		return false;
	for (int r = 0; y->combining && r < y->p->ranks; r++)
		if ((c->parts[r / 64] >> r % 64 & 1) != collective_pre(&y->a->collective, y->p->ranks, chunk, r))
			return false;
	return true;
}

static bool outputs_whole(const struct plan_play *y, struct error *e)
{
	struct chunk_place place;

	for (int r = 0; r < y->p->ranks; r++)
		for (int c = 0; c < y->a->global_chunks; c++) {
			if (!collective_output(&y->a->collective, y->p->ranks, y->a->chunks, c, r, &place))
				continue;
			int at = place.block * place.parts + place.part;
			if (at >= y->p->of[r].chunks[MSCCL_OUTPUT] || !whole(y, &y->of[r].cells[MSCCL_OUTPUT][at], c))
				return error_set(e, ERROR_SYSTEM, y->a->name, "rank %d ends without the whole of chunk %d", r, c);
		}
	return true;
}

/* The block that sends what B receives; NULL: none. */
static struct block_runner *feeder_of(const struct plan_play *y, int rank, const struct msccl_block *b)
{
	const struct msccl_gpu *g = b->receive < 0 ? NULL : &y->p->of[b->receive];

	for (size_t i = 0; g && i < g->n; i++)
		if (g->blocks[i].send == rank && g->blocks[i].channel == b->channel)
			return &y->of[b->receive].blocks[i];
	return NULL;
}

static void start_gpu(struct plan_play *y, int rank)
{
	const struct msccl_gpu *g = &y->p->of[rank];
	struct gpu_state *state = &y->of[rank];

	for (int k = 0; k < MSCCL_BUFFERS; k++) {
		state->cells[k] = new_array(struct buffer_cell, (size_t)g->chunks[k]);
		for (int i = 0; i < g->chunks[k]; i++)
			state->cells[k][i] = cell_new(y);
	}
	state->blocks = new_array(struct block_runner, g->n);
	for (size_t b = 0; b < g->n; b++) {
		state->blocks[b].before = new_array(int, g->n);
		state->blocks[b].before_step = new_array(int *, g->blocks[b].n);
		for (int i = 0; g->blocks[b].send >= 0 && i < MSCCL_COUNT_MAX; i++)
			state->blocks[b].fifo[i] = cell_new(y);
	}
}

static bool start(struct plan_play *y, struct error *e)
{
	struct chunk_place place;

	for (int r = 0; r < y->p->ranks; r++)
		for (size_t b = 0; b < y->p->of[r].n; b++)
			y->of[r].blocks[b].feeder = feeder_of(y, r, &y->p->of[r].blocks[b]);
	for (int r = 0; r < y->p->ranks; r++)
		for (int c = 0; c < y->a->global_chunks; c++) {
			if (!collective_input(&y->a->collective, y->p->ranks, y->a->chunks, c, r, &place))
				continue;
			int at = place.block * place.parts + place.part;
			if (at >= y->p->of[r].chunks[MSCCL_INPUT])
				return error_set(e, ERROR_SYSTEM, y->a->name, "the input of rank %d has no place for chunk %d", r, c);
			struct buffer_cell *cell = &y->of[r].cells[MSCCL_INPUT][at];
			cell->chunk = c;
			if (y->combining)
				cell->parts[r / 64] |= (uint64_t)1 << r % 64;
		}
	return true;
}

static void free_cells(struct buffer_cell *cells, int n)
{
	for (int i = 0; i < n; i++) {
		free(cells[i].reads);
		free(cells[i].parts);
	}
}

static void free_gpu(const struct plan_play *y, int rank)
{
	const struct msccl_gpu *g = &y->p->of[rank];
	struct gpu_state *state = &y->of[rank];

	for (int k = 0; k < MSCCL_BUFFERS; k++) {
		free_cells(state->cells[k], g->chunks[k]);
		free(state->cells[k]);
	}
	for (size_t b = 0; b < g->n; b++) {
		for (size_t i = 0; i < g->blocks[b].n; i++)
			free(state->blocks[b].before_step[i]);
		free(state->blocks[b].before_step);
		free(state->blocks[b].before);
		free_cells(state->blocks[b].fifo, MSCCL_COUNT_MAX);
	}
	free(state->blocks);
}

bool msccl_play(const struct msccl_plan *p, struct error *e)
{
	struct plan_play y = {.p = p, .a = p->algorithm, .combining = collective_row(&p->algorithm->collective)->combining,
			 .of = new_array(struct gpu_state, (size_t)p->ranks)};
	bool moved = true;

	y.words = y.combining ? ((size_t)p->ranks + 63) / 64 : 0;
	for (int r = 0; r < p->ranks; r++)
		start_gpu(&y, r);
	bool good = start(&y, e);
	while (good && moved) {
		moved = false;
		for (int r = 0; good && r < p->ranks; r++)
			for (size_t b = 0; good && b < p->of[r].n; b++)
				good = advance(&y, r, b, &moved, e);
	}
	good = good && all_ended(&y, e) && outputs_whole(&y, e);
	for (int r = 0; r < p->ranks; r++)
		free_gpu(&y, r);
	free(y.of);
	return good;
}
