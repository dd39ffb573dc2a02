/* The links are kept sorted by (src, dst): lookup is by binary search. */

#include "core/machine/topology.h"

#include "core/base/memory.h"
#include "core/machine/topology_rows.h"

#include <stdlib.h>

int link_order(const void *va, const void *vb)
{
	const struct link *a = va, *b = vb;
	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	return (a->dst > b->dst) - (a->dst < b->dst);
}

void topology_add_link(struct topology *t, size_t *capacity, int src, int dst, int bandwidth)
{
	t->links = grown(t->links, capacity, t->n_links + 1, sizeof *t->links);
	t->links[t->n_links++] = (struct link){src, dst, bandwidth, -1};
}

void topology_sort_links(struct topology *t)
{
	if (t->n_links)
		qsort(t->links, t->n_links, sizeof *t->links, link_order);
}

const struct link *topology_link(const struct topology *t, int src, int dst)
{
	struct link key = {src, dst, 0, -1};
	return t->n_links ? bsearch(&key, t->links, t->n_links, sizeof *t->links, link_order) : NULL;
}

unsigned topology_abilities(const struct topology *t, int v)
{
	return t->abilities && v >= t->nodes ? t->abilities[v - t->nodes] : 0;
}

bool topology_has_abilities(const struct topology *t)
{
	for (int s = 0; t->abilities && s < t->switches; s++)
		if (t->abilities[s])
			return true;
	return false;
}

struct topology *topology_copy(const struct topology *t)
{
	struct topology *c = copy_bytes(t, sizeof *t);

	c->name = copy_string(t->name);
	c->description = copy_string(t->description);
	c->source = copy_string(t->source);
	c->links = copy_bytes(t->links, t->n_links * sizeof *t->links);
	c->limits = copy_bytes(t->limits, t->n_limits * sizeof *t->limits);
	c->kinds = copy_bytes(t->kinds, t->n_kinds * sizeof *t->kinds);
	if (t->abilities)
		c->abilities = copy_bytes(t->abilities, (size_t)t->switches * sizeof *t->abilities);
	for (size_t i = 0; i < t->n_limits; i++) {
		c->limits[i].name = copy_string(t->limits[i].name);
		c->limits[i].edges = copy_bytes(t->limits[i].edges, t->limits[i].n_edges * sizeof *t->limits[i].edges);
	}
	for (size_t i = 0; i < t->n_kinds; i++)
		c->kinds[i].name = copy_string(t->kinds[i].name);
	return c;
}

int edge_ends_order(const void *va, const void *vb)
{
	const struct edge_ends *a = va, *b = vb;
	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	return (a->dst > b->dst) - (a->dst < b->dst);
}

unsigned abilities_reversed(unsigned abilities)
{
	return (abilities & MULTICASTS ? REDUCES : 0u) | (abilities & REDUCES ? MULTICASTS : 0u);
}

static void reverse_limit(struct limit *l)
{
	if (l->of != LIMIT_EDGES)
		l->of = l->of == LIMIT_INTO ? LIMIT_OUT_OF : LIMIT_INTO;
	for (size_t i = 0; i < l->n_edges; i++)
		l->edges[i] = (struct edge_ends){l->edges[i].dst, l->edges[i].src};
	if (l->n_edges)
		qsort(l->edges, l->n_edges, sizeof *l->edges, edge_ends_order);
}

struct topology *topology_reversed(const struct topology *t)
{
	struct topology *r = topology_copy(t);

	for (size_t i = 0; i < r->n_links; i++) {
		r->links[i].src = t->links[i].dst;
		r->links[i].dst = t->links[i].src;
	}
	topology_sort_links(r);
	for (size_t i = 0; i < r->n_limits; i++)
		reverse_limit(&r->limits[i]);
	for (int s = 0; r->abilities && s < r->switches; s++)
		r->abilities[s] = (unsigned char)abilities_reversed(r->abilities[s]);
	return r;
}

void topology_free(struct topology *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n_limits; i++) {
		free(t->limits[i].name);
		free(t->limits[i].edges);
	}
	for (size_t i = 0; i < t->n_kinds; i++)
		free(t->kinds[i].name);
	free(t->limits);
	free(t->kinds);
	free(t->links);
	free(t->abilities);
	free(t->name);
	free(t->description);
	free(t->source);
	free(t);
}
