#include "synth/orbits.h"

#include "core/error.h"
#include "core/flow.h"
#include "core/memory.h"
#include "core/network.h"
#include "core/topology.h"
#include "core/regular.h"

#include <stdlib.h>

/* The schedule of node 0's chunks. */
struct draft {
	const struct regular *g;
	const struct instance *i;
	int steps;          /* the diameter */
	struct step *of;    /* [steps] */
	size_t *room;       /* [steps] */
	int64_t *loads;     /* [steps * neighbours]: what goes in each direction */
};

static struct draft draft_new(const struct regular *g, const struct instance *i)
{
	const struct network *w = g->network;
	struct draft d = {.g = g, .i = i};

	for (int n = 0; n < w->nodes; n++)
		d.steps = network_distance(w, 0, n) > d.steps ? network_distance(w, 0, n) : d.steps;
	d.of = new_array(struct step, (size_t)d.steps);
	d.room = new_array(size_t, (size_t)d.steps);
	d.loads = new_array(int64_t, (size_t)d.steps * (size_t)g->n_neighbours);
	return d;
}

static void add_send(struct draft *d, int step, int chunk, int edge)
{
	const struct edge *e = &d->g->network->edges[edge];
	struct step *s = &d->of[step];

	s->sends = grown(s->sends, &d->room[step], s->n_sends + 1, sizeof *s->sends);
	s->sends[s->n_sends++] = (struct send){chunk, e->src, e->dst};
	d->loads[(size_t)step * (size_t)d->g->n_neighbours + (size_t)regular_neighbour(d->g, d->g->direction[edge])]++;
}

/* The rounds that the loads of a step need: links of one direction carry the same, and each limit what its links do. */
static int64_t rounds_of(const struct draft *d, int step)
{
	const struct network *w = d->g->network;
	const int64_t *load = d->loads + (size_t)step * (size_t)d->g->n_neighbours;
	int64_t rounds = 1;

	for (int k = w->out_begin[0]; k < w->out_begin[1]; k++) {
		const struct edge *e = &w->edges[w->out[k]];
		int64_t need = (load[regular_neighbour(d->g, e->dst)] + e->bandwidth - 1) / e->bandwidth;
		rounds = need > rounds ? need : rounds;
	}
	for (size_t l = 0; l < w->n_limits; l++) {
		int64_t sum = 0;
		for (size_t k = 0; k < w->limits[l].n_edges; k++)
			sum += load[regular_neighbour(d->g, d->g->direction[w->limits[l].edges[k]])];
		sum = (sum + w->limits[l].bandwidth - 1) / w->limits[l].bandwidth;
		rounds = sum > rounds ? sum : rounds;
	}
	return rounds;
}

/*
 * Allgather. In step s every node at distance s gets all parts from nodes at distance s - 1, which have them all: who gets
 * which from where is a flow from nodes to directions, each step for itself. The least rounds that let all through.
 */
struct layer {
	const struct draft *d;
	int step, n; /* nodes at that distance */
	int *nodes;
	int *arcs, *edges; /* of the flow, and what they stand for; n_arcs */
	size_t n_arcs;
	int *sinks;        /* [neighbour]: arcs from directions */
	struct flow *flow;
	int source, sink;
};

static struct layer layer_new(const struct draft *d, int step)
{
	const struct regular *g = d->g;
	const struct network *w = g->network;
	struct layer l = {.d = d, .step = step, .nodes = new_array(int, (size_t)w->nodes)};
	size_t arcs = 0, edges = 0;

	for (int v = 0; v < w->nodes; v++)
		if (network_distance(w, 0, v) == step + 1)
			l.nodes[l.n++] = v;
	l.source = l.n + g->n_neighbours;
	l.sink = l.source + 1;
	l.flow = flow_new(l.sink + 1);
	l.sinks = new_array(int, (size_t)g->n_neighbours);
	for (int k = 0; k < g->n_neighbours; k++)
		l.sinks[k] = flow_arc(l.flow, l.n + k, l.sink, 0);
	for (int i = 0; i < l.n; i++) {
		flow_arc(l.flow, l.source, i, d->i->chunks);
		for (int k = w->in_begin[l.nodes[i]]; k < w->in_begin[l.nodes[i] + 1]; k++) {
			int edge = w->in[k];
			if (network_distance(w, 0, w->edges[edge].src) != step)
				continue;
			l.arcs = grown(l.arcs, &arcs, l.n_arcs + 1, sizeof(int));
			l.edges = grown(l.edges, &edges, l.n_arcs + 1, sizeof(int));
			l.arcs[l.n_arcs] = flow_arc(l.flow, i, l.n + regular_neighbour(g, g->direction[edge]), d->i->chunks);
			l.edges[l.n_arcs++] = edge;
		}
	}
	return l;
}

