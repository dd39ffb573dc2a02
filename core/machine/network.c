/*
 * Turns routes into edges and limits: each physical link limits the pairs routed across it, and each limit of the
 * topology the pairs whose routes cross its links. Distances are hops, by one breadth-first search per node.
 */

#include "core/machine/network.h"

#include "core/base/error.h"
#include "core/base/csr.h"
#include "core/base/memory.h"
#include "core/machine/network_routes.h"
#include "core/machine/topology.h"
#include "core/base/work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COVERED_MAX = 1 << 25 };

/* An edge that crosses a link, for a limit. */
struct limited {
	int edge, link;
};

struct edge_list {
	struct limited *of;
	size_t n, capacity;
};

static void index_edges(struct network *w)
{
	struct csr out = csr_by_row(w->nodes, w->n_edges ? &w->edges->src : NULL, w->n_edges, sizeof *w->edges);
	struct csr in = csr_by_row(w->nodes, w->n_edges ? &w->edges->dst : NULL, w->n_edges, sizeof *w->edges);

	w->out_begin = out.begin;
	w->out = out.of;
	w->in_begin = in.begin;
	w->in = in.of;
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
	for (int v = 0; v < w->nodes && work_spend(w->nodes + (double)w->n_edges); v++)
		measure_from(w, v, queue);
	free(queue);
}

/* What counts once on a link: copies into a switch that multicasts, reduces out of one that reduces. */
static unsigned counted_once(const struct topology *t, int link)
{
	return (topology_abilities(t, t->links[link].dst) & MULTICASTS) | (topology_abilities(t, t->links[link].src) & REDUCES);
}

/* The groups of a limit over the crossings L, one for each link; NULL: every send counts. */
static struct crossing_group *groups_of(struct network *w, const struct topology *t, const struct edge_list *l, int *number)
{
	struct crossing_group *groups = NULL;

	for (size_t i = 0; i < l->n; i++)
		if (counted_once(t, l->of[i].link)) {
			groups = new_array(struct crossing_group, l->n);
			break;
		}
	for (size_t i = 0; i < l->n && groups; i++) {
		int *of = &number[l->of[i].link];
		if (*of < 0)
			*of = w->n_groups++;
		groups[i] = (struct crossing_group){*of, counted_once(t, l->of[i].link)};
	}
	for (size_t i = 0; i < l->n && groups; i++)
		number[l->of[i].link] = -1;
	return groups;
}

/* What limits are made from. */
struct limiting {
	const struct topology *t;
	const struct routes *r;
	size_t capacity, covered;
	int *number; /* [link]: -1; scratch space for groups_of */
};

/* Frees the list. Drops a limit that cannot bind because its edges together carry no more. */
static void add_limit(struct network *w, struct limiting *k, const char *name, struct edge_list *l, int bandwidth)
{
	int64_t sum = 0;
	for (size_t i = 0; i < l->n; i++)
		sum += w->edges[l->of[i].edge].bandwidth;
	if (sum > bandwidth) {
		int *edges = new_array(int, l->n);
		for (size_t i = 0; i < l->n; i++)
			edges[i] = l->of[i].edge;
		w->limits = grown(w->limits, &k->capacity, w->n_limits + 1, sizeof *w->limits);
		w->limits[w->n_limits++] =
			(struct network_limit){copy_string(name), l->n, edges, bandwidth, groups_of(w, k->t, l, k->number)};
	}
	free(l->of);
}

static int by_edge(const void *va, const void *vb)
{
	const struct limited *a = va, *b = vb;
	if (a->edge != b->edge)
		return a->edge < b->edge ? -1 : 1;
	return (a->link > b->link) - (a->link < b->link);
}

static void add_crossings(struct edge_list *l, const struct routes *r, size_t link)
{
	size_t begin = (size_t)r->begin[link], end = (size_t)r->begin[link + 1];
	l->of = grown(l->of, &l->capacity, l->n + (end - begin) + 1, sizeof *l->of);
	for (size_t i = begin; i < end; i++)
		l->of[l->n++] = (struct limited){r->crossings[i].edge, (int)link};
}

/* The pairs that a limit of the topology applies to: those whose routes cross its links, each once per crossing. */
static struct edge_list pairs_under(const struct topology *t, const struct limit *limit, const struct routes *r)
{
	struct edge_list l = {0};

