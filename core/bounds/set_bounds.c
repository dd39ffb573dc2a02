/*
 * Bounds over sets and partitions of nodes: all of them on small machines, promising ones on large machines. Any set
 * gives a sound bound.
 */

#include "core/bounds/bounds_parts.h"

#include "core/bounds/cuts.h"
#include "core/base/memory.h"
#include "core/machine/network.h"

#include <stdlib.h>

enum { SUBSETS_UP_TO = 16, SUBSETS_WITH_LIMITS_UP_TO = 12, PARTITIONS_UP_TO = 9 };

/* A set of nodes, part[node] == 1, and the collective for which its bound is tried. */
struct sets {
	const struct network *w;
	struct bounds *b;
	int *part;
	const struct custom *custom; /* NULL: alltoall, or a scan */
	bool scans;
};

static int size_of(const struct sets *s)
{
	int size = 0;
	for (int v = 0; v < s->w->nodes; v++)
		size += s->part[v];
	return size;
}

/* Of each chunk a value must leave the set if some node outside comes after some node inside. */
static int scan_demand(const struct sets *s)
{
	int first = 0, last = s->w->nodes - 1;

	while (!s->part[first])
		first++;
	while (s->part[last])
		last--;
	return first < last;
}

/* Chunks that must leave the set: wanted outside of it, and initially held only inside. */
static int listed_demand(const struct sets *s)
{
	const struct custom *c = s->custom;
	size_t i = 0, k = 0;
	int demand = 0;

	for (int chunk = 0; chunk < c->global_chunks; chunk++) {
		bool there = false, wanted = false;
		for (; i < c->n_pre && c->pre[i].chunk == chunk; i++)
			there = there || !s->part[c->pre[i].node];
		for (; k < c->n_post && c->post[k].chunk == chunk; k++)
			wanted = wanted || !s->part[c->post[k].node];
		demand += wanted && !there;
	}
	return demand;
}

static void try_set(struct sets *s)
{
	int nodes = s->w->nodes, size = size_of(s);

	if (size == 0 || size == nodes)
		return;
	struct rational demand = s->custom ? rational(listed_demand(s), 1) : rational((int64_t)size * (nodes - size), nodes);
	if (s->scans)
		demand = rational(scan_demand(s), 1);
	bounds_take(s->b, s->part, 2, demand, cut_capacity_out(s->w, s->part), CROSSING_OUT);
}

static void try_all_sets(struct sets *s)
{
	int nodes = s->w->nodes;
	for (unsigned set = 1; set + 1 < 1u << nodes; set++) {
		for (int v = 0; v < nodes; v++)
			s->part[v] = set >> v & 1;
		try_set(s);
	}
}

static void try_complement(struct sets *s)
{
	try_set(s);
	for (int v = 0; v < s->w->nodes; v++)
		s->part[v] = !s->part[v];
	try_set(s);
	for (int v = 0; v < s->w->nodes; v++)
		s->part[v] = !s->part[v];
}

/*
 * Balls around nodes, periodic blocks of the numbering and prefixes of it, each with its complement: these include
 * halves of tori and meshes, boxes and planes.
 */
static void try_likely_sets(struct sets *s)
{
	const struct network *w = s->w;
	int balls = w->nodes <= 256 ? w->nodes : 16;

	for (int center = 0; center < balls; center++)
		for (int radius = 0, grows = 1; grows && !bounds_tried_enough(s->b); radius++) {
			grows = 0;
			for (int v = 0; v < w->nodes; v++) {
				int d = network_distance(w, center, v);
				s->part[v] = d <= radius;
				grows |= d > radius + 1 && d != UNREACHABLE;
			}
			try_complement(s);
		}
	for (int stride = 1; stride < w->nodes && !bounds_tried_enough(s->b); stride *= 2) {
		for (int v = 0; v < w->nodes; v++)
			s->part[v] = v / stride % 2 == 0;
		try_complement(s);
	}
	for (int first = 1; first < w->nodes && w->nodes <= 1024 && !bounds_tried_enough(s->b); first++) {
		for (int v = 0; v < w->nodes; v++)
			s->part[v] = v < first;
		try_complement(s);
	}
}

static void try_sets(struct sets *s)
{
	int most = s->w->n_limits ? SUBSETS_WITH_LIMITS_UP_TO : SUBSETS_UP_TO;

	s->part = new_array(int, (size_t)s->w->nodes);
	if (s->w->nodes <= most)
		try_all_sets(s);
	else
		try_likely_sets(s);
	free(s->part);
}

/*
 * Every chunk of an alltoall crosses at least as many links as the distance between its ends, and a round carries at
 * most the capacity of all links.
 */
static void try_hops(const struct network *w, struct bounds *b)
{
	int64_t hops = 0;
	int *apart = new_array(int, (size_t)w->nodes);

	for (int v = 0; v < w->nodes; v++) {
		apart[v] = v;
		for (int to = 0; to < w->nodes; to++)
			hops += network_distance(w, v, to);
	}
	bounds_take(b, apart, 0, rational(hops, w->nodes), cut_capacity(w, apart), CROSSING_BOTH);
	free(apart);
}

