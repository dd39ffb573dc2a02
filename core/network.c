#include "core/network.h"

#include "core/error.h"
#include "core/memory.h"
#include "core/topology.h"

#include <stdlib.h>
#include <string.h>

enum { EDGES_MAX = 1 << 22 };

/* The routes of pairs through switches, and what each physical link carries. */
struct router {
	const struct topology *t;
	int n;               /* nodes and switches */
	int *in_begin, *in;  /* links entering v: indices into t->links */
	int *out_begin;      /* links leaving v are t->links[out_begin[v]] .. [out_begin[v + 1] - 1] */
	int *hops;           /* from the source at hand, over switches alone; -1: not reached */
	int *queue;
	int *load;           /* pairs routed over each link so far */
};

struct draft {
	size_t n_edges, edges_capacity;
	struct edge *edges;
	size_t n_crossings, crossings_capacity;
	struct crossing {
		int link, edge; /* that this edge's route crosses; in the order of edges */
	} *crossings;
};

static void index_links(struct router *r)
{
	const struct topology *t = r->t;

	for (size_t i = 0; i < t->n_links; i++) {
		r->out_begin[t->links[i].src + 1]++;
		r->in_begin[t->links[i].dst + 1]++;
	}
	for (int v = 0; v < r->n; v++) {
		r->out_begin[v + 1] += r->out_begin[v];
		r->in_begin[v + 1] += r->in_begin[v];
	}
	int *next = copy_bytes(r->in_begin, ((size_t)r->n + 1) * sizeof *next);
	for (size_t i = 0; i < t->n_links; i++)
		r->in[next[t->links[i].dst]++] = (int)i;
	free(next);
}

static struct router router_new(const struct topology *t)
{
	struct router r = {.t = t, .n = t->nodes + t->switches};
	r.in_begin = new_array(int, (size_t)r.n + 1);
	r.out_begin = new_array(int, (size_t)r.n + 1);
	r.in = new_array(int, t->n_links);
	r.hops = new_array(int, (size_t)r.n);
	r.queue = new_array(int, (size_t)r.n);
	r.load = new_array(int, t->n_links);
	index_links(&r);
	return r;
}

static void router_free(struct router *r)
{
	free(r->in_begin);
	free(r->out_begin);
	free(r->in);
	free(r->hops);
	free(r->queue);
	free(r->load);
}

/* Hops from SOURCE along links whose inner vertices are switches. */
static void reach(struct router *r, int source)
{
	int head = 0, tail = 0;

	for (int v = 0; v < r->n; v++)
		r->hops[v] = -1;
	r->hops[source] = 0;
	r->queue[tail++] = source;
	while (head < tail) {
		int v = r->queue[head++];
		if (v != source && v < r->t->nodes)
			continue; /* nodes end a route */
		for (int i = r->out_begin[v]; i < r->out_begin[v + 1]; i++) {
			int to = r->t->links[i].dst;
			if (r->hops[to] < 0) {
				r->hops[to] = r->hops[v] + 1;
				r->queue[tail++] = to;
			}
		}
	}
}

/* Of the links that end a shortest way to V the least loaded for its width, then the first: so pairs spread. */
static int link_towards(const struct router *r, int v)
{
	int best = -1;
	for (int i = r->in_begin[v]; i < r->in_begin[v + 1]; i++) {
		const struct link *l = &r->t->links[r->in[i]];
		if (r->hops[l->src] != r->hops[v] - 1 || (l->src < r->t->nodes && r->hops[l->src] > 0))
			continue;
		if (best < 0 || (int64_t)r->load[r->in[i]] * r->t->links[best].bandwidth <
					(int64_t)r->load[best] * l->bandwidth)
			best = r->in[i];
	}
	return best;
}

static void add_edge(struct draft *d, int src, int dst, int bandwidth)
{
	d->edges = grown(d->edges, &d->edges_capacity, d->n_edges + 1, sizeof *d->edges);
	d->edges[d->n_edges++] = (struct edge){src, dst, bandwidth};
}

static void add_crossing(struct draft *d, int link)
{
	d->crossings = grown(d->crossings, &d->crossings_capacity, d->n_crossings + 1, sizeof *d->crossings);
	d->crossings[d->n_crossings++] = (struct crossing){link, (int)d->n_edges - 1};
}

static void add_route(struct router *r, struct draft *d, int src, int dst)
{
	int width = BANDWIDTH_MAX;

	add_edge(d, src, dst, 0);
	for (int v = dst; v != src;) {
		int link = link_towards(r, v);
		r->load[link]++;
		if (r->t->links[link].bandwidth < width)
			width = r->t->links[link].bandwidth;
		add_crossing(d, link);
		v = r->t->links[link].src;
	}
	d->edges[d->n_edges - 1].bandwidth = width;
}

