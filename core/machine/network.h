#ifndef SCCL_CORE_MACHINE_NETWORK_H
#define SCCL_CORE_MACHINE_NETWORK_H

/*
 * The bandwidth relation B of the SCCL paper (section 3.2), over ordered pairs of nodes: the machine model on which
 * instances are defined. A direct link is an edge. A pair of nodes that is connected only through switches is an edge
 * too: it is assigned one fixed route, a shortest one in the fabric that joins the fewest nodes (parallel routes are
 * balanced, deterministically), and every physical link that carries routes becomes a limit on the pairs routed across
 * it. Where switches copy or add, a limit may count several sends of one chunk once. Without its groups a limit allows too
 * little: that is sound for algorithms, and for bounds that count each chunk once, but not for other bounds.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct topology;
struct error;

struct edge {
	int src, dst;
	int bandwidth; /* (L, b) with L this edge alone: b chunks per round */
};

/*
 * How a limit counts an edge that crosses it by a link between switches that copy or add. Copies of one chunk from one
 * node count once, however many edges of the GROUP they take, if the link leads into a switch that multicasts; reduces
 * of one chunk into one node likewise if it leads out of one that reduces.
 */
struct crossing_group {
	int group;          /* the limit and the link, numbered over the whole network */
	unsigned abilities; /* enum switch_ability bits: what counts once */
};

/*
 * (L, b): in one round at most b chunks cross the edges of L in total. Without groups every send counts; a set of sends
 * of which no two are of the same chunk counts the same with and without them.
 */
struct network_limit {
	char *name; /* NULL: the file gives it none */
	size_t n_edges;
	int *edges; /* indices into network.edges, ascending; repeated if a route crosses the limit more than once */
	int bandwidth;
	struct crossing_group *groups; /* [n_edges]; NULL: every send counts */
};

struct network {
	int nodes;
	size_t n_edges;
	struct edge *edges; /* sorted by (src, dst) */
	size_t n_limits;
	struct network_limit *limits; /* only those that can bind: sum of edge bandwidths > b */
	int *out_begin, *out;         /* edges out of n: out[out_begin[n]] .. out[out_begin[n + 1] - 1] */
	int *in_begin, *in;           /* the same for edges into n */
	uint16_t *distance;           /* [from * nodes + to]: hops, or UNREACHABLE */
	int n_groups;                 /* of limits; 0: no switch copies or adds. Then sends of one chunk may count once. */
};

enum { UNREACHABLE = 0xffff };

/*
 * The network of a topology; the caller frees it. NULL with *e set (ERROR_LIMIT) if its routes or limits are too many
 * or take too much work.
 */
struct network *network_new(const struct topology *t, struct error *e);
/* With every edge reversed. Keeps the routes, unlike the network of the reversed topology. The caller frees it. */
struct network *network_reversed(const struct network *w);
void network_free(struct network *w); /* NULL is fine */

/*
 * Does every send count, as formulas and programs have it? False with *e set, at WHERE, if switches copy or add: what such
 * a search finds would be right, but not what it refutes.
 */
bool network_counts_all(const struct network *w, const char *where, struct error *e);

int network_edge(const struct network *w, int src, int dst); /* its index, -1: none; O(log degree) */
/*
 * The number of rounds that a step needs to send LOADS [edge] chunks over each edge, if every send counts; 0 if there are
 * none.
 */
int64_t network_rounds(const struct network *w, const int64_t *loads);
/* Hops from FROM to TO, or UNREACHABLE. */
static inline int network_distance(const struct network *w, int from, int to)
{
	return w->distance[(size_t)from * (size_t)w->nodes + (size_t)to];
}

#endif
