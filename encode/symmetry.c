#include "encode/symmetry.h"

#include "core/memory.h"
#include "core/network.h"

#include <limits.h>
#include <nauty/nausparse.h>
#include <stdlib.h>
#include <string.h>

/*
 * The network as a coloured digraph: a vertex for each node, each edge and each limit, coloured by what it is and by its
 * bandwidth; arcs from an edge's source to it and from it to its target, and from a limit to its edges. A limit that counts
 * an edge twice is two vertices, one behind the other. An automorphism of that is one of the machine.
 */
struct picture {
	const struct network *w;
	int vertices;
	size_t n_arcs, capacity;
	struct arc {
		int from, to;
	} *arcs;
	sparsegraph graph;
	int *lab, *ptn, *orbits;
	long *color; /* [vertex]; nodes 0, edges 1 + bandwidth, limits below 0, a root alone below all */
};

static int edge_vertex(const struct network *w, size_t e)
{
	return w->nodes + (int)e;
}

static void add_arc(struct picture *p, int from, int to)
{
	p->arcs = grown(p->arcs, &p->capacity, p->n_arcs + 1, sizeof *p->arcs);
	p->arcs[p->n_arcs++] = (struct arc){from, to};
}

/* How often a limit counts the edge that it counts most: its edges are sorted. */
static int layers_of(const struct network_limit *l)
{
	int most = 1;

	for (size_t i = 0, run = 0; i < l->n_edges; i++) {
		run = i && l->edges[i] == l->edges[i - 1] ? run + 1 : 1;
		most = (int)run > most ? (int)run : most;
	}
	return most;
}

static void draw_limit(struct picture *p, int first, const struct network_limit *l, int layers)
{
	for (size_t i = 0, layer = 0; i < l->n_edges; i++) {
		layer = i && l->edges[i] == l->edges[i - 1] ? layer + 1 : 0;
		add_arc(p, first + (int)layer, edge_vertex(p->w, (size_t)l->edges[i]));
	}
	for (int layer = 0; layer < layers; layer++) {
		p->color[first + layer] = -1 - (long)l->bandwidth;
		if (layer)
			add_arc(p, first + layer - 1, first + layer);
	}
}

static void draw(struct picture *p)
{
	const struct network *w = p->w;
	int next = edge_vertex(w, w->n_edges);

	for (size_t e = 0; e < w->n_edges; e++) {
		add_arc(p, w->edges[e].src, edge_vertex(w, e));
		add_arc(p, edge_vertex(w, e), w->edges[e].dst);
		p->color[edge_vertex(w, e)] = 1 + w->edges[e].bandwidth;
	}
	for (size_t l = 0; l < w->n_limits; l++) {
		int layers = layers_of(&w->limits[l]);
		draw_limit(p, next, &w->limits[l], layers);
		next += layers;
	}
}

/* nauty's form of the arcs: those of each vertex in a row. */
static void list_arcs(struct picture *p)
{
	size_t at = 0;

	SG_INIT(p->graph);
	SG_ALLOC(p->graph, (size_t)p->vertices, p->n_arcs + 1, "symmetry");
	p->graph.nv = p->vertices;
	p->graph.nde = p->n_arcs;
	memset(p->graph.d, 0, (size_t)p->vertices * sizeof *p->graph.d);
	for (size_t i = 0; i < p->n_arcs; i++)
		p->graph.d[p->arcs[i].from]++;
	for (int v = 0; v < p->vertices; v++) {
		p->graph.v[v] = at;
		at += (size_t)p->graph.d[v];
		p->graph.d[v] = 0;
	}
	for (size_t i = 0; i < p->n_arcs; i++) {
		int from = p->arcs[i].from;
		p->graph.e[p->graph.v[from] + (size_t)p->graph.d[from]++] = p->arcs[i].to;
	}
}

struct coloured {
	long color;
	int vertex;
};