/* A direct link is the edge of its pair; other pairs are joined by the shortest route through switches, if there is one. */
static bool draft_edges(struct router *r, struct draft *d, struct error *e)
{
	const struct topology *t = r->t;

	for (int src = 0; src < t->nodes; src++) {
		if (t->switches)
			reach(r, src);
		int next = r->out_begin[src], end = r->out_begin[src + 1];
		for (int dst = 0; dst < t->nodes; dst++) {
			while (next < end && t->links[next].dst < dst)
				next++;
			if (next < end && t->links[next].dst == dst) {
				add_edge(d, src, dst, t->links[next].bandwidth);
				add_crossing(d, next);
			} else if (t->switches && dst != src && r->hops[dst] > 0)
				add_route(r, d, src, dst);
		}
		if (d->n_edges > EDGES_MAX)
			return error_set(e, ERROR_INPUT, t->name, "joins more than %d pairs of nodes", EDGES_MAX);
	}
	return true;
}

static void index_edges(struct network *w)
{
	size_t n = (size_t)w->nodes + 1;
	w->out_begin = new_array(int, n);
	w->in_begin = new_array(int, n);
	w->out = new_array(int, w->n_edges);
	w->in = new_array(int, w->n_edges);
	for (size_t i = 0; i < w->n_edges; i++) {
		w->out_begin[w->edges[i].src + 1]++;
		w->in_begin[w->edges[i].dst + 1]++;
	}
	for (int v = 0; v < w->nodes; v++) {
		w->out_begin[v + 1] += w->out_begin[v];
		w->in_begin[v + 1] += w->in_begin[v];
	}
	int *out = copy_bytes(w->out_begin, n * sizeof *out), *in = copy_bytes(w->in_begin, n * sizeof *in);
	for (size_t i = 0; i < w->n_edges; i++) {
		w->out[out[w->edges[i].src]++] = (int)i;
		w->in[in[w->edges[i].dst]++] = (int)i;
	}
	free(out);
	free(in);
}

static void measure_from(struct network *w, int source, int *queue)
{
	uint16_t *distance = &w->distance[(size_t)source * (size_t)w->nodes];
	int head = 0, tail = 0;

	memset(distance, 0xff, (size_t)w->nodes * sizeof *distance);
	distance[source] = 0;
	queue[tail++] = source;
	while (head < tail && tail < w->nodes) {
		int v = queue[head++];
		for (int i = w->out_begin[v]; i < w->out_begin[v + 1]; i++) {
			int to = w->edges[w->out[i]].dst;
			if (distance[to] != UNREACHABLE)
				continue;
			distance[to] = (uint16_t)(distance[v] + 1);
			queue[tail++] = to;
		}
	}
}

static void measure(struct network *w)
{
	int *queue = new_array(int, (size_t)w->nodes);
	w->distance = new_array(uint16_t, (size_t)w->nodes * (size_t)w->nodes);
	for (int v = 0; v < w->nodes; v++)
		measure_from(w, v, queue);
	free(queue);
}

/* Takes the edges. A limit that cannot bind, since its edges carry less together, is dropped. */
static void add_limit(struct network *w, size_t *capacity, const char *name, int *edges, size_t n, int bandwidth)
{
	int64_t sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += w->edges[edges[i]].bandwidth;
	if (sum <= bandwidth) {
		free(edges);
		return;
	}
	w->limits = grown(w->limits, capacity, w->n_limits + 1, sizeof *w->limits);
	w->limits[w->n_limits++] = (struct network_limit){copy_string(name), n, edges, bandwidth};
}

static int by_link_then_edge(const void *va, const void *vb)
{
	const struct crossing *a = va, *b = vb;
	if (a->link != b->link)
		return a->link < b->link ? -1 : 1;
	return (a->edge > b->edge) - (a->edge < b->edge);
}

static int by_number(const void *va, const void *vb)
{
	const int *a = va, *b = vb;
	return (*a > *b) - (*a < *b);
}

/* The crossings of one link, after they are sorted by link. */
static const struct crossing *crossings_of(const struct draft *d, int link, size_t *n)
{
	size_t low = 0, high = d->n_crossings;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (d->crossings[middle].link < link)
			low = middle + 1;
		else
			high = middle;
	}
	size_t end = low;
	while (end < d->n_crossings && d->crossings[end].link == link)
		end++;
	*n = end - low;
	return d->crossings + low;
}

struct list {
	int *edges;
	size_t n, capacity;
};

static void add_crossings(struct list *l, const struct draft *d, int link)
{
	size_t n;
	const struct crossing *c = crossings_of(d, link, &n);
	l->edges = grown(l->edges, &l->capacity, l->n + n + 1, sizeof *l->edges);
	for (size_t i = 0; i < n; i++)
		l->edges[l->n++] = c[i].edge;
}

