/*
 * Decides where every value is stored and what is moved, by executing the schedule symbolically, step by step. A chunk
 * stays in a rank's input until something replaces it. A complete value that arrives is written to its place in the
 * output if the output has this chunk and the previous content is surely no longer needed, and to a scratch slot
 * otherwise. A partial value always gets a slot of its own and is added only when the sum is first needed, in the order
 * of the lowest contributing rank of each part, so that ranks that add the same parts get the same bits. Vector clocks
 * (vector_clock.h) show which places may be overwritten without additional synchronization.
 */

#include "lower/program/build.h"

#include "lower/program/vector_clock.h"

#include "core/schedule/algorithm.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"

#include <stdlib.h>

/* A chunk at a rank: its value is the sum of `values`, which are sorted by `least`. */
struct value_cell {
	size_t n, capacity;
	struct value *values;
	int touched; /* the last move of the rank that read or wrote the chunk's place in its input or output */
};

struct scratch_slot {
	bool used;
	int read; /* once it is free again: the owner's last move that read it */
};

struct scratch_slots {
	size_t n, capacity;
	struct scratch_slot *of;
};

struct build {
	struct program *p;
	const struct algorithm *a;
	struct vector_clocks *clocks;
	struct moves *moves;
	struct value_cell *cells; /* [chunk * ranks + rank] */
	struct scratch_slots *slots; /* [rank] */
	int *moved;          /* [rank]: its number of moves so far */
};

/* The pushes of one chunk by one rank in one step. They become one move: the chunk is read once and written to all. */
struct group {
	const struct push *pushes;
	size_t n;
	int latest; /* the step in which the last of its sources arrived */
	int turn;   /* least (dst - src) mod P: staggers the ranks, so that they do not all write to one peer at once */
	size_t move;
	int number; /* of the move within its rank, from 1 */
};

static struct value_cell *cell(const struct build *b, int chunk, int rank)
{
	return &b->cells[(size_t)chunk * (size_t)b->p->ranks + (size_t)rank];
}

static bool in_output(const struct build *b, int chunk, int rank)
{
	return collective_post(&b->a->collective, b->p->ranks, chunk, rank);
}

static void cell_add(struct value_cell *c, struct value v)
{
	size_t i = c->n++;

	c->values = grown(c->values, &c->capacity, c->n, sizeof *c->values);
	for (; i > 0 && c->values[i - 1].least > v.least; i--)
		c->values[i] = c->values[i - 1];
	c->values[i] = v;
}

static void start(struct build *b)
{
	for (int c = 0; c < b->a->global_chunks; c++)
		for (int r = 0; r < b->p->ranks; r++)
			if (collective_pre(&b->a->collective, b->p->ranks, c, r))
				cell_add(cell(b, c, r), (struct value){{BUFFER_INPUT, r, 0}, -1, 0, r});
}

/* Move NUMBER of their rank was the last to read these values: frees their scratch slots except KEPT (NULL: none). */
static void release(struct build *b, struct value_cell *c, int number, const struct place *kept)
{
	for (size_t i = 0; i < c->n; i++) {
		struct place at = c->values[i].at;
		if (at.buffer == BUFFER_SCRATCH && !(kept && place_same(at, *kept)))
			b->slots[at.rank].of[at.slot] = (struct scratch_slot){false, number};
	}
	c->n = 0;
}

/* A scratch slot of OWNER that WRITER may write now: a free one whose last read WRITER knows of, or a new one. */
static struct place take_slot(struct build *b, int owner, int writer)
{
	struct scratch_slots *s = &b->slots[owner];
	size_t i = 0;

	while (i < s->n && (s->of[i].used || !vector_clocks_know(b->clocks, writer, owner, s->of[i].read)))
		i++;
	if (i == s->n) {
		s->of = grown(s->of, &s->capacity, s->n + 1, sizeof *s->of);
		s->n++;
	}
	s->of[i].used = true;
	return (struct place){BUFFER_SCRATCH, owner, (int)i};
}

/* The place where the value of a push arrives. */
static struct place take_place(struct build *b, const struct push *push)
{
	if (!push->reduce && in_output(b, push->chunk, push->dst) &&
	    vector_clocks_know(b->clocks, push->src, push->dst, cell(b, push->chunk, push->dst)->touched))
		return (struct place){BUFFER_OUTPUT, push->dst, 0};
	return take_slot(b, push->dst, push->src);
}