static void layer_free(struct layer *l)
{
	flow_free(l->flow);
	free(l->nodes);
	free(l->arcs);
	free(l->edges);
	free(l->sinks);
}

/* Does all get through in so many rounds? */
static bool passes(struct layer *l, int64_t rounds)
{
	const struct regular *g = l->d->g;
	const struct network *w = g->network;

	for (int k = w->out_begin[0]; k < w->out_begin[1]; k++) {
		const struct edge *e = &w->edges[w->out[k]];
		flow_set(l->flow, l->sinks[regular_neighbour(g, e->dst)], rounds * e->bandwidth);
	}
	return flow_run(l->flow, l->source, l->sink) == (int64_t)l->n * l->d->i->chunks;
}

static void take_layer(struct draft *d, const struct layer *l)
{
	const struct network *w = d->g->network;
	int *next = new_array(int, (size_t)w->nodes);

	for (size_t a = 0; a < l->n_arcs; a++) {
		int v = w->edges[l->edges[a]].dst;
		for (int64_t f = flow_on_arc(l->flow, l->arcs[a]); f > 0; f--)
			add_send(d, l->step, next[v]++ * w->nodes, l->edges[a]); /* part k of node 0 is chunk k P */
	}
	free(next);
}

static void gather_step(struct draft *d, int step)
{
	struct layer l = layer_new(d, step);
	int64_t wide = 0, all = (int64_t)l.n * d->i->chunks, low, high = all;
	const struct network *w = d->g->network;

	for (int k = w->out_begin[0]; k < w->out_begin[1]; k++)
		wide += w->edges[w->out[k]].bandwidth;
	low = (all + wide - 1) / wide;
	if (passes(&l, low))
		high = low;
	while (low < high) {
		int64_t middle = low + (high - low) / 2;
		if (passes(&l, middle))
			high = middle;
		else
			low = middle + 1;
	}
	passes(&l, low);
	take_layer(d, &l);
	layer_free(&l);
}

static bool gather(struct draft *d)
{
	for (int s = 0; s < d->steps; s++)
		gather_step(d, s);
	return true;
}

/*
 * Alltoall. One tree of shortest paths from 0 serves part 0; a turn of the machine that carries the directions in a circle
 * gives the other parts theirs, so that over a whole circle every direction carries the same.
 */
static int *shortest_tree(const struct network *w)
{
	int *parent = new_array(int, (size_t)w->nodes); /* edges */

	for (int v = 1; v < w->nodes; v++)
		for (int k = w->in_begin[v]; k < w->in_begin[v + 1]; k++)
			if (network_distance(w, 0, w->edges[w->in[k]].src) + 1 == network_distance(w, 0, v)) {
				parent[v] = w->in[k];
				break;
			}
	return parent;
}

/* The chunks of node 0 for V, part K: along the tree's path to the node that K turns carry to V, turned. */
static void add_path(struct draft *d, const int *parent, int v, int k, const int *turned, const int *turned_back)
{
	const struct network *w = d->g->network;
	int chunk = (k * w->nodes + v) * w->nodes;

	for (int at = turned_back[v]; at != 0; at = w->edges[parent[at]].src) {
		int edge = network_edge(w, turned[w->edges[parent[at]].src], turned[at]);
		add_send(d, network_distance(w, 0, at) - 1, chunk, edge);
	}
}

static bool exchange(struct draft *d)
{
	const struct network *w = d->g->network;
	int parts = d->i->chunks / w->nodes, *turn = regular_turn(d->g), *parent = shortest_tree(w);
	int *turned = new_array(int, (size_t)w->nodes), *back = new_array(int, (size_t)w->nodes);

	for (int v = 0; v < w->nodes; v++)
		turned[v] = v;
	for (int k = 0; k < parts; k++) {
		for (int v = 0; v < w->nodes; v++)
			back[turned[v]] = v;
		for (int v = 1; v < w->nodes; v++)
			add_path(d, parent, v, k, turned, back);
		for (int v = 0; v < w->nodes && turn; v++)
			turned[v] = turn[turned[v]];
	}
	free(turn);
	free(parent);
	free(turned);
	free(back);
	return true;
}

