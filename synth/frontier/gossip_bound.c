/*
 * A linear program over gossips gives the prices: the least rounds in which a mixture of gossips, each averaged over the
 * automorphisms of the machine and over its reverse, fits. Cheap gossips are found by simulated annealing. Then the prices are
 * rounded to small integers, and a solver is asked for a gossip that pays less than all known ones: either there is none, and that is
 * the bound, or the program gets another column.
 */

#include "synth/frontier/gossip_bound.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/graph/linear_program.h"
#include "core/machine/network.h"
#include "core/symmetry/automorphisms.h"
#include "core/symmetry/machine_orbits.h"
#include "encode/cnf/pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINKS_MOST = 64, STEPS_MOST = 16, UNITS_LEAST = 8, UNITS_MOST = 160, SCALE = 64 };

/* The sends of each step, a bit for each edge. */
struct gossip_sends {
	uint64_t on[STEPS_MOST];
};

struct gossip_program {
	const struct network *w;
	int steps, halves; /* halves: steps of which no other is the mirror image */
	int n_orbits, *orbit;        /* [step * n_edges + edge]: under automorphisms and reversal */
	int *step_of, *capacity;     /* [orbit]: its earlier step; of all its members */
	struct linear *l;            /* columns: rounds of the earlier steps, then gossips. Rows: all of a chunk, then orbits */
	size_t n, room, sends_room;
	struct gossip_sends *sends;  /* [gossip] */
	int *loads;                  /* [gossip * n_orbits + orbit] */
	double least, *dual, *price; /* what a gossip pays at the prices DUAL [orbit]; PRICE [cell] */
	uint64_t random;
};

static size_t cell_of(const struct gossip_program *g, int step, int edge)
{
	return (size_t)step * g->w->n_edges + (size_t)edge;
}

static void find_orbits(struct gossip_program *g)
{
	const struct network *w = g->w;
	int edges = (int)w->n_edges, cells = g->steps * edges;
	size_t n;
	int *generators = automorphisms_generators(w, -1, &n);

	g->orbit = orbits_apart(cells);
	for (int s = 0; s < g->steps; s++)
		for (int e = 0; e < edges; e++) {
			orbits_join(g->orbit, s * edges + e, (g->steps - 1 - s) * edges + network_edge(w, w->edges[e].dst, w->edges[e].src));
			for (const int *to = generators; to < generators + n * (size_t)w->nodes; to += w->nodes)
				orbits_join(g->orbit, s * edges + e, s * edges + network_edge(w, to[w->edges[e].src], to[w->edges[e].dst]));
		}
	g->n_orbits = orbits_number(g->orbit, cells);
	free(generators);
	g->step_of = new_array(int, (size_t)g->n_orbits);
	g->capacity = new_array(int, (size_t)g->n_orbits);
	for (int c = cells; c-- > 0;) {
		g->step_of[g->orbit[c]] = c / edges;
		g->capacity[g->orbit[c]] += w->edges[c % edges].bandwidth;
	}
}

/* How many steps the rounds of HALF stand for. */
static int times(const struct gossip_program *g, int half)
{
	return half == g->steps - 1 - half ? 1 : 2;
}

static void program_new(struct gossip_program *g, const struct network *w, int steps)
{
	*g = (struct gossip_program){.w = w, .steps = steps, .halves = (steps + 1) / 2, .l = linear_new(), .random = 88172645463325252U};
	find_orbits(g);
	g->dual = new_array(double, (size_t)g->n_orbits);
	g->price = new_array(double, (size_t)steps * w->n_edges);
	int *rows = new_array(int, (size_t)g->n_orbits);
	double *values = new_array(double, (size_t)g->n_orbits);
	linear_row(g->l, SCALE, linear_infinity, 0, NULL, NULL);
	for (int o = 0; o < g->n_orbits; o++)
		linear_row(g->l, -linear_infinity, 0, 0, NULL, NULL);
	for (int h = 0; h < g->halves; h++) {
		int n = 0;
		for (int o = 0; o < g->n_orbits; o++)
			if (g->step_of[o] == h) {
				rows[n] = 1 + o;
				values[n++] = -g->capacity[o];
			}
		linear_column(g->l, times(g, h), 0, linear_infinity, n, rows, values);
	}
	free(rows);
	free(values);
}

