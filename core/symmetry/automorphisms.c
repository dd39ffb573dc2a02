/*
 * Automorphisms and canonical numbering through nauty (McKay and Piperno, "Practical graph isomorphism, II", 2014): the
 * network is encoded as a vertex-coloured digraph whose automorphisms, restricted to the vertices of nodes, are those
 * of the machine.
 */

#include "core/symmetry/automorphisms.h"

#include "core/base/memory.h"
#include "core/machine/network.h"

#include <limits.h>
#include <nauty/nausparse.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

static _Thread_local bool in_nauty; /* another thread may end the process */

/* Without memory nauty prints a line of its own and calls exit with a status that here means bad input. */
static void leave_nauty(void)
{
	if (in_nauty)
		memory_out();
}

static void enter_nauty(void)
{
	static bool registered;

	registered = registered || atexit(leave_nauty) == 0;
	in_nauty = true;
}

/* ---- the picture ---- */

/*
 * The network as a coloured digraph: one vertex for each node, edge and limit, coloured by what it stands for and by
 * its bandwidth; arcs from an edge's source to the edge's vertex and from there to its target, and from a limit to its
 * edges. A limit that counts an edge twice becomes two vertices, chained by an arc. An automorphism of this digraph is
 * one of the machine.
 *
 * One vertex per edge is too many on densely connected machines, so large machines get a leaner encoding: the most
 * frequent kind of node pair (not joined, or joined by an edge of some bandwidth) is left out; the second most frequent
 * becomes an arc from node to node; all others get a vertex. A limit on everything that a node sends, or receives, is
 * attached to the node itself. Small machines keep the plain encoding, because the folders of the atlas are named after
 * the canonical form that nauty computes from it.
 */
struct picture {
	const struct network *w;
	int *of_edge; /* [edge]: its vertex, or IS_ARC or UNDRAWN */
	struct pair_kind { /* a kind of node pair that needs no vertex */
		int bandwidth; /* 0: not joined */
		size_t pairs;
	} undrawn, arcs_of;
	bool only_arcs; /* no edge has a vertex */
	int vertices;
	size_t n_arcs, capacity;
	struct picture_arc {
		int from, to;
	} *arcs;
	sparsegraph graph;
	int *lab, *ptn, *orbits;
	long *color; /* [vertex]: nodes 0, edges 1 + bandwidth, limits negative; a root alone has the least */
};

enum { IS_ARC = -1, UNDRAWN = -2, PLAIN_UP_TO = 4096 }; /* PLAIN_UP_TO is in edges */

static bool is_lean(const struct network *w)
{
	return w->n_edges > PLAIN_UP_TO;
}

/* Colours that occur in lean encodings only. */
static const long sends_color = LONG_MIN / 2, receives_color = LONG_MIN / 4, apart_color = LONG_MAX;

static void add_arc(struct picture *p, int from, int to)
{
	p->arcs = grown(p->arcs, &p->capacity, p->n_arcs + 1, sizeof *p->arcs);
	p->arcs[p->n_arcs++] = (struct picture_arc){from, to};
}

/* The largest number of times that a limit counts one edge. Its edges are sorted. */
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
		add_arc(p, first + (int)layer, p->of_edge[l->edges[i]]);
	}
	for (int layer = 0; layer < layers; layer++) {
		p->color[first + layer] = -1 - (long)l->bandwidth;
		if (layer)
			add_arc(p, first + layer - 1, first + layer);
	}
}

/*
 * The node all of whose outgoing (INWARD: incoming) edges the limit counts, each once, and no others; -1 if there is
 * none.
 */
static int node_of(const struct network *w, const struct network_limit *l, bool inward)
{
	const int *begin = inward ? w->in_begin : w->out_begin;
	int node = l->n_edges ? inward ? w->edges[l->edges[0]].dst : w->edges[l->edges[0]].src : -1;

	if (node < 0 || (size_t)(begin[node + 1] - begin[node]) != l->n_edges)
		return -1;
	for (size_t i = 0; i < l->n_edges; i++) {
		const struct edge *e = &w->edges[l->edges[i]];
		if ((inward ? e->dst : e->src) != node || (i > 0 && l->edges[i] == l->edges[i - 1]))
			return -1;
	}
	return node;
}

static bool is_of_node(const struct network *w, const struct network_limit *l)
{
	return node_of(w, l, false) >= 0 || node_of(w, l, true) >= 0;
}

static int by_number(const void *va, const void *vb)
{
	const int *a = va, *b = vb;
	return (*a > *b) - (*a < *b);
}

/*
 * Finds the two most frequent kinds of pairs, among edges with IS_FREE[edge] and pairs that are not joined. Of equally
 * frequent kinds the one with the smaller bandwidth comes first.
 */
