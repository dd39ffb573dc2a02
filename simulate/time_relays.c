/*
 * Either u itself sends each of k nodes what they want of it, or another node passes it on; then u has sent it two hops
 * before the end. Of the data D let x be passed on, and let T be the time of the schedule. The links out of u, of rate B,
 * have sent x by T - s2, where s2 is the least that two hops take, and all of x + k (D - x) by T - s1, where s1 is that of
 * one hop. So
 *
 *     x <= B (T - s2) and x + k (D - x) <= B (T - s1),    hence T >= (s1 + (k - 1) s2) / k + D / B
 *
 * unless x is 0, as in a schedule that is shorter than two hops: then T >= s1 + k D / B. Sums into v are the same backwards:
 * the values of its k contributors come one by one, or some of them are added up on the way, and come after a hop.
 */

#include "simulate/time_bounding.h"

#include "core/base/memory.h"
#include "core/machine/topology.h"
#include "core/schedule/collective.h"
#include "simulate/cover.h"
#include "simulate/passage.h"

#include <math.h>
#include <stdlib.h>

/* [node]: how many others want each chunk that must leave it, or contribute to each that must enter it. Owned. */
struct relays {
	struct copies_of {
		size_t n, capacity;
		int *of;
	} *out, *in;
};

static void note(struct copies_of *c, int copies)
{
	if (copies < 2)
		return;
	c->of = grown(c->of, &c->capacity, c->n + 1, sizeof *c->of);
	c->of[c->n++] = copies;
}

static void note_copies(const struct bounding *w, int chunk, struct relays *r)
{
	int holders = 0, holder = -1, wanted = 0;

	for (int v = 0; v < w->nodes; v++) {
		bool has = collective_pre(w->collective, w->nodes, chunk, v);
		holders += has;
		holder = has ? v : holder;
		wanted += !has && collective_post(w->collective, w->nodes, chunk, v);
	}
	if (holders == 1)
		note(&r->out[holder], wanted);
}

static void note_sums(const struct bounding *w, int chunk, struct relays *r)
{
	int *wanted = new_array(int, (size_t)w->nodes);

	for (int v = 0; v < w->nodes; v++) {
		int parts = 0;
		for (int u = 0; u < w->nodes && collective_post(w->collective, w->nodes, chunk, v); u++)
			if (u != v && collective_wants_part(w->collective, w->nodes, chunk, v, u)) {
				parts++;
				wanted[u]++;
			}
		note(&r->in[v], parts);
	}
	for (int u = 0; u < w->nodes; u++)
		note(&r->out[u], wanted[u]);
	free(wanted);
}

/* HOP [node]: the least delay of a route that leaves it or, if INTO, enters it, except for routes to or from BUT. */
static void find_hops(const struct fabric *f, int but, bool into, double *hop)
{
	for (int v = 0; v < f->nodes; v++)
		hop[v] = INFINITY;
	for (size_t r = 0; r < f->n_routes; r++) {
		int here = into ? f->routes[r].dst : f->routes[r].src, there = into ? f->routes[r].src : f->routes[r].dst;
		if (there != but)
			hop[here] = fmin(hop[here], route_delay(&f->routes[r]));
	}
}

static int ascending(const void *va, const void *vb)
{
	int a = *(const int *)va, b = *(const int *)vb;

	return (a > b) - (a < b);
}

/* Adds the bends by one choice of links, for each number of copies; C is in ascending order. */
static void add_bends(struct bounding *w, const struct copies_of *c, int node, bool into, const int *part, const struct set_passage *p,
		      const double *hop)
{
	const struct fabric *f = w->fabric;
	double direct = passage_delay(f, part, 1, p, NULL, NULL);
	double relayed = passage_delay(f, part, 1, p, into ? hop : NULL, into ? NULL : hop);

	for (size_t i = 0; i < c->n; i++) {
		double k = c->of[i], bytes = (double)(c->n - i) / w->chunks;
		if (i && c->of[i] == c->of[i - 1])
			continue;
		struct time_bend b = {.early = {.latency = direct, .per_byte = k * bytes / p->rate}, .copies = c->of[i]};
		b.late = (struct time_line){(direct + (k - 1) * relayed) / k, bytes / p->rate, into ? TIME_RELAYS_INTO : TIME_RELAYS_OUT_OF,
					    .node = node, .at_end = p->last};
		b.late.over = passage_list(f, p, &b.late.n_over);
		bounding_add_bend(w, b);
	}
}

static void bound_node(struct bounding *w, struct copies_of *c, int node, bool into)
{
	const struct fabric *f = w->fabric;
	struct set_passage p[ENDS];
	int *part = new_array(int, (size_t)w->nodes);
	double *hop = new_array(double, (size_t)w->nodes);

	if (c->n)
		qsort(c->of, c->n, sizeof *c->of, ascending);
	for (int v = 0; v < w->nodes && c->n; v++)
		part[v] = (v == node) == into;
	if (c->n) {
		find_hops(f, node, into, hop);
		passages_open(f, part, 1, ENDS, p);
		for (int i = 0; i < ENDS; i++)
			add_bends(w, c, node, into, part, &p[i], hop);
		passages_close(p, ENDS);
	}
	free(part);
	free(hop);
	free(c->of);
}

/* The most work: in chunks times nodes, or for sums times pairs of nodes; and in routes. */
static const double relays_most = 1 << 26;

void bound_relays(struct bounding *w)
{
	int chunks = collective_global_chunks(w->collective, w->nodes, w->chunks);
	double left = relays_most, nodes = w->nodes;
	struct relays r = {new_array(struct copies_of, (size_t)w->nodes), new_array(struct copies_of, (size_t)w->nodes)};
	bool sums = collective_row(w->collective)->combining, all = chunks * nodes * (sums ? nodes : 1) <= relays_most;

	/* Where switches copy or add, one crossing may serve several nodes without a relay. */
	for (int c = 0; c < chunks && all && !topology_has_abilities(w->topology); c++)
		(sums ? note_sums : note_copies)(w, c, &r);
	for (int v = 0; v < w->nodes; v++) {
		if ((left -= 10. * (double)w->fabric->n_routes) < 0)
			r.out[v].n = r.in[v].n = 0;
		bound_node(w, &r.out[v], v, false);
		bound_node(w, &r.in[v], v, true);
	}
	free(r.out);
	free(r.in);
}