/* What a limit of the machine covers: the pairs whose routes cross its links. */
static struct list pairs_under(const struct topology *t, const struct limit *limit, const struct draft *d)
{
	struct list l = {0};

	for (size_t i = 0; i < t->n_links; i++)
		if ((limit->of == LIMIT_OUT_OF && t->links[i].src == limit->node) ||
		    (limit->of == LIMIT_INTO && t->links[i].dst == limit->node))
			add_crossings(&l, d, (int)i);
	for (size_t i = 0; limit->of == LIMIT_EDGES && i < limit->n_edges; i++) {
		const struct link *link = topology_link(t, limit->edges[i].src, limit->edges[i].dst);
		if (link)
			add_crossings(&l, d, (int)(link - t->links));
	}
	if (l.n)
		qsort(l.edges, l.n, sizeof *l.edges, by_number);
	return l;
}

static void add_limits(struct network *w, const struct topology *t, struct draft *d)
{
	size_t capacity = 0;

	if (d->n_crossings)
		qsort(d->crossings, d->n_crossings, sizeof *d->crossings, by_link_then_edge);
	for (size_t i = 0; t->switches && i < t->n_links; i++) {
		struct list l = {0};
		add_crossings(&l, d, (int)i);
		add_limit(w, &capacity, "link", l.edges, l.n, t->links[i].bandwidth);
	}
	for (size_t i = 0; i < t->n_limits; i++) {
		struct list l = pairs_under(t, &t->limits[i], d);
		add_limit(w, &capacity, t->limits[i].name, l.edges, l.n, t->limits[i].bandwidth);
	}
}

struct network *network_new(const struct topology *t, struct error *e)
{
	struct router r = router_new(t);
	struct draft d = {0};
	struct network *w = NULL;

	if (draft_edges(&r, &d, e)) {
		w = new(struct network);
		w->nodes = t->nodes;
		w->n_edges = d.n_edges;
		w->edges = d.edges;
		d.edges = NULL;
		index_edges(w);
		measure(w);
		add_limits(w, t, &d);
	}
	free(d.edges);
	free(d.crossings);
	router_free(&r);
	return w;
}

struct turned {
	struct edge edge;
	int was;
};

static int by_ends(const void *va, const void *vb)
{
	const struct turned *a = va, *b = vb;
	if (a->edge.src != b->edge.src)
		return a->edge.src < b->edge.src ? -1 : 1;
	return (a->edge.dst > b->edge.dst) - (a->edge.dst < b->edge.dst);
}

/* now[was] of each edge after the turn. */
static int *turn_edges(const struct network *w, struct edge *into)
{
	struct turned *turned = new_array(struct turned, w->n_edges);
	int *now = new_array(int, w->n_edges);

	for (size_t i = 0; i < w->n_edges; i++)
		turned[i] = (struct turned){{w->edges[i].dst, w->edges[i].src, w->edges[i].bandwidth}, (int)i};
	qsort(turned, w->n_edges, sizeof *turned, by_ends);
	for (size_t i = 0; i < w->n_edges; i++) {
		into[i] = turned[i].edge;
		now[turned[i].was] = (int)i;
	}
	free(turned);
	return now;
}

struct network *network_reversed(const struct network *w)
{
	struct network *r = new(struct network);

	r->nodes = w->nodes;
	r->n_edges = w->n_edges;
	r->edges = new_array(struct edge, w->n_edges);
	int *now = turn_edges(w, r->edges);
	index_edges(r);
	measure(r);
	r->n_limits = w->n_limits;
	r->limits = new_array(struct network_limit, w->n_limits);
	for (size_t i = 0; i < w->n_limits; i++) {
		struct network_limit *l = &r->limits[i];
		*l = (struct network_limit){copy_string(w->limits[i].name), w->limits[i].n_edges,
					    new_array(int, w->limits[i].n_edges), w->limits[i].bandwidth};
		for (size_t k = 0; k < l->n_edges; k++)
			l->edges[k] = now[w->limits[i].edges[k]];
		qsort(l->edges, l->n_edges, sizeof *l->edges, by_number);
	}
	free(now);
	return r;
}

void network_free(struct network *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->n_limits; i++) {
		free(w->limits[i].name);
		free(w->limits[i].edges);
	}
	free(w->limits);
	free(w->edges);
	free(w->out_begin);
	free(w->out);
	free(w->in_begin);
	free(w->in);
	free(w->distance);
	free(w);
}

int network_edge(const struct network *w, int src, int dst)
{
	int low = w->out_begin[src], high = w->out_begin[src + 1];
	while (low < high) {
		int middle = low + (high - low) / 2;
		if (w->edges[w->out[middle]].dst < dst)
			low = middle + 1;
		else
			high = middle;
	}
	return low < w->out_begin[src + 1] && w->edges[w->out[low]].dst == dst ? w->out[low] : -1;
}