void bounds_exchanging(const struct network *w, struct bounds *b)
{
	struct sets s = {.w = w, .b = b};
	try_sets(&s);
	try_hops(w, b);
}

void bounds_listed(const struct network *w, const struct custom *c, struct bounds *b)
{
	struct sets s = {.w = w, .b = b, .custom = c};
	try_sets(&s);
}

/*
 * In a partition into k parts each chunk crosses between parts at least 2 (k - 1) times: one-way gossip among k. Where
 * switches copy or add, several of these crossings may count once. But the two between two parts, one each way, share
 * neither source nor destination, and so count separately.
 */
static void try_partition(const struct network *w, const int *part, int parts, struct bounds *b)
{
	if (parts == 2 || (parts > 2 && w->n_groups == 0))
		bounds_take(b, part, parts, rational(2 * ((int64_t)parts - 1), 1), cut_capacity(w, part), CROSSING_BOTH);
}

/* Enumerates restricted growth strings: each partition once. */
static void try_all_partitions(const struct network *w, int *part, int v, int parts, struct bounds *b)
{
	if (v == w->nodes) {
		try_partition(w, part, parts, b);
		return;
	}
	for (int p = 0; p <= parts; p++) {
		part[v] = p;
		try_all_partitions(w, part, v + 1, p == parts ? parts + 1 : parts, b);
	}
}

static int64_t between(const struct network *w, const int *part, int a, int c)
{
	int64_t sum = 0;
	for (size_t i = 0; i < w->n_edges; i++)
		if ((part[w->edges[i].src] == a && part[w->edges[i].dst] == c) ||
		    (part[w->edges[i].src] == c && part[w->edges[i].dst] == a))
			sum += w->edges[i].bandwidth;
	return sum;
}

/*
 * Agglomerative: starts with singletons and merges the two parts with the most bandwidth between them until two are
 * left.
 */
static void try_merged_partitions(const struct network *w, int *part, struct bounds *b)
{
	for (int v = 0; v < w->nodes; v++)
		part[v] = v;
	try_partition(w, part, w->nodes, b);
	for (int parts = w->nodes; parts > 2 && w->nodes <= 32 && !bounds_tried_enough(b); parts--) {
		int64_t most = -1;
		int keep = 0, gone = 1;
		for (int a = 0; a < parts; a++)
			for (int c = a + 1; c < parts; c++) {
				int64_t joined = between(w, part, a, c);
				if (joined > most)
					most = joined, keep = a, gone = c;
			}
		for (int v = 0; v < w->nodes; v++)
			part[v] = part[v] == gone ? keep : part[v] == parts - 1 ? gone : part[v];
		try_partition(w, part, parts - 1, b);
	}
}

/* Tries partitions into blocks of consecutive nodes, as the boxes of a cluster are. */
static void try_blocks(const struct network *w, int *part, struct bounds *b)
{
	for (int size = 2; size < w->nodes && !bounds_tried_enough(b); size++) {
		if (w->nodes % size)
			continue;
		for (int v = 0; v < w->nodes; v++)
			part[v] = v / size;
		try_partition(w, part, w->nodes / size, b);
	}
}

/* At least one value of each chunk must cross any cut in each direction; tries the cuts around single nodes. */
static void try_single_nodes(const struct network *w, int *part, struct bounds *b)
{
	for (int v = 0; v < w->nodes && !bounds_tried_enough(b); v++) {
		for (int u = 0; u < w->nodes; u++)
			part[u] = u == v;
		bounds_take(b, part, 2, rational(1, 1), cut_capacity_out(w, part), CROSSING_OUT);
		bounds_take(b, part, 2, rational(1, 1), cut_capacity_in(w, part), CROSSING_IN);
	}
}

void bounds_reducing_all(const struct network *w, struct bounds *b)
{
	int *part = new_array(int, (size_t)w->nodes);

	if (w->nodes <= PARTITIONS_UP_TO)
		try_all_partitions(w, part, 0, 0, b);
	else {
		try_merged_partitions(w, part, b);
		try_blocks(w, part, b);
	}
	try_single_nodes(w, part, b);
	free(part);
}

/* In addition, every node except the first must be sent a value of each chunk: one send may serve all where switches copy. */
void bounds_scanning(const struct network *w, struct bounds *b)
{
	struct sets s = {.w = w, .b = b, .scans = true};
	int *apart = new_array(int, (size_t)w->nodes);

	try_sets(&s);
	for (int v = 0; v < w->nodes; v++)
		apart[v] = v;
	if (w->nodes > 1 && w->n_groups == 0)
		bounds_take(b, apart, w->nodes, rational(w->nodes - 1, 1), cut_capacity(w, apart), CROSSING_BOTH);
	free(apart);
}