/* Adds a move of all values that make up CHUNK at RANK, with capacity for TARGETS targets. */
static struct move *add_move(struct build *b, int rank, int step, int chunk, size_t targets)
{
	struct moves *m = b->moves;
	struct value_cell *c = cell(b, chunk, rank);

	m->of = grown(m->of, &m->capacity, m->n + 1, sizeof *m->of);
	m->of[m->n] = (struct move){.rank = rank, .step = step, .chunk = chunk, .n_sources = c->n,
				    .sources = copy_bytes(c->values, c->n * sizeof *c->values),
				    .targets = new_array(struct place, targets)};
	return &m->of[m->n++];
}

static void add_target(struct move *m, struct place at)
{
	m->targets[m->n_targets++] = at;
}

/* Where to keep a sum that is needed again: in the output, or else in the scratch slot of one of its parts. Only one
 * part can be in the input, so that one of the first two is in scratch. */
static struct place place_to_keep(const struct build *b, const struct move *m)
{
	if (in_output(b, m->chunk, m->rank))
		return (struct place){BUFFER_OUTPUT, m->rank, 0};
	return m->sources[m->sources[0].at.buffer != BUFFER_SCRATCH].at;
}

/* The read half of a group: creates its move. */
static void begin_group(struct build *b, struct group *g)
{
	const struct push *push = &g->pushes[0];
	struct value_cell *c = cell(b, push->chunk, push->src);
	struct move *m = add_move(b, push->src, push->step, push->chunk, g->n + 1);

	g->move = b->moves->n - 1;
	g->number = ++b->moved[push->src];
	if (push->keep && m->n_sources > 1)
		add_target(m, place_to_keep(b, m));
	for (size_t i = 0; i < m->n_sources + m->n_targets; i++)
		if ((i < m->n_sources ? m->sources[i].at : m->targets[0]).buffer != BUFFER_SCRATCH)
			c->touched = g->number;
}

/* The write half: adds the remote targets. at[i] is the value that push i delivers. */
static void end_group(struct build *b, const struct group *g, struct value *at)
{
	struct move *m = &b->moves->of[g->move];

	for (size_t i = 0; i < m->n_sources; i++)
		if (m->sources[i].from >= 0)
			vector_clocks_wait(b->clocks, m->rank, m->sources[i].from, m->sources[i].step);
	vector_clocks_move(b->clocks, m->rank, g->number);
	for (size_t i = 0; i < g->n; i++) {
		at[i] = (struct value){take_place(b, &g->pushes[i]), m->rank, m->step, m->sources[0].least};
		add_target(m, at[i].at);
		vector_clocks_write(b->clocks, m->rank, g->pushes[i].dst, m->step);
	}
}

/* Updates the sender's cell after the send: it holds the value or sum that was kept, or nothing. */
static void settle(struct build *b, const struct group *g)
{
	const struct move *m = &b->moves->of[g->move];
	struct value_cell *c = cell(b, m->chunk, m->rank);
	bool keep = g->pushes[0].keep;

	if (keep && m->n_sources == 1)
		return;
	release(b, c, g->number, keep ? &m->targets[0] : NULL);
	if (keep)
		cell_add(c, (struct value){m->targets[0], -1, m->step, m->sources[0].least});
}

static void arrive(struct build *b, const struct push *push, struct value v)
{
	struct value_cell *c = cell(b, push->chunk, push->dst);

	if (!push->reduce)
		release(b, c, b->moved[push->dst], NULL);
	cell_add(c, v);
}

static int group_order(const void *va, const void *vb)
{
	const struct group *a = va, *b = vb;

	if (a->pushes->src != b->pushes->src)
		return a->pushes->src - b->pushes->src;
	if (a->latest != b->latest)
		return a->latest - b->latest;
	if (a->turn != b->turn)
		return a->turn - b->turn;
	return a->pushes->chunk - b->pushes->chunk;
}

static struct group group_at(const struct build *b, const struct push *pushes, size_t n)
{
	struct group g = {.pushes = pushes, .turn = b->p->ranks};
	const struct value_cell *c = cell(b, pushes->chunk, pushes->src);