static void program_free(struct gossip_program *g)
{
	linear_free(g->l);
	free(g->orbit);
	free(g->step_of);
	free(g->capacity);
	free(g->loads);
	free(g->sends);
	free(g->dual);
	free(g->price);
}

static void add_gossip(struct gossip_program *g, const struct gossip_sends *x)
{
	size_t orbits = (size_t)g->n_orbits;
	int *rows = new_array(int, orbits + 1), n = 1;
	double *values = new_array(double, orbits + 1);

	g->loads = grown(g->loads, &g->room, (g->n + 1) * orbits, sizeof *g->loads);
	g->sends = grown(g->sends, &g->sends_room, g->n + 1, sizeof *g->sends);
	g->sends[g->n] = *x;
	int *load = memset(g->loads + g->n++ * orbits, 0, orbits * sizeof *g->loads);
	for (int s = 0; s < g->steps; s++)
		for (size_t e = 0; e < g->w->n_edges; e++)
			load[g->orbit[cell_of(g, s, (int)e)]] += (int)(x->on[s] >> e & 1);
	values[0] = 1;
	for (int o = 0; o < g->n_orbits; o++)
		if (load[o]) {
			rows[n] = 1 + o;
			values[n++] = load[o];
		}
	linear_column(g->l, 0, 0, linear_infinity, n, rows, values);
	free(rows);
	free(values);
}

static bool solve_program(struct gossip_program *g)
{
	if (!linear_solve_wider_in_time(g->l))
		return false;
	g->least = linear_dual(g->l, 0);
	for (int o = 0; o < g->n_orbits; o++)
		g->dual[o] = fmax(0, -linear_dual(g->l, 1 + o));
	return true;
}

static double cost_of(const struct gossip_program *g, const struct gossip_sends *x, const double *price)
{
	double sum = 0;

	for (int s = 0; s < g->steps; s++)
		for (uint64_t left = x->on[s]; left; left &= left - 1)
			sum += price[cell_of(g, s, __builtin_ctzll(left))];
	return sum;
}

struct played_gossip {
	struct gossip_sends x;
	uint64_t at[STEPS_MOST + 1][LINKS_MOST]; /* [step][node]: the contributions that are there before it */
	double cost;
	int missing;
};

static int below(struct gossip_program *g, int n)
{
	g->random ^= g->random << 13;
	g->random ^= g->random >> 7;
	g->random ^= g->random << 17;
	return (int)((g->random >> 33) % (uint64_t)n);
}

static double unit(struct gossip_program *g)
{
	return below(g, 1 << 30) / (double)(1 << 30);
}

/* Plays the steps from FIRST on, and returns how many contributions are missing in the end. */
static int play(const struct gossip_program *g, struct played_gossip *y, int first)
{
	size_t nodes = (size_t)g->w->nodes;
	int missing = 0;

	for (int s = first; s < g->steps; s++) {
		memcpy(y->at[s + 1], y->at[s], nodes * sizeof **y->at);
		for (uint64_t left = y->x.on[s]; left; left &= left - 1) {
			const struct edge *e = &g->w->edges[__builtin_ctzll(left)];
			y->at[s + 1][e->dst] |= y->at[s][e->src];
		}
	}
	for (size_t v = 0; v < nodes; v++)
		missing += (int)nodes - __builtin_popcountll(y->at[g->steps][v]);
	return missing;
}

static void begin(const struct gossip_program *g, const struct gossip_sends *from, struct played_gossip *y)
{
	*y = (struct played_gossip){.x = *from};
	for (int v = 0; v < g->w->nodes; v++)
		y->at[0][v] = UINT64_C(1) << v;
	y->missing = play(g, y, 0);
}

