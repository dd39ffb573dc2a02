/*
 * A state is any set of sends. It is played: a node keeps its value unless a part of it arrives, or it is said to drop it. A fault is
 * a contribution that a node lacks in the end, or one that arrives twice in a step; each costs about as much as a send. Only states
 * without a fault are patterns. A move changes up to three sends, and only the nodes that the change can reach are played again.
 */

#include "synth/program/pattern_annealing.h"

#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/machine/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A node's result in a step before the last play changed it. */
struct replaced {
	size_t cell; /* step * nodes + node */
	uint64_t value;
	int twice;
};

struct played {
	const struct annealing *a;
	int steps, nodes, edges, words; /* words: of a step's bits */
	uint64_t *on;       /* [step * words + edge / 64]: a bit for each edge */
	uint64_t *from;     /* [step * nodes + node]: the nodes that send to it, as bits */
	uint64_t *receives; /* [step]: the nodes that any sends to, as bits */
	uint64_t *touched;  /* [step]: the nodes whose incoming sends have changed since it was played, as bits */
	int *sends;         /* [step] */
	uint64_t *value;    /* [(step + 1) * nodes + node]: after the step; 0: in the beginning */
	int *twice;         /* [step * nodes + node]: contributions that arrive twice */
	size_t n_replaced;
	struct replaced *replaced; /* [n_replaced]: by the last play */
	double cost;               /* of the sends */
	int faults;
	int faults_before; /* before the last play */
};

