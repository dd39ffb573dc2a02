#include "encode/symmetry.h"

#include "core/memory.h"
#include "core/network.h"

#include <nauty/nausparse.h>
#include <stdlib.h>
#include <string.h>

/*
 * The network as a coloured digraph: a vertex for each node, each edge and each limit, coloured by what it is and by its
 * bandwidth; arcs from an edge's source to it and from it to its target, and from a limit to its edges. An automorphism
 * of that is one of the machine.
 */
struct picture {
	const struct network *w;
	int vertices;
	sparsegraph graph;
	int *lab, *ptn, *orbits;
	long *color; /* [vertex]; nodes 0, edges 1 + bandwidth, limits below 0 */
};

static int edge_vertex(const struct network *w, size_t e)
{
	return w->nodes + (int)e;
}

static int limit_vertex(const struct network *w, size_t l)
{
	return w->nodes + (int)w->n_edges + (int)l;
}

static void add_arc(struct picture *p, int from, int to)
{
	p->graph.e[p->graph.v[from] + (size_t)p->graph.d[from]++] = to;
}

static void draw(struct picture *p)
{
	const struct network *w = p->w;
	size_t arcs = 2 * w->n_edges, at = 0;

	for (size_t l = 0; l < w->n_limits; l++)
		arcs += w->limits[l].n_edges;
	SG_INIT(p->graph);
	SG_ALLOC(p->graph, (size_t)p->vertices, arcs, "symmetry");
	p->graph.nv = p->vertices;
	p->graph.nde = arcs;
	for (int v = 0; v < p->vertices; v++) {
		p->graph.v[v] = at;
		p->graph.d[v] = 0;
		if (v < w->nodes)
			at += (size_t)(w->out_begin[v + 1] - w->out_begin[v]);
		else if (v < limit_vertex(w, 0))
			at += 1;
		else
			at += w->limits[v - limit_vertex(w, 0)].n_edges;
	}
	for (size_t e = 0; e < w->n_edges; e++) {
		add_arc(p, w->edges[e].src, edge_vertex(w, e));
		add_arc(p, edge_vertex(w, e), w->edges[e].dst);
		p->color[edge_vertex(w, e)] = 1 + w->edges[e].bandwidth;
	}
	for (size_t l = 0; l < w->n_limits; l++) {
		for (size_t i = 0; i < w->limits[l].n_edges; i++)
			add_arc(p, limit_vertex(w, l), edge_vertex(w, (size_t)w->limits[l].edges[i]));
		p->color[limit_vertex(w, l)] = -1 - (long)w->limits[l].bandwidth;
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

void symmetry_node_orbits(const struct network *w, int *orbit)
{
	DEFAULTOPTIONS_SPARSEDIGRAPH(options);
	statsblk stats;
	struct picture p = {.w = w, .vertices = limit_vertex(w, w->n_limits)};

	p.lab = new_array(int, (size_t)p.vertices);
	p.ptn = new_array(int, (size_t)p.vertices);
	p.orbits = new_array(int, (size_t)p.vertices);
	p.color = new_array(long, (size_t)p.vertices);
	draw(&p);
	color(&p);
	options.defaultptn = FALSE;
	sparsenauty(&p.graph, p.lab, p.ptn, p.orbits, &options, &stats, NULL);
	memcpy(orbit, p.orbits, (size_t)w->nodes * sizeof *orbit); /* nauty gives the least of each orbit */
	SG_FREE(p.graph);
	free(p.lab);
	free(p.ptn);
	free(p.orbits);
	free(p.color);
}