/* One send more or less; or, half of the time, one in another step, or over another edge of the same node. */
static int flip(struct gossip_program *g, struct gossip_sends *x)
{
	enum { DRAWS = 20 };
	const struct network *w = g->w;
	int s = below(g, g->steps), e = below(g, (int)w->n_edges), to = s, over = e;

	for (int draws = 0; draws < DRAWS && !(x->on[s] >> e & 1); draws++) {
		s = below(g, g->steps);
		e = below(g, (int)w->n_edges);
	}
	x->on[s] ^= UINT64_C(1) << e;
	if (unit(g) < 0.35)
		return s;
	if (unit(g) < 0.5)
		to = below(g, g->steps);
	else {
		int u = w->edges[e].src, v = w->edges[e].dst;
		to = unit(g) < 0.6 ? s : below(g, g->steps);
		over = unit(g) < 0.7 ? w->in[w->in_begin[v] + below(g, w->in_begin[v + 1] - w->in_begin[v])]
				     : w->out[w->out_begin[u] + below(g, w->out_begin[u + 1] - w->out_begin[u])];
	}
	x->on[to] ^= UINT64_C(1) << over;
	return to < s ? to : s;
}

/* Anneals FROM at g->price; *OUT is the cheapest gossip met. False: none was. */
static bool anneal(struct gossip_program *g, const struct gossip_sends *from, long moves, struct gossip_sends *out)
{
	enum { CHECKED = 4096 };
	struct played_gossip now, next;
	int sends = 0;
	double best = INFINITY;

	begin(g, from, &now);
	now.cost = cost_of(g, &now.x, g->price);
	for (int s = 0; s < g->steps; s++)
		sends += __builtin_popcountll(from->on[s]);
	double send = now.cost / fmax(1, sends), hot = send * (0.4 + unit(g)), cold = send / 20, missing = send * (0.6 + 0.8 * unit(g));
	double cooling = pow(cold / hot, (double)CHECKED / (double)moves);
	for (long i = 1; i <= moves && !(i % CHECKED == 0 && stop_is_due()); i++) {
		hot *= i % CHECKED == 0 ? cooling : 1;
		next.x = now.x;
		int first = flip(g, &next.x);
		memcpy(next.at[first], now.at[first], sizeof *now.at);
		next.missing = play(g, &next, first);
		next.cost = cost_of(g, &next.x, g->price);
		double worse = next.cost - now.cost + missing * (next.missing - now.missing);
		if (worse > 0 && unit(g) >= exp(-worse / hot))
			continue;
		now.x = next.x;
		memcpy(now.at[first + 1], next.at[first + 1], (size_t)(g->steps - first) * sizeof *now.at);
		now.missing = next.missing;
		now.cost = next.cost;
		if (!now.missing && now.cost < best) {
			best = now.cost;
			*out = now.x;
		}
	}
	return best < INFINITY;
}

static void start(struct gossip_program *g)
{
	enum { FIRST = 6, MOVES = 300000 };
	struct gossip_sends all = {0}, found;

	for (int s = 0; s < g->steps; s++)
		all.on[s] = UINT64_MAX >> (LINKS_MOST - g->w->n_edges);
	for (int i = 0; i < FIRST; i++) {
		for (int s = 0; s < g->steps; s++)
			for (size_t e = 0; e < g->w->n_edges; e++)
				g->price[cell_of(g, s, (int)e)] = 0.1 + 1.0 / g->w->edges[e].bandwidth;
		if (anneal(g, &all, MOVES, &found))
			add_gossip(g, &found);
	}
	add_gossip(g, &all);
}

/* A gossip that is used, drawn at random. */
static struct gossip_sends draw_used(struct gossip_program *g)
{
	for (int first = below(g, (int)g->n), i = 0; i < (int)g->n; i++)
		if (linear_value(g->l, g->halves + (first + i) % (int)g->n) > 1e-7)
			return g->sends[(first + i) % (int)g->n];
	return g->sends[0];
}

