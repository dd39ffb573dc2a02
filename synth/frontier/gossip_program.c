/*
 * The chunks of a known algorithm are gossips; more are found by simulated annealing at the dual prices: sends are added, taken away,
 * and moved to other steps and edges. Contributions that are missing cost extra.
 */

#include "synth/frontier/gossip_program.h"

#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/graph/linear_program.h"
#include "core/machine/network.h"
#include "core/schedule/algorithm.h"
#include "core/symmetry/automorphisms.h"
#include "core/symmetry/machine_orbits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SCALE = 64 };

size_t gossip_program_cell(const struct gossip_program *g, int step, int edge)
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

int gossip_program_times(const struct gossip_program *g, int half)
{
	return half == g->steps - 1 - half ? 1 : 2;
}

void gossip_program_new(struct gossip_program *g, const struct network *w, int steps)
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
		linear_column(g->l, gossip_program_times(g, h), 0, linear_infinity, n, rows, values);
	}
	free(rows);
	free(values);
}

void gossip_program_free(struct gossip_program *g)
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

void gossip_program_add(struct gossip_program *g, const struct gossip_sends *x)
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
			load[g->orbit[gossip_program_cell(g, s, (int)e)]] += (int)(x->on[s] >> e & 1);
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

bool gossip_program_solve(struct gossip_program *g)
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
			sum += price[gossip_program_cell(g, s, __builtin_ctzll(left))];
	return sum;
}

struct played_gossip {
	struct gossip_sends x;
	uint64_t at[GOSSIP_STEPS_MOST + 1][GOSSIP_LINKS_MOST]; /* [step][node]: the contributions that are there before it */
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
	int s = below(g, g->steps), e = below(g, (int)w->n_edges), to, over = e;

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

static bool is_known(const struct gossip_program *g, const struct gossip_sends *x)
{
	for (size_t k = 0; k < g->n; k++)
		if (memcmp(g->sends[k].on, x->on, sizeof x->on) == 0)
			return true;
	return false;
}

/* The chunks of an algorithm. */
static void add_chunks(struct gossip_program *g, const struct algorithm *a)
{
	struct gossip_sends *of = new_array(struct gossip_sends, (size_t)a->chunks);

	for (int s = 0; s < g->steps; s++) {
		const struct step *step = &a->steps[s];
		for (size_t k = 0; k < step->n_sends + step->n_reduces; k++) {
			const struct send *x = k < step->n_sends ? &step->sends[k] : &step->reduces[k - step->n_sends];
			of[x->chunk].on[s] |= UINT64_C(1) << network_edge(g->w, x->src, x->dst);
		}
	}
	for (int c = 0; c < a->chunks; c++)
		if (!is_known(g, &of[c]))
			gossip_program_add(g, &of[c]);
	free(of);
}

static void start(struct gossip_program *g, const struct algorithm *known)
{
	enum { FIRST = 6, MOVES = 300000 };
	struct gossip_sends all = {0}, found;

	for (int s = 0; s < g->steps; s++)
		all.on[s] = UINT64_MAX >> (GOSSIP_LINKS_MOST - g->w->n_edges);
	if (known && (int)known->n_steps == g->steps)
		add_chunks(g, known);
	for (int i = 0; i < FIRST && g->n < FIRST; i++) {
		for (int s = 0; s < g->steps; s++)
			for (size_t e = 0; e < g->w->n_edges; e++)
				g->price[gossip_program_cell(g, s, (int)e)] = 0.1 + 1.0 / g->w->edges[e].bandwidth;
		if (anneal(g, &all, MOVES, &found))
			gossip_program_add(g, &found);
	}
	gossip_program_add(g, &all);
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
	enum { FAILED_MOST = 40, ATTEMPTS_MOST = 400, MOVES = 100000 };
	/* The part of a price that all sends share: else gossips are full of free sends that nothing needs. */
	static const double shares[] = {0.02, 0.1, 0.3};
	double all = 0;

	for (size_t e = 0; e < g->w->n_edges; e++)
		all += g->w->edges[e].bandwidth;
	for (int i = 0, failed = 0; failed < FAILED_MOST && i < ATTEMPTS_MOST && !stop_is_due(); i++) {
		double share = shares[i % 3], cost = 0;
		for (int s = 0; s < g->steps; s++)
			for (size_t e = 0; e < g->w->n_edges; e++) {
				size_t c = gossip_program_cell(g, s, (int)e);
				g->price[c] = (1 - share) * g->dual[g->orbit[c]] + share / all;
			}
		struct gossip_sends from = draw_used(g), found;
		if (!anneal(g, &from, MOVES, &found)) {
			failed++;
			continue;
		}
		for (int s = 0; s < g->steps; s++)
			for (uint64_t left = found.on[s]; left; left &= left - 1)
				cost += g->dual[g->orbit[gossip_program_cell(g, s, __builtin_ctzll(left))]];
		if (cost >= g->least * (1 - 1e-7)) {
			failed++;
			continue;
		}
		failed = 0;
		gossip_program_add(g, &found);
		if (!gossip_program_solve(g))
			return;
	}
}

bool gossip_program_generate(struct gossip_program *g, const struct algorithm *known)
{
	static const double seconds = 20; /* of CPU time; mostly it takes a few */
	double before = stop_within_cpu(seconds);

	start(g, known);
	bool solved = gossip_program_solve(g);
	if (solved)
		generate(g);
	stop_restore_cpu(before);
	return solved;
}

double gossip_program_value(const struct gossip_program *g)
{
	return linear_cost(g->l) / SCALE;
}

void gossip_program_prune(const struct gossip_program *g, struct gossip_sends *x)
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
