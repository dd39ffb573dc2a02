/*
 * From each node, breadth-first search over switches gives all shortest routes in the fabric that joins the fewest nodes:
 * so two nodes of a box keep to the box's own switches, however many pairs these carry, and leave the network between
 * boxes to those who have no other. For each pair without a direct link, a dynamic program over these routes chooses the
 * one whose most loaded link has the least load (pairs per unit of bandwidth), then the one whose links carry the fewest
 * pairs in total. Greedy in the order of pairs, hence deterministic.
 */

#include "core/machine/network_routes.h"

#include "core/base/error.h"
#include "core/base/csr.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/switch_fabrics.h"
#include "core/machine/topology.h"
#include "core/base/work.h"

#include <stdlib.h>

enum { EDGES_MAX = 1 << 22, CROSSINGS_MAX = 1 << 25, CHOICES_MAX = 1 << 30 };

/* The best route found from the source to a vertex: least load on its most loaded link, then least load in total. */
struct partial_route {
	int load, width; /* pairs and bandwidth of the link where their ratio is largest */
	int64_t used;    /* pairs on all its links so far */
	int last;        /* its last link */
};

struct router {
	const struct topology *t;
	int n;          /* nodes and switches */
	int *in_begin;  /* slots in_begin[v] .. in_begin[v + 1] - 1 of before are for links into v */
	int *out_begin; /* links out of v are t->links[out_begin[v]] .. [out_begin[v + 1] - 1] */
	int *joined;    /* [v]: nodes that the fabric of switch v joins; 0 for a node */
	int *span;      /* [v]: the same of the fabric that leads to v from the current source; 0: a direct link does */
	int *hops;      /* [v]: from the current source, in that fabric; -1: not reached */
	int *queue;
	int *before;    /* the last links of the routes to v: the first n_before[v] of its slots */
	int *n_before;
	int *load;      /* [link]: pairs routed over it so far */
	struct partial_route *way; /* [v] */
	int *marked;    /* [v]: 1 + the index of the last edge whose route search reached v */
	int64_t choices; /* links examined so far */
};

static struct router router_new(const struct topology *t)
{
	struct router r = {.t = t, .n = t->nodes + t->switches};
	r.in_begin = csr_offsets(r.n, t->n_links ? &t->links->dst : NULL, t->n_links, sizeof *t->links);
	r.out_begin = csr_offsets(r.n, t->n_links ? &t->links->src : NULL, t->n_links, sizeof *t->links);
	r.joined = switch_fabrics_nodes(t);
	r.span = new_array(int, (size_t)r.n);
	r.hops = new_array(int, (size_t)r.n);
	r.queue = new_array(int, (size_t)r.n);
	r.before = new_array(int, t->n_links);
	r.n_before = new_array(int, (size_t)r.n);
	r.load = new_array(int, t->n_links);
	r.way = new_array(struct partial_route, (size_t)r.n);
	r.marked = new_array(int, (size_t)r.n);
	return r;
}

static void router_free(struct router *r)
{
	free(r->in_begin);
	free(r->out_begin);
	free(r->joined);
	free(r->span);
	free(r->hops);
	free(r->queue);
	free(r->before);
	free(r->n_before);
	free(r->load);
	free(r->way);
	free(r->marked);
}

/* Keeps LINK, over which routes from the current source may end at its DST, unless better ones are known. */
static void add_last(struct router *r, int link)
{
	const struct link *l = &r->t->links[link];
	int to = l->dst, span = r->joined[l->src], hops = r->hops[l->src] + 1;

	if (r->hops[to] < 0 || span < r->span[to]) { /* within a fabric the shortest come first */
		r->span[to] = span;
		r->hops[to] = hops;
		r->n_before[to] = 0;
	}
	if (span == r->span[to] && hops == r->hops[to])
		r->before[r->in_begin[to] + r->n_before[to]++] = link;
}

/* Breadth-first search from SOURCE through switches only: fabrics, hops, and the last links of the routes to choose from. */
static void reach(struct router *r, int source)
{
	int head = 0, tail = 0;

	for (int v = 0; v < r->n; v++) {
		r->hops[v] = -1;
		r->n_before[v] = 0;
	}
	r->hops[source] = 0;
	r->queue[tail++] = source;
	while (head < tail) {
		int v = r->queue[head++];
		if (v != source && v < r->t->nodes)
			continue; /* a node only ends a route */
		for (int i = r->out_begin[v]; i < r->out_begin[v + 1]; i++) {
			if (r->hops[r->t->links[i].dst] < 0)
				r->queue[tail++] = r->t->links[i].dst;
			add_last(r, i);
		}
	}
}

/* Collects the vertices on shortest routes to DST in r->queue, from DST backwards. Returns their number. */
static int gather(struct router *r, int dst, int mark)
{
	int tail = 0;

	r->queue[tail++] = dst;
	r->marked[dst] = mark;
	for (int head = 0; head < tail; head++) {
		int v = r->queue[head];
		for (int i = 0; i < r->n_before[v]; i++) {
			int from = r->t->links[r->before[r->in_begin[v] + i]].src;
			if (r->marked[from] != mark) {
				r->marked[from] = mark;
				r->queue[tail++] = from;
			}
		}
		r->choices += r->n_before[v];
		work_spend(r->n_before[v]);
	}
	return tail;
}

