/*
 * A state is any set of sends. It is played: a node keeps its value unless a part of it arrives. A fault is a contribution that
 * a node lacks in the end, or one that arrives twice in a step; each costs about as much as a send. Only states without a fault
 * are patterns. A move changes one send or two, so that only the steps from there on are played anew.
 */

#include "synth/program/pattern_annealing.h"

#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/machine/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct played {
	const struct annealing *a;
	int steps, nodes, edges;
	bool *on;        /* [step * edges + edge] */
	uint64_t *value; /* [(step + 1) * nodes + node]: after the step; 0: in the beginning */
	int *twice;      /* [step]: contributions that arrive twice */
	double cost;     /* of the sends */
	int faults;
};

/* What a move changes. */
struct played_move {
	int n, first;   /* the first step */
	size_t cell[2]; /* step * edges + edge */
};

static uint64_t draw(const struct played *s)
{
	uint64_t x = *s->a->random;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return *s->a->random = x;
}

static int below(const struct played *s, int n)
{
	return (int)((draw(s) >> 33) % (uint64_t)n);
}

static double unit(const struct played *s)
{
	return (double)(draw(s) >> 11) / 9007199254740992.0;
}

static int bits(uint64_t x)
{
	return __builtin_popcountll(x);
}

static void play_step(struct played *s, int step)
{
	const struct network *w = s->a->w;
	const bool *on = s->on + (size_t)step * (size_t)s->edges;
	const uint64_t *before = s->value + (size_t)step * (size_t)s->nodes;
	uint64_t *after = s->value + (size_t)(step + 1) * (size_t)s->nodes;

	s->twice[step] = 0;
	for (int v = 0; v < s->nodes; v++) {
		uint64_t arrives = 0;
		for (int i = w->in_begin[v]; i < w->in_begin[v + 1]; i++)
			if (on[w->in[i]]) {
				uint64_t brought = before[w->edges[w->in[i]].src];
				s->twice[step] += bits(arrives & brought);
				arrives |= brought;
			}
		after[v] = arrives & before[v] ? arrives : arrives | before[v];
	}
}

/* Plays the steps from FIRST on; the faults of all. */
static int play(struct played *s, int first)
{
	const uint64_t *last = s->value + (size_t)s->steps * (size_t)s->nodes;
	int faults = 0;

	for (int step = first; step < s->steps; step++)
		play_step(s, step);
	for (int step = 0; step < s->steps; step++)
		faults += s->twice[step];
	for (int v = 0; v < s->nodes; v++)
		faults += s->nodes - bits(last[v]);
	return faults;
}

static void flip(struct played *s, struct played_move *c, size_t cell)
{
	int step = (int)(cell / (size_t)s->edges);

	s->on[cell] = !s->on[cell];
	s->cost += s->on[cell] ? s->a->prices[cell] : -s->a->prices[cell];
	c->first = c->n && c->first < step ? c->first : step;
	c->cell[c->n++] = cell;
}

/* A send that is there; false: none was met in some draws. */
static bool draw_send(const struct played *s, size_t *cell)
{
	enum { DRAWS = 60 };

	for (int i = 0; i < DRAWS; i++) {
		*cell = (size_t)below(s, s->steps * s->edges);
		if (s->on[*cell])
			return true;
	}
	return false;
}

/* Another edge into the same node, or out of it. */
static int beside(const struct played *s, int edge)
{
	const struct network *w = s->a->w;
	int u = w->edges[edge].src, v = w->edges[edge].dst;

	if (unit(s) < 0.7)
		return w->in[w->in_begin[v] + below(s, w->in_begin[v + 1] - w->in_begin[v])];
	return w->out[w->out_begin[u] + below(s, w->out_begin[u + 1] - w->out_begin[u])];
}