static void count_kinds(struct picture *p, const bool *is_free)
{
	const struct network *w = p->w;
	int *bandwidths = new_array(int, w->n_edges + 1);
	size_t n = 0;

	for (size_t e = 0; e < w->n_edges; e++)
		if (is_free[e])
			bandwidths[n++] = w->edges[e].bandwidth;
	qsort(bandwidths, n, sizeof *bandwidths, by_number);
	p->undrawn = (struct pair_kind){0, (size_t)w->nodes * ((size_t)w->nodes - 1) - w->n_edges};
	for (size_t i = 0, next; i < n; i = next) {
		for (next = i; next < n && bandwidths[next] == bandwidths[i]; next++)
			;
		struct pair_kind k = {bandwidths[i], next - i};
		if (k.pairs > p->undrawn.pairs) {
			p->arcs_of = p->undrawn;
			p->undrawn = k;
		} else if (k.pairs > p->arcs_of.pairs)
			p->arcs_of = k;
	}
	free(bandwidths);
}

static bool is_kind(const struct pair_kind *k, int bandwidth)
{
	return k->pairs > 0 && k->bandwidth == bandwidth;
}

/* Decides how each edge is encoded, and numbers the vertices of edges that get one. */
static void plan_edges(struct picture *p)
{
	const struct network *w = p->w;
	bool lean = is_lean(w), *is_free = new_array(bool, w->n_edges);

	for (size_t e = 0; e < w->n_edges; e++)
		is_free[e] = lean;
	for (size_t l = 0; lean && l < w->n_limits; l++) {
		const struct network_limit *limit = &w->limits[l];
		size_t covered = is_of_node(w, limit) ? 0 : limit->n_edges;
		for (size_t i = 0; i < covered; i++)
			is_free[limit->edges[i]] = false;
	}
	if (lean)
		count_kinds(p, is_free);
	for (size_t e = 0; e < w->n_edges; e++) {
		int b = w->edges[e].bandwidth;
		p->of_edge[e] = is_free[e] && is_kind(&p->undrawn, b) ? UNDRAWN : is_free[e] && is_kind(&p->arcs_of, b) ? IS_ARC : p->vertices++;
	}
	free(is_free);
}

static void draw_edges(struct picture *p)
{
	const struct network *w = p->w;

	for (size_t e = 0; e < w->n_edges; e++)
		if (p->of_edge[e] == IS_ARC)
			add_arc(p, w->edges[e].src, w->edges[e].dst);
		else if (p->of_edge[e] != UNDRAWN) {
			add_arc(p, w->edges[e].src, p->of_edge[e]);
			add_arc(p, p->of_edge[e], w->edges[e].dst);
			p->color[p->of_edge[e]] = 1 + w->edges[e].bandwidth;
		}
}

/*
 * Where most pairs are joined, the pairs that are not joined are encoded instead: by vertices from NEXT on, or by arcs
 * if NEXT is negative.
 */
static void draw_apart(struct picture *p, int next)
{
	const struct network *w = p->w;
	int *joined = new_array(int, (size_t)w->nodes);

	for (int v = 0; v < w->nodes; v++) {
		for (int i = w->out_begin[v]; i < w->out_begin[v + 1]; i++)
			joined[w->edges[w->out[i]].dst] = v + 1;
		for (int to = 0; to < w->nodes; to++) {
			if (to == v || joined[to] == v + 1)
				continue;
			add_arc(p, v, next < 0 ? to : next);
			if (next < 0)
				continue;
			add_arc(p, next, to);
			p->color[next++] = apart_color;
		}
	}
	free(joined);
}

static int vertices_of(const struct picture *p, const struct network_limit *l)
{
	return is_lean(p->w) && is_of_node(p->w, l) ? 1 : layers_of(l);
}

/* Number of vertices for pairs that are not joined; 0 where these are left out or encoded as arcs. */
static size_t vertices_apart(const struct picture *p)
{
	bool drawn = p->undrawn.pairs > 0 && p->undrawn.bandwidth != 0 && !is_kind(&p->arcs_of, 0);
	return drawn ? (size_t)p->w->nodes * ((size_t)p->w->nodes - 1) - p->w->n_edges : 0;
}

static void draw(struct picture *p, int next)
{
	const struct network *w = p->w;

	draw_edges(p);
	for (size_t l = 0; l < w->n_limits; l++) {
		const struct network_limit *limit = &w->limits[l];
		int layers = vertices_of(p, limit), sends = node_of(w, limit, false);
		if (is_lean(w) && is_of_node(w, limit)) {
			int node = sends >= 0 ? sends : node_of(w, limit, true);
			add_arc(p, next, node);
			add_arc(p, node, next); /* saves nauty from branching on the limit's vertex as well */
			p->color[next] = (sends >= 0 ? sends_color : receives_color) + limit->bandwidth;
		} else
			draw_limit(p, next, limit, layers);
		next += layers;
	}
	if (p->undrawn.bandwidth != 0)
		draw_apart(p, is_kind(&p->arcs_of, 0) ? -1 : next);
}