static bool is_better(const struct partial_route *a, const struct partial_route *b)
{
	int64_t left = (int64_t)a->load * b->width, right = (int64_t)b->load * a->width;
	return left != right ? left < right : a->used < b->used;
}

/* The best route to V for one more pair, over the best of the last links; the first among equals. */
static void choose_last(struct router *r, int v)
{
	struct partial_route *best = &r->way[v];

	for (int i = 0; i < r->n_before[v]; i++) {
		int link = r->before[r->in_begin[v] + i];
		const struct link *l = &r->t->links[link];
		struct partial_route way = r->way[l->src];
		if ((int64_t)(r->load[link] + 1) * way.width > (int64_t)way.load * l->bandwidth) {
			way.load = r->load[link] + 1;
			way.width = l->bandwidth;
		}
		way.used += r->load[link];
		way.last = link;
		if (i == 0 || is_better(&way, best))
			*best = way;
	}
}

/* Chooses one of the routes to DST that balances the load of parallel routes: r->way gives it, from DST backwards. */
static void choose_way(struct router *r, int dst, int mark)
{
	int n = gather(r, dst, mark);

	r->way[r->queue[n - 1]] = (struct partial_route){0, 1, 0, -1}; /* the source is collected last */
	for (int i = n - 2; i >= 0; i--)
		choose_last(r, r->queue[i]);
}

static void add_edge(struct routes *d, int src, int dst, int bandwidth)
{
	d->edges = grown(d->edges, &d->edges_capacity, d->n_edges + 1, sizeof *d->edges);
	d->edges[d->n_edges++] = (struct edge){src, dst, bandwidth};
}

static void add_crossing(struct routes *d, int link)
{
	d->crossings = grown(d->crossings, &d->crossings_capacity, d->n_crossings + 1, sizeof *d->crossings);
	d->crossings[d->n_crossings++] = (struct crossing){link, (int)d->n_edges - 1};
}

static void add_route(struct router *r, struct routes *d, int src, int dst)
{
	int width = BANDWIDTH_MAX;

	add_edge(d, src, dst, 0);
	choose_way(r, dst, (int)d->n_edges);
	for (int v = dst; v != src;) {
		int link = r->way[v].last;
		r->load[link]++;
		if (r->t->links[link].bandwidth < width)
			width = r->t->links[link].bandwidth;
		add_crossing(d, link);
		v = r->t->links[link].src;
	}
	d->edges[d->n_edges - 1].bandwidth = width;
}

static bool check_size(const struct router *r, const struct routes *d, struct error *e)
{
	if (work_is_over())
		return error_set(e, ERROR_LIMIT, r->t->name, "takes too many steps to find its routes");
	if (d->n_edges > EDGES_MAX)
		return error_set(e, ERROR_LIMIT, r->t->name, "joins more than %d pairs of nodes", EDGES_MAX);
	if (d->n_crossings > CROSSINGS_MAX)
		return error_set(e, ERROR_LIMIT, r->t->name, "routes through its switches cross more than %d links in total",
				 CROSSINGS_MAX);
	if (r->choices > CHOICES_MAX)
		return error_set(e, ERROR_LIMIT, r->t->name, "has too many routes through its switches to choose from");
	return true;
}

/* Adds the pairs from SRC: by their direct link or else by a route, if there is one. */
static bool join_from(struct router *r, struct routes *d, int src, struct error *e)
{
	const struct topology *t = r->t;
	int next = r->out_begin[src], end = r->out_begin[src + 1];

	work_spend(t->nodes);
	if (t->switches) {
		work_spend(r->n + (double)t->n_links);
		reach(r, src);
	}
	for (int dst = 0; dst < t->nodes; dst++) {
		while (next < end && t->links[next].dst < dst)
			next++;
		if (next < end && t->links[next].dst == dst) {
			add_edge(d, src, dst, t->links[next].bandwidth);
			add_crossing(d, next);
		} else if (t->switches && dst != src && r->hops[dst] > 0)
			add_route(r, d, src, dst);
		if (!check_size(r, d, e))
			return false;
	}
	return true;
}

static int by_link_then_edge(const void *va, const void *vb)
{
	const struct crossing *a = va, *b = vb;
	if (a->link != b->link)
		return a->link < b->link ? -1 : 1;
	return (a->edge > b->edge) - (a->edge < b->edge);
}

static void index_crossings(struct routes *d, size_t n_links)
{
	if (d->n_crossings)
		qsort(d->crossings, d->n_crossings, sizeof *d->crossings, by_link_then_edge);
	d->begin = csr_offsets((int)n_links, d->n_crossings ? &d->crossings->link : NULL, d->n_crossings, sizeof *d->crossings);
}

bool routes_find(const struct topology *t, struct routes *out, struct error *e)
{
	struct router r = router_new(t);
	bool ok = true;

	*out = (struct routes){0};
	for (int src = 0; src < t->nodes && ok; src++)
		ok = join_from(&r, out, src, e);
	if (ok)
		index_crossings(out, t->n_links);
	router_free(&r);
	return ok;
}

void routes_free(struct routes *r)
{
	free(r->edges);
	free(r->crossings);
	free(r->begin);
}