/* One send more or less, in another step, or over an edge beside. False: nothing was changed. */
static bool move(struct played *s, struct played_move *c)
{
	double kind = unit(s);
	size_t cell, other;

	if (kind < 0.35) {
		flip(s, c, (size_t)below(s, s->steps * s->edges));
		return true;
	}
	if (!draw_send(s, &cell))
		return false;
	int step = (int)(cell / (size_t)s->edges), edge = (int)(cell % (size_t)s->edges);
	if (kind < 0.65)
		other = (size_t)below(s, s->steps) * (size_t)s->edges + (size_t)edge;
	else {
		int to = unit(s) < 0.6 ? step : below(s, s->steps);
		other = (size_t)to * (size_t)s->edges + (size_t)beside(s, edge);
	}
	if (s->on[other])
		return false;
	flip(s, c, cell);
	flip(s, c, other);
	return true;
}

static struct timed_tree read_pattern(const struct played *s)
{
	struct timed_tree t = {0};

	t.of = new_array(struct timed_edge, (size_t)s->steps * (size_t)s->edges);
	for (int step = 0; step < s->steps; step++)
		for (int e = 0; e < s->edges; e++)
			if (s->on[(size_t)step * (size_t)s->edges + (size_t)e])
				t.of[t.n++] = (struct timed_edge){step, e};
	return t;
}

static void begin(struct played *s, const struct annealing *a, const struct timed_tree *from)
{
	const struct network *w = a->w;

	*s = (struct played){.a = a, .steps = a->steps, .nodes = w->nodes, .edges = (int)w->n_edges};
	s->on = new_array(bool, (size_t)s->steps * w->n_edges);
	s->value = new_array(uint64_t, (size_t)(s->steps + 1) * (size_t)s->nodes);
	s->twice = new_array(int, (size_t)s->steps);
	for (int v = 0; v < s->nodes; v++)
		s->value[v] = UINT64_C(1) << v;
	for (int i = 0; i < from->n; i++) {
		size_t cell = (size_t)from->of[i].step * w->n_edges + (size_t)from->of[i].edge;
		s->cost += s->on[cell] ? 0 : a->prices[cell];
		s->on[cell] = true;
	}
	s->faults = play(s, 0);
}

static void done(struct played *s)
{
	free(s->on);
	free(s->value);
	free(s->twice);
}

/* Moves once at a temperature; a fault costs FAULT. */
static void try_move(struct played *s, double temperature, double fault)
{
	struct played_move c = {0};
	double before = s->cost;

	if (!move(s, &c))
		return;
	int faults = play(s, c.first);
	double worse = s->cost - before + fault * (faults - s->faults);
	if (worse <= 0 || unit(s) < exp(-worse / temperature)) {
		s->faults = faults;
		return;
	}
	for (int i = 0; i < c.n; i++)
		s->on[c.cell[i]] = !s->on[c.cell[i]];
	s->cost = before;
	play(s, c.first);
}

static void keep(const struct played *s, struct timed_tree out[ANNEALED_MOST], int *n)
{
	if (*n == ANNEALED_MOST) {
		free(out[0].of);
		memmove(out, out + 1, (ANNEALED_MOST - 1) * sizeof *out);
		--*n;
	}
	out[(*n)++] = read_pattern(s);
}

int pattern_anneal(const struct annealing *a, const struct timed_tree *from, double limit, struct timed_tree out[ANNEALED_MOST])
{
	enum { CHECKED = 4096 }; /* moves between two looks at the clock */
	struct played s;
	int n = 0;

	begin(&s, a, from);
	/* A pattern has some 2 (P - 1) sends. */
	double send = a->least / (2 * (s.nodes > 1 ? s.nodes - 1 : 1)), hot = send * (0.4 + unit(&s)), cold = send / 20;
	double fault = send * (0.6 + 0.8 * unit(&s)), cooling = pow(cold / hot, (double)CHECKED / (double)a->moves);
	for (long i = 0; i < a->moves; i++) {
		if (i % CHECKED == 0 && i && stop_is_due())
			break;
		hot *= i % CHECKED == 0 && i ? cooling : 1;
		try_move(&s, hot, fault);
		if (s.faults == 0 && s.cost < limit * (1 - 1e-9)) {
			limit = s.cost;
			keep(&s, out, &n);
		}
	}
	done(&s);
	return n;
}