static int by_color(const void *va, const void *vb)
{
	const struct coloured *a = va, *b = vb;
	if (a->color != b->color)
		return a->color < b->color ? -1 : 1;
	return (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

/* nauty's form of a colouring: vertices by colour, a 0 at the last of each. */
static void color(struct picture *p)
{
	struct coloured *sorted = new_array(struct coloured, (size_t)p->vertices);

	for (int v = 0; v < p->vertices; v++)
		sorted[v] = (struct coloured){p->color[v], v};
	qsort(sorted, (size_t)p->vertices, sizeof *sorted, by_color);
	for (int i = 0; i < p->vertices; i++) {
		p->lab[i] = sorted[i].vertex;
		p->ptn[i] = i + 1 < p->vertices && sorted[i + 1].color == sorted[i].color;
	}
	free(sorted);
}

static void picture_open(struct picture *p, const struct network *w, int root)
{
	*p = (struct picture){.w = w, .vertices = edge_vertex(w, w->n_edges)};
	for (size_t l = 0; l < w->n_limits; l++)
		p->vertices += layers_of(&w->limits[l]);
	p->lab = new_array(int, (size_t)p->vertices);
	p->ptn = new_array(int, (size_t)p->vertices);
	p->orbits = new_array(int, (size_t)p->vertices);
	p->color = new_array(long, (size_t)p->vertices);
	if (root >= 0)
		p->color[root] = LONG_MIN;
	draw(p);
	list_arcs(p);
	color(p);
}

static void picture_close(struct picture *p)
{
	SG_FREE(p->graph);
	free(p->arcs);
	free(p->lab);
	free(p->ptn);
	free(p->orbits);
	free(p->color);
}

void symmetry_node_orbits(const struct network *w, int *orbit)
{
	DEFAULTOPTIONS_SPARSEDIGRAPH(options);
	statsblk stats;
	struct picture p;

	picture_open(&p, w, -1);
	options.defaultptn = FALSE;
	sparsenauty(&p.graph, p.lab, p.ptn, p.orbits, &options, &stats, NULL);
	memcpy(orbit, p.orbits, (size_t)w->nodes * sizeof *orbit); /* nauty gives the least of each orbit */
	picture_close(&p);
}

void symmetry_canonical_order(const struct network *w, int root, int *place)
{
	DEFAULTOPTIONS_SPARSEDIGRAPH(options);
	statsblk stats;
	struct picture p;
	sparsegraph canonical;
	int next = 0;

	picture_open(&p, w, root);
	SG_INIT(canonical);
	options.defaultptn = FALSE;
	options.getcanon = TRUE;
	sparsenauty(&p.graph, p.lab, p.ptn, p.orbits, &options, &stats, &canonical);
	for (int i = 0; i < p.vertices; i++)
		if (p.lab[i] < w->nodes)
			place[p.lab[i]] = next++;
	SG_FREE(canonical);
	picture_close(&p);
}

/* nauty tells each generator to a function without a context. */
static struct {
	int nodes, *images;
	size_t n, capacity;
} told;

static void hear(int count, int *image, int *orbits, int n_orbits, int fixed, int n)
{
	size_t nodes = (size_t)told.nodes;

	(void)count, (void)orbits, (void)n_orbits, (void)fixed, (void)n;
	told.images = grown(told.images, &told.capacity, (told.n + 1) * nodes, sizeof *told.images);
	memcpy(told.images + told.n++ * nodes, image, nodes * sizeof *image);
}

int *symmetry_generators(const struct network *w, int root, size_t *n)
{
	DEFAULTOPTIONS_SPARSEDIGRAPH(options);
	statsblk stats;
	struct picture p;

	picture_open(&p, w, root);
	told.nodes = w->nodes, told.images = NULL, told.n = told.capacity = 0;
	options.defaultptn = FALSE;
	options.userautomproc = hear;
	sparsenauty(&p.graph, p.lab, p.ptn, p.orbits, &options, &stats, NULL);
	picture_close(&p);
	*n = told.n;
	return told.images;
}