	for (size_t i = 0; limit->of != LIMIT_EDGES && i < t->n_links; i++)
		if ((limit->of == LIMIT_OUT_OF ? t->links[i].src : t->links[i].dst) == limit->node)
			add_crossings(&l, r, i);
	for (size_t i = 0; i < limit->n_edges; i++) {
		const struct link *link = topology_link(t, limit->edges[i].src, limit->edges[i].dst);
		if (link)
			add_crossings(&l, r, (size_t)(link - t->links));
	}
	if (l.n)
		qsort(l.of, l.n, sizeof *l.of, by_edge);
	return l;
}

static bool add_all_limits(struct network *w, struct limiting *k, struct error *e)
{
	const struct topology *t = k->t;

	for (size_t i = 0; t->switches && i < t->n_links; i++) {
		struct edge_list l = {0};
		char name[64];
		snprintf(name, sizeof name, "link %d-%d", t->links[i].src, t->links[i].dst);
		add_crossings(&l, k->r, i);
		add_limit(w, k, name, &l, t->links[i].bandwidth);
	}
	for (size_t i = 0; i < t->n_limits; i++) {
		struct edge_list l = pairs_under(t, &t->limits[i], k->r);
		k->covered += l.n;
		add_limit(w, k, t->limits[i].name, &l, t->limits[i].bandwidth);
		if (k->covered > COVERED_MAX)
			return error_set(e, ERROR_LIMIT, t->name, "limits cover more than %d pairs in total", COVERED_MAX);
	}
	return true;
}

static bool add_limits(struct network *w, const struct topology *t, const struct routes *r, struct error *e)
{
	struct limiting k = {.t = t, .r = r, .number = new_array(int, t->n_links)};

	for (size_t i = 0; i < t->n_links; i++)
		k.number[i] = -1;
	bool ok = add_all_limits(w, &k, e);
	free(k.number);
	return ok;
}

struct network *network_new(const struct topology *t, struct error *e)
{
	struct routes r;
	struct network *w = NULL;

	if (routes_find(t, &r, e)) {
		w = new(struct network);
		w->nodes = t->nodes;
		w->n_edges = r.n_edges;
		w->edges = r.edges;
		r.edges = NULL;
		index_edges(w);
		measure(w);
		if (!add_limits(w, t, &r, e)) {
			network_free(w);
			w = NULL;
		} else if (w->n_groups == 0 && topology_has_abilities(t)) {
			w->n_groups = 1; /* no two routes share such a link, but files and claims go by the machine */
		}
	}
	routes_free(&r);
	return w;
}

/* A reversed edge and its index before. */
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

/* Writes the reversed edges, sorted, to INTO. Returns [old index]: the new index, which the caller frees. */
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

/* The limit L with its edges renumbered by NOW [old index], where copies become reduces and reduces copies. */
static struct network_limit limit_reversed(const struct network_limit *l, const int *now)
{
	struct network_limit r = {copy_string(l->name), l->n_edges, new_array(int, l->n_edges), l->bandwidth,
				  l->groups ? new_array(struct crossing_group, l->n_edges) : NULL};
	struct limited *list = new_array(struct limited, l->n_edges); /* in place of a link: the old position */

	for (size_t k = 0; k < l->n_edges; k++)
		list[k] = (struct limited){now[l->edges[k]], (int)k};
	qsort(list, l->n_edges, sizeof *list, by_edge);
	for (size_t k = 0; k < l->n_edges; k++) {
		r.edges[k] = list[k].edge;
		if (l->groups) {
			struct crossing_group g = l->groups[list[k].link];
			r.groups[k] = (struct crossing_group){g.group, abilities_reversed(g.abilities)};
		}
	}
	free(list);
	return r;
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
	for (size_t i = 0; i < w->n_limits; i++)
		r->limits[i] = limit_reversed(&w->limits[i], now);
	r->n_groups = w->n_groups;
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
		free(w->limits[i].groups);
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

bool network_counts_all(const struct network *w, const char *where, struct error *e)
{
	return w->n_groups == 0 || error_set(e, ERROR_INPUT, where, "no search knows switches that copy or add; `build`, `pareto` and "
					     "`best` construct algorithms for them, and `bounds` bounds these");
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

int64_t network_rounds(const struct network *w, const int64_t *edge_loads)
{
	int64_t most = 0;

	for (size_t e = 0; e < w->n_edges; e++) {
		int64_t r = quotient_up(edge_loads[e], w->edges[e].bandwidth);
		most = r > most ? r : most;
	}
	for (size_t l = 0; l < w->n_limits; l++) {
		int64_t load = 0;
		for (size_t i = 0; i < w->limits[l].n_edges; i++)
			load += edge_loads[w->limits[l].edges[i]];
		int64_t r = quotient_up(load, w->limits[l].bandwidth);
		most = r > most ? r : most;
	}
	return most;
}
