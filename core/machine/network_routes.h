#ifndef SCCL_CORE_MACHINE_NETWORK_ROUTES_H
#define SCCL_CORE_MACHINE_NETWORK_ROUTES_H

/*
 * Which pairs of nodes are joined, and over which physical links: a direct link, or the shortest route through switches
 * alone. For core/machine/network.c.
 */

#include <stdbool.h>
#include <stddef.h>

struct edge;
struct error;
struct topology;

struct crossing {
	int link, edge; /* that this edge's route crosses, an index into the topology's links */
};

struct routes {
	size_t n_edges, edges_capacity;
	struct edge *edges; /* sorted by (src, dst); a route is as wide as its narrowest link */
	size_t n_crossings, crossings_capacity;
	struct crossing *crossings; /* sorted by (link, edge) */
	int *begin;                 /* of link l: crossings[begin[l]] .. crossings[begin[l + 1] - 1] */
};

/* False with *e set where the pairs or their routes are too many to hold. Free it either way. */
bool routes_find(const struct topology *t, struct routes *out, struct error *e);
void routes_free(struct routes *r);

#endif