static const struct {
	bool (*make)(struct draft *d);
} ways[COLLECTIVE_KINDS] = {[ALLGATHER] = {gather}, [ALLTOALL] = {exchange}};

/* Sets the rounds; steps and rounds that are over go to the end. False: it does not fit the candidate. */
static bool fit(struct draft *d, int steps, int rounds)
{
	int64_t sum = 0;

	for (int s = 0; s < d->steps; s++) {
		int64_t need = rounds_of(d, s);
		sum += need;
		if (sum > rounds)
			return false;
		d->of[s].rounds = (int)need;
	}
	if (d->steps > steps || sum + (steps - d->steps) > rounds)
		return false;
	size_t room = (size_t)d->steps;
	d->of = grown(d->of, &room, (size_t)steps, sizeof *d->of);
	for (; d->steps < steps; sum++)
		d->of[d->steps++] = (struct step){.rounds = 1};
	d->of[steps - 1].rounds += rounds - (int)sum;
	return true;
}

/* The group's generators, which leave each part what it is. */
static struct symmetry *symmetry_of(const struct regular *g, const struct instance *i)
{
	struct symmetry *y = symmetry_new(&i->collective, g->network->nodes, i->global_chunks);

	for (size_t k = 0; k < g->symmetry->n; k++)
		symmetry_add(y, g->symmetry->generators[k].nodes, NULL);
	return y;
}

static struct algorithm *draw(const struct problem *p, const struct regular *g, const struct instance *i, struct candidate c,
			      struct error *e)
{
	struct draft d = draft_new(g, i);
	struct algorithm *a = NULL;

	if (ways[i->collective.kind].make(&d) && fit(&d, c.steps, c.rounds)) {
		a = problem_compact(p, c, d.of, (size_t)d.steps, symmetry_of(g, i), e);
		d.of = NULL;
	}
	steps_free(d.of, (size_t)d.steps);
	free(d.room);
	free(d.loads);
	return a;
}

struct algorithm *orbits_solve(const struct problem *p, struct candidate c, struct error *e)
{
	struct instance i;
	struct regular g;
	struct algorithm *a = NULL;

	if (p->composed || !ways[p->asked.kind].make || !problem_instance(p, c, &i, e))
		return NULL;
	if (regular_find(p->network, &g)) {
		a = draw(p, &g, &i, c, e);
		regular_free(&g);
	}
	problem_instance_done(&i);
	return a;
}

static int common_multiple(int64_t a, int64_t b)
{
	int64_t x = a, y = b;

	while (y) {
		int64_t rest = x % y;
		x = y;
		y = rest;
	}
	return a / x * b > CHUNKS_MAX ? 0 : (int)(a / x * b);
}

/* C whose R at the bound is whole: as few as can be, then as many as give each direction its own part, then between. */
static int chunks_of(const struct problem *p, int attempt)
{
	const struct network *w = p->network;
	int least = common_multiple(p->bounds.bandwidth.den, p->unit), directions = w->out_begin[1] - w->out_begin[0];
	int64_t many = attempt == 0 ? 1 : attempt == 1 ? directions : attempt;

	return least && many * least <= CHUNKS_MAX ? (int)(many * least) : 0;
}

struct algorithm *orbits_best(const struct problem *p, struct error *e)
{
	enum { ATTEMPTS = 12 };
	struct algorithm *a = NULL;

	for (int i = 0; i < ATTEMPTS && !a && e->kind == ERROR_NONE && !p->composed && !p->direct; i++) {
		struct candidate c = {chunks_of(p, i), p->bounds.steps, 0};
		struct rational rounds = rational_mul(p->bounds.bandwidth, rational(c.chunks, 1));
		if (c.chunks == 0 || !rational_ok(rounds) || rounds.num > ROUNDS_MAX)
			break;
		c.rounds = (int)rounds.num;
		a = c.rounds >= c.steps ? orbits_solve(p, c, e) : NULL;
	}
	return a;
}
