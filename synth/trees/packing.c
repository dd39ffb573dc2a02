/*
 * Packings: the rows (edges and limits) that trees load, shortest trees by row lengths, and the candidates with their
 * loads. Undirected trees use one arc per pair, as wide as the narrower direction and as long as both directions
 * together.
 */

#include "synth/trees/packing.h"

#include "core/base/error.h"
#include "core/graph/linear_program.h"
#include "core/base/memory.h"
#include "core/machine/limit_index.h"
#include "core/machine/network.h"
#include "core/graph/arborescence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* outweighs the prices of a whole tree */
static const double A_LINK = 100;

static void index_rows(struct packing *p)
{
	const struct network *w = p->network;
	bool *idle = limit_covered_edges(w); /* a limit over such an edge fills up first: the edge needs no row */
	int *row = new_array(int, w->n_edges);

	p->n_rows = w->n_edges + w->n_limits;
	p->width = new_array(int64_t, p->n_rows);
	for (size_t i = 0; i < w->n_edges; i++) {
		p->width[i] = w->edges[i].bandwidth;
		row[i] = idle[i] ? -1 : (int)i;
	}
	for (size_t l = 0; l < w->n_limits; l++)
		p->width[w->n_edges + l] = w->limits[l].bandwidth;
	p->loaded = limit_index(w, row, (int)w->n_edges);
	free(row);
	free(idle);
}

static void number_rows(struct packing *p)
{
	const struct network *w = p->network;

	p->place = new_array(int, p->n_rows);
	p->back = new_array(int, w->n_edges);
	for (size_t r = 0; r < p->n_rows; r++)
		p->place[r] = -1;
	for (int k = 0; k < p->loaded.begin[w->n_edges]; k++)
		p->place[p->loaded.of[k]] = 0;
	for (size_t r = 0; r < p->n_rows; r++)
		if (p->place[r] == 0)
			p->place[r] = p->n_places++;
	for (size_t i = 0; i < w->n_edges; i++)
		p->back[i] = network_edge(w, w->edges[i].dst, w->edges[i].src);
}

bool packing_new(const struct network *w, int root, const char *name, struct packing *out, struct error *e)
{
	*out = (struct packing){.network = w, .root = root};
	if (w->nodes > PACKING_NODES_MAX)
		return error_set(e, ERROR_LIMIT, name, "packs trees into machines of up to %d nodes, but this one has %d",
				 PACKING_NODES_MAX, w->nodes);
	index_rows(out);
	number_rows(out);
	return true;
}

static void forget(struct packed *t)
{
	free(t->parent);
	free(t->row);
	free(t->load);
}

/* The program's columns are in the order of the candidates, which changes. */
static void forget_program(struct packing *p)
{
	linear_free(p->program);
	p->program = NULL;
	p->n_columns = 0;
}

void packing_forget(struct packing *p)
{
	forget_program(p);
	for (size_t i = 0; i < p->n; i++)
		forget(&p->of[i]);
	free(p->of);
	p->of = NULL;
	p->n = p->capacity = 0;
}

void packing_free(struct packing *p)
{
	packing_forget(p);
	free(p->place);
	free(p->back);
	free(p->width);
	csr_free(&p->loaded);
}

/* False: a row that the edge loads is full. */
static bool is_open(const struct packing *p, size_t edge)
{
	if (!p->narrowed)
		return true;
	for (int k = p->loaded.begin[edge]; k < p->loaded.begin[edge + 1]; k++)
		if (p->width[p->loaded.of[k]] <= 0)
			return false;
	return true;
}

static double length_of(const struct packing *p, const double *lengths, size_t edge)
{
	double sum = 0;

	for (int k = p->loaded.begin[edge]; k < p->loaded.begin[edge + 1]; k++)
		sum += lengths[p->loaded.of[k]] + (p->frugal && (size_t)p->loaded.of[k] >= p->network->n_edges ? A_LINK : 0);
	return sum;
}

