#ifndef SCCL_CORE_MACHINE_NETWORK_ROUTES_H
#define SCCL_CORE_MACHINE_NETWORK_ROUTES_H

/*
 * Which pairs of nodes are connected, and over which physical links: by a direct link, or by a route through switches
 * only: a shortest one in the fabric (core/machine/switch_fabrics.h) that joins the fewest nodes. Internal to
 * core/machine/network.c.
 */

#include <stdbool.h>
#include <stddef.h>

struct edge;
struct error;
struct topology;

/* The route of EDGE crosses LINK, an index into the topology's links. */
struct crossing {
	int link, edge;
};

struct routes {
	size_t n_edges, edges_capacity;
	struct edge *edges; /* sorted by (src, dst); a route has the bandwidth of its narrowest link */
	size_t n_crossings, crossings_capacity;
	struct crossing *crossings; /* sorted by (link, edge) */
	int *begin;                 /* of link l: crossings[begin[l]] .. crossings[begin[l + 1] - 1] */
};

/* False with *e set (ERROR_LIMIT) if there are too many pairs or routes. The caller frees *OUT in either case. */
bool routes_find(const struct topology *t, struct routes *out, struct error *e);
void routes_free(struct routes *r);

#endif