/* Gossips that improve the program, until none is found in some attempts. */
static void generate(struct gossip_program *g)
{
	enum { ATTEMPTS = 40, MOVES = 100000 };
	/* The part of a price that all sends share: else gossips are full of free sends that nothing needs. */
	static const double shares[] = {0.02, 0.1, 0.3};
	double all = 0;

	for (size_t e = 0; e < g->w->n_edges; e++)
		all += g->w->edges[e].bandwidth;
	for (int failed = 0; failed < ATTEMPTS && !stop_is_due();) {
		double share = shares[failed % 3], cost = 0;
		for (int s = 0; s < g->steps; s++)
			for (size_t e = 0; e < g->w->n_edges; e++) {
				size_t c = cell_of(g, s, (int)e);
				g->price[c] = (1 - share) * g->dual[g->orbit[c]] + share / all;
			}
		struct gossip_sends from = draw_used(g), found;
		if (!anneal(g, &from, MOVES, &found)) {
			failed++;
			continue;
		}
		for (int s = 0; s < g->steps; s++)
			for (uint64_t left = found.on[s]; left; left &= left - 1)
				cost += g->dual[g->orbit[cell_of(g, s, __builtin_ctzll(left))]];
		if (cost >= g->least * (1 - 1e-7)) {
			failed++;
			continue;
		}
		failed = 0;
		add_gossip(g, &found);
		if (!solve_program(g))
			return;
	}
}

/* Prices [orbit], what known gossips pay at least, and the most that a round pays in some step. */
struct rounded_prices {
	int *of;
	int pay;
	struct rational round;
};

static struct rational shown(const struct rounded_prices *p)
{
	return p->pay > 0 && p->round.num > 0 ? rational_div(rational(p->pay, 1), p->round) : rational(0, 1);
}

static void weigh(const struct gossip_program *g, struct rounded_prices *p)
{
	p->round = rational(0, 1);
	for (int h = 0; h < g->halves; h++) {
		int64_t sum = 0;
		for (int o = 0; o < g->n_orbits; o++)
			sum += g->step_of[o] == h ? (int64_t)p->of[o] * g->capacity[o] : 0;
		struct rational round = rational(sum, times(g, h));
		if (rational_compare(round, p->round) > 0)
			p->round = round;
	}
	p->pay = INT32_MAX;
	for (size_t k = 0; k < g->n; k++) {
		int64_t sum = 0;
		for (int o = 0; o < g->n_orbits; o++)
			sum += (int64_t)p->of[o] * g->loads[k * (size_t)g->n_orbits + (size_t)o];
		p->pay = sum < p->pay ? (int)sum : p->pay;
	}
}

/* The rounding with the fewest units that shows the mean of ABOVE and the program's value, or else the one that shows most. */
static void round_prices(const struct gossip_program *g, double above, struct rounded_prices *best)
{
	static const double offsets[] = {0.5, 0.4, 0.6};
	double enough = (above + linear_cost(g->l) / SCALE) / 2;
	struct rounded_prices p = {.of = new_array(int, (size_t)g->n_orbits)};

	*best = (struct rounded_prices){.of = new_array(int, (size_t)g->n_orbits)};
	for (int units = UNITS_LEAST; units <= UNITS_MOST && rational_double(shown(best)) < enough; units++)
		for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
			for (int o = 0; o < g->n_orbits; o++)
				p.of[o] = (int)floor(g->dual[o] / g->least * units + offsets[i]);
			weigh(g, &p);
			if (rational_compare(shown(&p), shown(best)) > 0) {
				memcpy(best->of, p.of, (size_t)g->n_orbits * sizeof *p.of);
				best->pay = p.pay;
				best->round = p.round;
			}
		}
	free(p.of);
}

/* Is there a gossip that pays less than all known ones? Then *OUT is one. CPU: the seconds that are left. */
static enum answer ask(const struct gossip_program *g, const struct problem *p, const struct rounded_prices *x, double *cpu,
		       struct gossip_sends *out)
{
	size_t cells = (size_t)g->steps * g->w->n_edges;
	int *price = new_array(int, cells);
	struct solution got = {.answer = ANSWER_GAVE_UP};
	struct error unused = {0};
	struct instance i;

