/*
 * Decides when things happen. The moves of a rank keep their order. Before the first move of a step, a rank waits for all
 * signals that the moves of the step need, and never for one twice: the threads of a device wait for all at the same time.
 * Each connection carries one signal per step; after the last move of the step a rank gives all signals together, so that
 * one barrier and one fence serve all. A writer waits for an offer of the peer's buffers (takes the credit) before its first write, unless it
 * has already received a signal from that peer in this call; a rank makes the offers that its writers wait for on
 * entry. A rank copies its own input to its output just before it would first wait for data. No order is lost by waiting
 * for a whole step: its moves read what arrived in earlier steps.
 */

#include "lower/program/build.h"
#include "lower/program/totals.h"

#include "core/schedule/algorithm.h"
#include "core/base/memory.h"

#include <stdlib.h>

/* Which rank writes to which, and in which steps: the k-th of these steps ends with signal k. */
struct connection {
	int from, to;
	size_t n_steps, capacity;
	int *steps;
	int waited;   /* the largest k that `to` has waited for */
	int needed;   /* the largest k that `to` has needed so far */
	bool heard;   /* `from` knows that `to` has entered this call */
	bool credits; /* it knows from an offer */
	size_t writes; /* remaining in the current step */
};

struct schedule {
	struct program *p;
	size_t n_connections, capacity;
	struct connection *connections; /* sorted by (from, to) */
};

static int connection_order(const void *va, const void *vb)
{
	const struct connection *a = va, *b = vb;
	return a->from != b->from ? a->from - b->from : a->to - b->to;
}

static struct connection *find(const struct schedule *s, int from, int to)
{
	struct connection key = {.from = from, .to = to};
	return bsearch(&key, s->connections, s->n_connections, sizeof *s->connections, connection_order);
}

static void add_step(struct connection *c, int step)
{
	if (c->n_steps && c->steps[c->n_steps - 1] == step)
		return;
	c->steps = grown(c->steps, &c->capacity, c->n_steps + 1, sizeof *c->steps);
	c->steps[c->n_steps++] = step;
}

static void collect_connections(struct schedule *s, const struct moves *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		for (size_t t = 0; t < m->of[i].n_targets; t++) {
			int to = m->of[i].targets[t].rank;
			if (to == m->of[i].rank)
				continue;
			s->connections = grown(s->connections, &s->capacity, n + 1, sizeof *s->connections);
			s->connections[n++] = (struct connection){.from = m->of[i].rank, .to = to};
		}
	if (n)
		qsort(s->connections, n, sizeof *s->connections, connection_order);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || connection_order(&s->connections[i - 1], &s->connections[i]) != 0)
			s->connections[s->n_connections++] = s->connections[i];
	for (size_t i = 0; i < m->n; i++) /* moves come in ascending order of steps */
		for (size_t t = 0; t < m->of[i].n_targets; t++)
			if (m->of[i].targets[t].rank != m->of[i].rank)
				add_step(find(s, m->of[i].rank, m->of[i].targets[t].rank), m->of[i].step);
}

/* The number of the signal that ends STEP. */
static int signal_number(const struct connection *c, int step)
{
	size_t low = 0, high = c->n_steps;

	while (low < high) {
		size_t middle = (low + high) / 2;
		if (c->steps[middle] < step)
			low = middle + 1;
		else
			high = middle;
	}
	return (int)low + 1;
}

static void add_simple(struct schedule *s, int rank, enum instruction_kind kind, int step, int peer, int k)
{
	program_add(s->p, rank, (struct instruction){.kind = kind, .step = step, .peer = peer, .k = k});
	if (k > s->p->signals)
		s->p->signals = k;
}

/* Once it is known which connections take credits: inserts their offers before all other instructions. */
static void offer_all(struct schedule *s)
{
	for (size_t i = s->n_connections; i-- > 0;) {
		const struct connection *c = &s->connections[i];
		if (c->credits)
			program_insert(s->p, c->to, 0, (struct instruction){.kind = INSTRUCTION_OFFER, .peer = c->from});
	}
}

/* Are all sources the rank's own, so that there is no signal to wait for? */
static bool is_own(const struct move *m)
{
	for (size_t i = 0; i < m->n_sources; i++)
		if (m->sources[i].from >= 0)
			return false;
	return true;
}

static void wait_for(struct schedule *s, int rank, int from, int k, int step)
{
	struct connection *c = find(s, from, rank);

	if (k <= c->waited)
		return;
	add_simple(s, rank, INSTRUCTION_WAIT, step, from, k);
	c->waited = k;
}

/* Adds the move itself; the program takes ownership of its targets. */
static void add_move(struct schedule *s, struct move *m, int step)
{
	struct instruction i = {.kind = INSTRUCTION_MOVE, .step = step, .chunk = m->chunk, .n_sources = m->n_sources,
				.n_targets = m->n_targets, .targets = m->targets};

	i.sources = new_array(struct place, m->n_sources);
	for (size_t k = 0; k < m->n_sources; k++)
		i.sources[k] = m->sources[k].at;
	m->targets = NULL;
	program_add(s->p, m->rank, i);
}

static void take_credits(struct schedule *s, const struct move *m)
{
	for (size_t i = 0; i < m->n_targets; i++) {
		if (m->targets[i].rank == m->rank)
			continue;
		struct connection *c = find(s, m->rank, m->targets[i].rank);
		const struct connection *back = find(s, m->targets[i].rank, m->rank);
		if (!c->heard && !(back && back->waited)) {
			add_simple(s, m->rank, INSTRUCTION_CREDIT, m->step, c->to, 0);
			c->credits = true;
		}
		c->heard = true;
	}
}