	for (; g.n < n && pushes[g.n].src == pushes->src && pushes[g.n].chunk == pushes->chunk; g.n++) {
		int ahead = (pushes[g.n].dst - pushes->src + b->p->ranks) % b->p->ranks;
		if (ahead < g.turn)
			g.turn = ahead;
	}
	for (size_t i = 0; i < c->n; i++)
		if (c->values[i].from >= 0 && c->values[i].step > g.latest)
			g.latest = c->values[i].step;
	return g;
}

/* All reads of a step precede all arrivals in it, and copies arrive before the values that are added to them. Within a
 * step, a rank first forwards what has been available longest. */
static void build_step(struct build *b, const struct push *pushes, size_t n)
{
	struct group *groups = new_array(struct group, n);
	struct value *at = new_array(struct value, n);
	size_t n_groups = 0;

	for (size_t i = 0; i < n; i += groups[n_groups++].n)
		groups[n_groups] = group_at(b, pushes + i, n - i);
	qsort(groups, n_groups, sizeof *groups, group_order);
	for (size_t i = 0; i < n_groups; i++)
		begin_group(b, &groups[i]);
	for (size_t i = 0; i < n_groups; i++)
		end_group(b, &groups[i], at + (groups[i].pushes - pushes));
	for (size_t i = 0; i < n_groups; i++)
		settle(b, &groups[i]);
	for (int reduce = 0; reduce <= 1; reduce++)
		for (size_t i = 0; i < n; i++)
			if (pushes[i].reduce == reduce)
				arrive(b, &pushes[i], at[i]);
	free(at);
	free(groups);
}

static int latest_of(const struct move *m)
{
	int latest = 0;

	for (size_t i = 0; i < m->n_sources; i++)
		if (m->sources[i].from >= 0 && m->sources[i].step > latest)
			latest = m->sources[i].step;
	return latest;
}

static int last_order(const void *va, const void *vb)
{
	const struct move *a = va, *b = vb;

	if (a->rank != b->rank)
		return a->rank - b->rank;
	return latest_of(a) != latest_of(b) ? latest_of(a) - latest_of(b) : a->chunk - b->chunk;
}

/* Adds the moves that complete the outputs, in order of arrival: sums not yet computed, and chunks stored elsewhere. */
static void build_outputs(struct build *b)
{
	struct moves *m = b->moves;
	size_t begin = m->n;

	for (int r = 0; r < b->p->ranks; r++)
		for (int c = 0; c < b->a->global_chunks; c++) {
			const struct value_cell *at = cell(b, c, r);
			if (!in_output(b, c, r) || (at->n == 1 && at->values[0].at.buffer == BUFFER_OUTPUT))
				continue;
			struct move *move = add_move(b, r, (int)b->a->n_steps, c, 1);
			move->last = true;
			add_target(move, (struct place){BUFFER_OUTPUT, r, 0});
		}
	if (m->n > begin)
		qsort(m->of + begin, m->n - begin, sizeof *m->of, last_order);
}

bool moves_build(struct program *p, const struct pushes *pushes, struct moves *out, struct error *e)
{
	const struct algorithm *a = p->algorithm;
	size_t n_cells = (size_t)a->global_chunks * (size_t)p->ranks;
	struct build b = {p, a, vector_clocks_new(p->ranks, pushes, e), out, NULL, NULL, NULL};

	*out = (struct moves){0};
	if (!b.clocks)
		return false;
	b.cells = new_array(struct value_cell, n_cells);
	b.slots = new_array(struct scratch_slots, (size_t)p->ranks);
	b.moved = new_array(int, (size_t)p->ranks);
	start(&b);
	for (size_t i = 0, end = 0; i < pushes->n; i = end) {
		while (end < pushes->n && pushes->of[end].step == pushes->of[i].step)
			end++;
		build_step(&b, pushes->of + i, end - i);
	}
	build_outputs(&b);

	for (int r = 0; r < p->ranks; r++) {
		p->slots[r] = (int)b.slots[r].n;
		free(b.slots[r].of);
	}
	for (size_t i = 0; i < n_cells; i++)
		free(b.cells[i].values);
	free(b.cells);
	free(b.slots);
	free(b.moved);
	vector_clocks_free(b.clocks);
	return true;
}

void moves_free(struct moves *m)
{
	for (size_t i = 0; i < m->n; i++) {
		free(m->of[i].sources);
		free(m->of[i].targets);
	}
	free(m->of);
	*m = (struct moves){0};
}