	for (size_t c = 0; c < cells; c++)
		price[c] = x->of[g->orbit[c]];
	const struct pattern_limit limit = {.price = price, .most = x->pay - 1, .gossip = true, .mirrored = true};
	double left = stop_left(); /* a timeout of 0 would be none */
	const struct solve_options o = {.cpu = *cpu, .timeout = isinf(left) ? 0 : left, .pattern = &limit};
	if (left > 0 && problem_instance(p, (struct candidate){1, g->steps, g->steps}, &i, &unused)) {
		if (!solve(&i, &o, &got, &unused))
			got.answer = ANSWER_GAVE_UP;
		problem_instance_done(&i);
	}
	*cpu -= got.seconds;
	*out = (struct gossip_sends){0};
	for (size_t s = 0; s < got.n_steps; s++)
		for (size_t k = 0; k < got.steps[s].n_reduces; k++)
			out->on[s] |= UINT64_C(1) << network_edge(g->w, got.steps[s].reduces[k].src, got.steps[s].reduces[k].dst);
	steps_free(got.steps, got.n_steps);
	free(price);
	return got.answer;
}

/* Leaves out sends that nothing needs, the dearest first. */
static void prune(const struct gossip_program *g, struct gossip_sends *x)
{
	struct played_gossip y;

	for (double above = INFINITY; above > 0;) {
		double dearest = 0; /* the next lower price */
		for (size_t c = 0; c < (size_t)g->steps * g->w->n_edges; c++) {
			double price = g->dual[g->orbit[c]] + 1e-9;
			dearest = price < above && price > dearest ? price : dearest;
		}
		for (size_t c = 0; c < (size_t)g->steps * g->w->n_edges && dearest > 0; c++) {
			uint64_t bit = UINT64_C(1) << c % g->w->n_edges, *on = &x->on[c / g->w->n_edges];
			if (g->dual[g->orbit[c]] + 1e-9 != dearest || !(*on & bit))
				continue;
			*on ^= bit;
			begin(g, x, &y);
			*on ^= y.missing ? bit : 0;
		}
		above = dearest;
	}
}

static void take(const struct gossip_program *g, const struct rounded_prices *x, struct step_value *out)
{
	free(out->prices);
	out->n_prices = (size_t)g->steps * g->w->n_edges;
	out->prices = new_array(struct rational, out->n_prices);
	for (size_t c = 0; c < out->n_prices; c++)
		out->prices[c] = rational(x->of[g->orbit[c]], 1);
	out->at_least = shown(x);
	out->root = -1;
	out->patterns = true;
}

static bool search(struct gossip_program *g, const struct problem *p, struct step_value *out)
{
	static const double asked_seconds = 5;
	double cpu = asked_seconds;
	struct rounded_prices x = {0};
	struct gossip_sends cheaper;
	enum answer answer;

	do {
		free(x.of);
		round_prices(g, rational_double(out->at_least), &x);
		answer = rational_compare(shown(&x), out->at_least) > 0 && cpu > 0 ? ask(g, p, &x, &cpu, &cheaper) : ANSWER_GAVE_UP;
		if (answer == ANSWER_FOUND) {
			prune(g, &cheaper);
			add_gossip(g, &cheaper);
		}
	} while (answer == ANSWER_FOUND && solve_program(g) && !stop_is_due());
	if (answer == ANSWER_NONE)
		take(g, &x, out);
	free(x.of);
	return answer == ANSWER_NONE;
}

static bool is_tried(const struct network *w, int steps)
{
	bool tried = w->n_limits == 0 && w->n_groups == 0 && w->n_edges > 0 && w->n_edges <= LINKS_MOST && w->nodes <= LINKS_MOST &&
		     steps <= STEPS_MOST;

	for (size_t e = 0; e < w->n_edges && tried; e++) {
		int back = network_edge(w, w->edges[e].dst, w->edges[e].src);
		tried = back >= 0 && w->edges[back].bandwidth == w->edges[e].bandwidth;
	}
	return tried;
}

bool gossip_bound(const struct problem *p, struct step_value *out)
{
	static const double generating_seconds = 5;
	struct gossip_program g;

	if (!is_tried(p->network, out->steps))
		return false;
	program_new(&g, p->network, out->steps);
	double before = stop_within_cpu(generating_seconds);
	start(&g);
	bool solved = solve_program(&g);
	if (solved)
		generate(&g);
	stop_restore_cpu(before);
	bool raised = solved && search(&g, p, out);
	program_free(&g);
	return raised;
}