/* What a move changes. */
struct played_move {
	int n, first;   /* the first step */
	size_t cell[3]; /* step * edges + edge */
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

static bool is_on(const struct played *s, int step, int edge)
{
	return s->on[step * s->words + edge / 64] >> edge % 64 & 1;
}

/* Plays what NODE gets in a step. True: its value has changed. */
static bool play_node(struct played *s, int step, int node)
{
	const uint64_t *before = s->value + (size_t)step * (size_t)s->nodes;
	size_t cell = (size_t)step * (size_t)s->nodes + (size_t)node;
	uint64_t arrives = 0, *after = s->value + cell + (size_t)s->nodes, was = *after;
	bool drops = s->a->drops && s->a->drops[step] >> node & 1;
	int twice = 0;

	for (uint64_t from = s->from[cell]; from; from &= from - 1) {
		uint64_t brought = before[__builtin_ctzll(from)];
		if (arrives & brought)
			twice += bits(arrives & brought);
		arrives |= brought;
	}
	uint64_t now = s->from[cell] && (drops || arrives & before[node]) ? arrives : arrives | before[node];
	if (now == was && twice == s->twice[cell])
		return false;
	s->replaced[s->n_replaced++] = (struct replaced){cell, was, s->twice[cell]};
	s->faults += twice - s->twice[cell];
	if (step == s->steps - 1)
		s->faults += bits(was) - bits(now);
	s->twice[cell] = twice;
	*after = now;
	return now != was;
}

/* Plays the steps from FIRST on, before which nothing was touched. */
static void play(struct played *s, int first)
{
	uint64_t changed = 0; /* nodes with another value than before, after the step before */

	s->n_replaced = 0;
	s->faults_before = s->faults;
	for (int step = first; step < s->steps; step++) {
		uint64_t surely = s->touched[step] | changed, next = 0;
		const uint64_t *from = s->from + (size_t)step * (size_t)s->nodes;
		s->touched[step] = 0;
		for (uint64_t left = changed ? surely | s->receives[step] : surely; left; left &= left - 1) {
			int v = __builtin_ctzll(left);
			if ((surely >> v & 1 || from[v] & changed) && play_node(s, step, v))
				next |= UINT64_C(1) << v;
		}
		changed = next;
	}
}

static void set_send(struct played *s, int step, int edge)
{
	size_t cell = (size_t)step * (size_t)s->edges + (size_t)edge;
	const struct edge *over = &s->a->w->edges[edge];
	uint64_t *from = &s->from[(size_t)step * (size_t)s->nodes + (size_t)over->dst], to = UINT64_C(1) << over->dst;

	s->on[step * s->words + edge / 64] ^= UINT64_C(1) << edge % 64;
	bool on = is_on(s, step, edge);
	*from ^= UINT64_C(1) << over->src;
	s->receives[step] = *from ? s->receives[step] | to : s->receives[step] & ~to;
	s->sends[step] += on ? 1 : -1;
	s->cost += on ? s->a->prices[cell] : -s->a->prices[cell];
}

static void flip(struct played *s, struct played_move *c, int step, int edge)
{
	set_send(s, step, edge);
	s->touched[step] |= UINT64_C(1) << s->a->w->edges[edge].dst;
	c->first = c->n && c->first < step ? c->first : step;
	c->cell[c->n++] = (size_t)step * (size_t)s->edges + (size_t)edge;
}

/* Takes back the move that was played last. */
static void take_back(struct played *s, const struct played_move *c)
{
	for (int i = 0; i < c->n; i++)
		set_send(s, (int)(c->cell[i] / (size_t)s->edges), (int)(c->cell[i] % (size_t)s->edges));
	for (size_t i = 0; i < s->n_replaced; i++) {
		s->value[s->replaced[i].cell + (size_t)s->nodes] = s->replaced[i].value;
		s->twice[s->replaced[i].cell] = s->replaced[i].twice;
	}
	s->faults = s->faults_before;
}

/* A send of a step that is drawn; false: none was met in some draws. */
static bool draw_send(const struct played *s, int *step, int *edge)
{
	enum { DRAWS = 50 };

	for (int i = 0; i < DRAWS; i++) {
		*step = below(s, s->steps);
		if (!s->sends[*step])
			continue;
		int passed = below(s, s->sends[*step]), word = 0;
		const uint64_t *on = s->on + *step * s->words;
		for (int here = bits(on[0]); passed >= here; here = bits(on[++word]))
			passed -= here;
		uint64_t left = on[word];
		while (passed-- > 0)
			left &= left - 1;
		*edge = 64 * word + __builtin_ctzll(left);
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

/* In place of a send to V two that lead there by another node. False: nothing was changed. */
static bool lead_around(struct played *s, struct played_move *c, int step, int edge)
{
	const struct network *w = s->a->w;
	int u = w->edges[edge].src, v = w->edges[edge].dst;
	int first = w->out[w->out_begin[u] + below(s, w->out_begin[u + 1] - w->out_begin[u])];
	int second = network_edge(w, w->edges[first].dst, v), early = below(s, s->steps), late = below(s, s->steps);

	if (second < 0)
		return false;
	flip(s, c, step, edge);
	if (!is_on(s, early, first))
		flip(s, c, early, first);
	if (!is_on(s, late, second))
		flip(s, c, late, second);
	return true;
}

/* One send more or less, in another step, over an edge beside, or around. False: nothing was changed. */
static bool move(struct played *s, struct played_move *c)
{
	double kind = unit(s);
	int step, edge;

	if (kind < 0.3) {
		flip(s, c, below(s, s->steps), below(s, s->edges));
		return true;
	}
	if (!draw_send(s, &step, &edge))
		return false;
	if (kind > 0.95)
		return lead_around(s, c, step, edge);
	int to = kind < 0.6 || unit(s) >= 0.6 ? below(s, s->steps) : step, over = kind < 0.6 ? edge : beside(s, edge);
	flip(s, c, step, edge);
	if (!is_on(s, to, over))
		flip(s, c, to, over);
	return true;
}

static struct timed_tree read_pattern(const struct played *s)
{
	struct timed_tree t = {0};

	t.of = new_array(struct timed_edge, (size_t)s->steps * (size_t)s->edges);
	for (int step = 0; step < s->steps; step++)
		for (int e = 0; e < s->edges; e++)
			if (is_on(s, step, e))
				t.of[t.n++] = (struct timed_edge){step, e};
	return t;
}

static void begin(struct played *s, const struct annealing *a, const struct timed_tree *from)
{
	const struct network *w = a->w;
	int edges = (int)w->n_edges;
	size_t steps = (size_t)a->steps, cells = steps * (size_t)w->nodes;

	*s = (struct played){.a = a, .steps = a->steps, .nodes = w->nodes, .edges = edges, .words = (edges + 63) / 64};
	s->on = new_array(uint64_t, steps * (size_t)s->words);
	s->from = new_array(uint64_t, cells);
	s->receives = new_array(uint64_t, steps);
	s->touched = new_array(uint64_t, steps);
	s->sends = new_array(int, steps);
	s->value = new_array(uint64_t, cells + (size_t)w->nodes);
	s->twice = new_array(int, cells);
	s->replaced = new_array(struct replaced, cells);
	for (size_t i = 0; i < cells + (size_t)w->nodes; i++)
		s->value[i] = UINT64_C(1) << i % (size_t)w->nodes;
	s->faults = w->nodes * (w->nodes - 1);
	for (int i = 0; i < from->n; i++)
		if (!is_on(s, from->of[i].step, from->of[i].edge)) {
			struct played_move unused = {0};
			flip(s, &unused, from->of[i].step, from->of[i].edge);
		}
	play(s, 0);
}

static void done(struct played *s)
{
	free(s->on);
	free(s->from);
	free(s->receives);
	free(s->touched);
	free(s->sends);
	free(s->value);
	free(s->twice);
	free(s->replaced);
}

/* Moves once at a temperature; a fault costs FAULT. */
static void try_move(struct played *s, double temperature, double fault)
{
	struct played_move c = {0};
	double before = s->cost;

	if (!move(s, &c))
		return;
	play(s, c.first);
	double worse = s->cost - before + fault * (s->faults - s->faults_before);
	if (worse <= 0 || unit(s) < exp(-worse / temperature))
		return;
	take_back(s, &c);
	s->cost = before;
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

/* The sends in random order, those that cost something first. Returns them; the caller frees them. */
static struct timed_edge *drawn_order(const struct played *s, const struct timed_tree *of)
{
	struct timed_edge *all = new_array(struct timed_edge, (size_t)of->n);
	int n = 0;

	for (int free_ones = 0; free_ones < 2; free_ones++) {
		int first = n;
		for (int i = 0; i < of->n; i++)
			if ((s->a->prices[of->of[i].step * s->edges + of->of[i].edge] <= 0) == free_ones)
				all[n++] = of->of[i];
		for (int i = n - 1; i > first; i--) {
			int k = first + below(s, i - first + 1);
			struct timed_edge swap = all[i];
			all[i] = all[k];
			all[k] = swap;
		}
	}
	return all;
}

/* The nodes that drop their values: where one gets what it has a part of, or gets anything and is said to drop its value. */
static void read_dropped(const struct played *s, uint64_t *dropped)
{
	for (int step = 0; step < s->steps; step++) {
		const uint64_t *before = s->value + (size_t)step * (size_t)s->nodes;
		dropped[step] = 0;
		for (int e = 0; e < s->edges; e++) {
			const struct edge *over = &s->a->w->edges[e];
			bool told = s->a->drops && s->a->drops[step] >> over->dst & 1;
			if (is_on(s, step, e) && (told || before[over->src] & before[over->dst]))
				dropped[step] |= UINT64_C(1) << over->dst;
		}
	}
}

void pattern_dropped(const struct annealing *a, const struct timed_tree *of, uint64_t *dropped)
{
	struct played s;

	begin(&s, a, of);
	read_dropped(&s, dropped);
	done(&s);
}

bool pattern_thin(const struct annealing *a, const struct timed_tree *from, struct timed_tree *out, uint64_t *dropped)
{
	enum { PASSES = 2 }; /* a send that served only another may be left out once the other is */
	struct played s;

	begin(&s, a, from);
	bool ok = s.faults == 0;
	struct timed_edge *order = drawn_order(&s, from);
	for (int i = 0; i < PASSES * from->n && ok; i++) {
		const struct timed_edge *x = &order[i % from->n];
		if (!is_on(&s, x->step, x->edge))
			continue;
		struct played_move left_out = {0};
		flip(&s, &left_out, x->step, x->edge);
		play(&s, x->step);
		if (s.faults)
			take_back(&s, &left_out);
	}
	if (ok) {
		*out = read_pattern(&s);
		read_dropped(&s, dropped);
	}
	free(order);
	done(&s);
	return ok;
}