/* Converts the arcs into nauty's sparse form: the arcs of each vertex are contiguous. */
static void list_arcs(struct picture *p)
{
	size_t at = 0;

	SG_INIT(p->graph);
	enter_nauty();
	SG_ALLOC(p->graph, (size_t)p->vertices, p->n_arcs + 1, "symmetry");
	in_nauty = false;
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

/* Converts the colouring into nauty's form: vertices sorted by colour, ptn 0 at the last vertex of each colour. */
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
	*p = (struct picture){.w = w, .vertices = w->nodes, .of_edge = new_array(int, w->n_edges)};
	plan_edges(p);
	int limits = p->vertices;
	p->only_arcs = limits == w->nodes;
	for (size_t l = 0; l < w->n_limits; l++)
		p->vertices += vertices_of(p, &w->limits[l]);
	p->vertices += (int)vertices_apart(p);
	p->lab = new_array(int, (size_t)p->vertices);
	p->ptn = new_array(int, (size_t)p->vertices);
	p->orbits = new_array(int, (size_t)p->vertices);
	p->color = new_array(long, (size_t)p->vertices);
	if (root >= 0)
		p->color[root] = LONG_MIN;
	draw(p, limits);
	list_arcs(p);
	color(p);
}

static void picture_close(struct picture *p)
{
	SG_FREE(p->graph);
	free(p->arcs);
	free(p->of_edge);
	free(p->lab);
	free(p->ptn);
	free(p->orbits);
	free(p->color);
}

/*
 * By default nauty computes an invariant on neighbourhoods at every node of its search tree. Where all edges are arcs
 * that distinguishes nothing and takes most of the time.
 */
static void set_options(const struct picture *p, optionblk *options)
{
	options->defaultptn = FALSE;
	if (p->only_arcs)
		options->invarproc = NULL;
}

/* CANONICAL: filled; NULL: not asked for. */
static void run_nauty(struct picture *p, optionblk *options, sparsegraph *canonical)
{
	statsblk stats;

	enter_nauty();
	sparsenauty(&p->graph, p->lab, p->ptn, p->orbits, options, &stats, canonical);
	in_nauty = false;
}

void automorphisms_node_orbits(const struct network *w, int *orbit)
{
	DEFAULTOPTIONS_SPARSEDIGRAPH(options);
	struct picture p;

	picture_open(&p, w, -1);
	set_options(&p, &options);
	run_nauty(&p, &options, NULL);
	memcpy(orbit, p.orbits, (size_t)w->nodes * sizeof *orbit); /* nauty's orbits are named by their least vertex */
	picture_close(&p);
}

void automorphisms_canonical_order(const struct network *w, int root, int *place)
{
	DEFAULTOPTIONS_SPARSEDIGRAPH(options);
	struct picture p;
	sparsegraph canonical;
	int next = 0;

	picture_open(&p, w, root);
	SG_INIT(canonical);
	set_options(&p, &options);
	options.getcanon = TRUE;
	run_nauty(&p, &options, &canonical);
	for (int i = 0; i < p.vertices; i++)
		if (p.lab[i] < w->nodes)
			place[p.lab[i]] = next++;
	SG_FREE(canonical);
	picture_close(&p);
}

/* nauty passes each generator to a callback without a context argument, hence this global. Not reentrant. */
static struct {
	int nodes, *images;
	size_t n, capacity;
} found;

static void hear(int count, int *image, int *orbits, int n_orbits, int fixed, int n)
{
	size_t nodes = (size_t)found.nodes;

	(void)count, (void)orbits, (void)n_orbits, (void)fixed, (void)n;
	found.images = grown(found.images, &found.capacity, (found.n + 1) * nodes, sizeof *found.images);
	memcpy(found.images + found.n++ * nodes, image, nodes * sizeof *image);
}

int *automorphisms_generators(const struct network *w, int root, size_t *n)
{
	DEFAULTOPTIONS_SPARSEDIGRAPH(options);
	struct picture p;

	picture_open(&p, w, root);
	found.nodes = w->nodes, found.images = NULL, found.n = found.capacity = 0;
	set_options(&p, &options);
	options.userautomproc = hear;
	run_nauty(&p, &options, NULL);
	picture_close(&p);
	*n = found.n;
	return found.images;
}