/* One arc per edge; for undirected trees one per pair, for both its edges. */
static size_t list_arcs(const struct packing *p, const double *lengths, int width, struct arc *arcs)
{
	const struct network *w = p->network;
	size_t n = 0;

	for (size_t i = 0; i < w->n_edges; i++) {
		const struct edge *e = &w->edges[i];
		if (e->bandwidth < width || !is_open(p, i) || (p->root < 0 && e->src > e->dst))
			continue;
		struct arc arc = {e->src, e->dst, length_of(p, lengths, i)};
		if (p->root < 0) {
			int back = p->back[i];
			if (back < 0 || w->edges[back].bandwidth < width || !is_open(p, (size_t)back))
				continue;
			arc.length += length_of(p, lengths, (size_t)back);
		}
		arcs[n++] = arc;
	}
	return n;
}

static double length_of_tree(const struct packing *p, const double *lengths, const int *parent)
{
	double sum = p->frugal ? -A_LINK * p->least_links : 0;

	for (int v = 0; v < p->network->nodes; v++) {
		if (parent[v] < 0)
			continue;
		sum += length_of(p, lengths, (size_t)network_edge(p->network, parent[v], v));
		if (p->root < 0)
			sum += length_of(p, lengths, (size_t)network_edge(p->network, v, parent[v]));
	}
	return sum;
}

bool packing_tree(const struct packing *p, const double *lengths, int width, int *parent, double *length)
{
	int nodes = p->network->nodes;
	struct arc *arcs = new_array(struct arc, p->network->n_edges);
	size_t n = list_arcs(p, lengths, width, arcs);
	bool is = p->root < 0 ? minimum_spanning_tree(nodes, arcs, n, parent) : minimum_arborescence(nodes, p->root, arcs, n, parent);

	*length = is ? length_of_tree(p, lengths, parent) : 0;
	free(arcs);
	return is;
}

static void load_edge(const struct packing *p, int src, int dst, int *loads, struct packed *t)
{
	int edge = network_edge(p->network, src, dst);

	for (int k = p->loaded.begin[edge]; k < p->loaded.begin[edge + 1]; k++) {
		loads[p->loaded.of[k]]++;
		t->links += (size_t)p->loaded.of[k] >= p->network->n_edges;
	}
}

static void count_loads(const struct packing *p, struct packed *t)
{
	int *loads = new_array(int, p->n_rows);

	for (int v = 0; v < p->network->nodes; v++)
		if (t->parent[v] >= 0) {
			load_edge(p, t->parent[v], v, loads, t);
			if (p->root < 0)
				load_edge(p, v, t->parent[v], loads, t);
		}
	for (size_t r = 0; r < p->n_rows; r++)
		t->n_loads += loads[r] > 0;
	t->row = new_array(int, (size_t)t->n_loads);
	t->load = new_array(int, (size_t)t->n_loads);
	t->most = INFINITY;
	int n = 0;
	for (size_t r = 0; r < p->n_rows; r++)
		if (loads[r]) {
			t->row[n] = (int)r;
			t->load[n++] = loads[r];
			t->most = fmin(t->most, (double)p->width[r] / loads[r]);
		}
	free(loads);
}

size_t packing_add(struct packing *p, const int *parent)
{
	size_t bytes = (size_t)p->network->nodes * sizeof *parent;

	for (size_t i = 0; i < p->n; i++)
		if (memcmp(p->of[i].parent, parent, bytes) == 0)
			return i;
	p->of = grown(p->of, &p->capacity, p->n + 1, sizeof *p->of);
	struct packed *t = &p->of[p->n];
	*t = (struct packed){.parent = copy_bytes(parent, bytes)};
	count_loads(p, t);
	return p->n++;
}

static int by_weight(const void *a, const void *b)
{
	const struct packed *x = a, *y = b;
	if (x->weight != y->weight)
		return (x->weight < y->weight) - (x->weight > y->weight);
	return (x->number > y->number) - (x->number < y->number);
}

void packing_keep(struct packing *p, size_t n)
{
	forget_program(p);
	for (size_t i = 0; i < p->n; i++)
		p->of[i].number = i;
	qsort(p->of, p->n, sizeof *p->of, by_weight);
	for (; p->n > n; p->n--)
		forget(&p->of[p->n - 1]);
}
