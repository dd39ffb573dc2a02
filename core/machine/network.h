#ifndef SCCL_CORE_MACHINE_NETWORK_H
#define SCCL_CORE_MACHINE_NETWORK_H

/*
 * The B relation of the SCCL paper (section 3.2), over ordered pairs of nodes: what an instance is made over. A direct
 * link is an edge. Each pair of nodes joined through switches alone, without a direct link, is an edge too: it gets the
 * shortest route (fixed; ties spread over parallel routes, deterministically), and every physical link that carries
 * routes becomes a limit over the pairs routed across it.
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

/* (L, b): over one round at most b chunks cross the edges of L in all. */
struct network_limit {
	char *name; /* NULL: the file gives it none */
	size_t n_edges;
	int *edges; /* indices into network.edges, ascending; one whose route crosses the limit twice is there twice */
	int bandwidth;
};

struct network {
	int nodes;
	size_t n_edges;
	struct edge *edges; /* sorted by (src, dst) */
	size_t n_limits;
	struct network_limit *limits; /* only those that can bind: sum of edge bandwidths > b */
	int *out_begin, *out;         /* edges leaving n: out[out_begin[n]] .. out[out_begin[n + 1] - 1] */
	int *in_begin, *in;           /* the same for edges entering n */
	uint16_t *distance;           /* hops, [from * nodes + to]; UNREACHABLE */
};

enum { UNREACHABLE = 0xffff };

struct network *network_new(const struct topology *t, struct error *e);
struct network *network_reversed(const struct network *w); /* keeps the routes, which a reversed topology might not */
void network_free(struct network *w);

int network_edge(const struct network *w, int src, int dst); /* index, -1: none */
/* The rounds that a step needs which sends LOADS [edge] chunks over each edge: 0 where it sends none. */
int64_t network_rounds(const struct network *w, const int64_t *loads);
static inline int network_distance(const struct network *w, int from, int to)
{
	return w->distance[(size_t)from * (size_t)w->nodes + (size_t)to];
}

#endif