/* Of several signals of one peer that the step's moves need, the last says what the others do. */
static void wait_for_sources(struct schedule *s, struct move **moves, size_t n)
{
	for (int wait = 0; wait <= 1; wait++)
		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; k < moves[i]->n_sources; k++) {
				const struct value *v = &moves[i]->sources[k];
				struct connection *c = v->from >= 0 ? find(s, v->from, moves[i]->rank) : NULL;
				int number = c ? signal_number(c, v->step) : 0;
				if (c && !wait && number > c->needed)
					c->needed = number;
				if (c && wait)
					wait_for(s, moves[i]->rank, v->from, c->needed, moves[i]->step);
			}
}

static void count_writes(struct schedule *s, struct move **moves, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t t = 0; t < moves[i]->n_targets; t++)
			if (moves[i]->targets[t].rank != moves[i]->rank)
				find(s, moves[i]->rank, moves[i]->targets[t].rank)->writes++;
}

static void signal_written(struct schedule *s, int rank, int step, const struct place *targets, size_t n)
{
	for (size_t t = 0; t < n; t++) {
		if (targets[t].rank == rank)
			continue;
		struct connection *c = find(s, rank, targets[t].rank);
		if (--c->writes == 0)
			add_simple(s, rank, INSTRUCTION_SIGNAL, step, c->to, signal_number(c, step));
	}
}

/* The moves that copy the rank's own input to its own output; n becomes 0 once they are done. */
struct own {
	struct move **moves;
	size_t n;
};

static void copy_own(struct schedule *s, struct own *own, int step)
{
	for (size_t i = 0; i < own->n; i++)
		add_move(s, own->moves[i], step);
	own->n = 0;
}

static void schedule_step(struct schedule *s, struct move **moves, size_t n, struct own *own)
{
	const struct place **targets = new_array(const struct place *, n);

	count_writes(s, moves, n);
	for (size_t i = 0; i < n; i++)
		if (!is_own(moves[i]))
			copy_own(s, own, moves[i]->step);
	wait_for_sources(s, moves, n);
	for (size_t i = 0; i < n; i++)
		take_credits(s, moves[i]);
	for (size_t i = 0; i < n; i++) {
		targets[i] = moves[i]->targets;
		add_move(s, moves[i], moves[i]->step);
	}
	for (size_t i = 0; i < n; i++)
		signal_written(s, moves[i]->rank, moves[i]->step, targets[i], moves[i]->n_targets);
	free(targets);
}

/* Waits also for signals whose data no move reads, so that no rank writes into the memory of a rank that has left the
 * call. */
static void wait_for_all(struct schedule *s, int rank, int step)
{
	for (size_t i = 0; i < s->n_connections; i++)
		if (s->connections[i].to == rank)
			wait_for(s, rank, s->connections[i].from, (int)s->connections[i].n_steps, step);
}

/* Schedules the N moves of a rank in their order, and the copies of its own input. */
static void schedule_rank(struct schedule *s, int rank, struct move **moves, size_t n, struct own own)
{
	int steps = (int)s->p->algorithm->n_steps;

	for (size_t i = 0, end = 0; i < n; i = end) {
		while (end < n && moves[end]->step == moves[i]->step && moves[end]->last == moves[i]->last)
			end++;
		schedule_step(s, moves + i, end - i, &own);
	}
	copy_own(s, &own, n ? moves[n - 1]->step : 0);
	wait_for_all(s, rank, steps);
}

/* Sorts the moves by rank, and within a rank puts the copies of its own input last; otherwise keeps their order. */
static int rank_order(const void *va, const void *vb)
{
	const struct move *const *a = va, *const *b = vb;
	bool own_a = (*a)->last && is_own(*a), own_b = (*b)->last && is_own(*b);

	if ((*a)->rank != (*b)->rank)
		return (*a)->rank - (*b)->rank;
	if (own_a != own_b)
		return own_a - own_b;
	return (*a > *b) - (*a < *b);
}

/* Adds the moves to the program, which takes over their targets, with the offers, credits, waits and signals. */
static void schedule(struct program *p, struct moves *m)
{
	struct schedule s = {.p = p};
	struct move **moves = new_array(struct move *, m->n);
	size_t begin = 0;

	collect_connections(&s, m);
	for (size_t i = 0; i < m->n; i++)
		moves[i] = &m->of[i];
	qsort(moves, m->n, sizeof *moves, rank_order);
	for (int r = 0; r < p->ranks; r++) {
		size_t n = 0, own = 0;
		while (begin + n < m->n && moves[begin + n]->rank == r && !(moves[begin + n]->last && is_own(moves[begin + n])))
			n++;
		while (begin + n + own < m->n && moves[begin + n + own]->rank == r)
			own++;
		schedule_rank(&s, r, moves + begin, n, (struct own){moves + begin + n, own});
		begin += n + own;
	}
	offer_all(&s);
	for (size_t i = 0; i < s.n_connections; i++)
		free(s.connections[i].steps);
	free(s.connections);
	free(moves);
}

struct program *program_build(const struct algorithm *a, struct error *e)
{
	struct program *p = program_new(a);
	struct pushes pushes = pushes_live(a);
	struct moves moves = {0};
	bool built = moves_build(p, &pushes, &moves, e);

	if (built)
		schedule(p, &moves);
	moves_free(&moves);
	free(pushes.of);
	if (built) {
		program_mark_totals(p);
		return p;
	}
	program_free(p);
	return NULL;
}
