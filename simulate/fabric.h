#ifndef SCCL_SIMULATE_FABRIC_H
#define SCCL_SIMULATE_FABRIC_H

/*
 * What a machine has that messages must share: its physical links, and its limits over several links. A pair of nodes that
 * an algorithm may send over is a route: the links that core/machine/network_routes.h finds for it, in order, each after the limits
 * that it is under.
 */

#include <stdbool.h>
#include <stddef.h>

struct error;
struct topology;

struct resource {
	double rate;      /* bytes a µs, of all its units */
	double latency;   /* µs of one hop; 0 for a limit */
	int src, dst;     /* of the link; -1 for a limit */
	const char *name; /* of a limit, borrowed from the topology; NULL for a link, and where the file gives none */
};

struct route {
	int src, dst;
	double latency; /* µs of all its hops */
	double rate;    /* of its narrowest resource */
};

struct fabric {
	size_t n_links;     /* resources 0 .. n_links - 1 are the topology's links, in its order */
	size_t n_resources; /* then its limits */
	struct resource *resources;
	size_t n_routes;
	struct route *routes;      /* sorted by (src, dst) */
	int *begin;                /* route r crosses resources over[begin[r]] .. over[begin[r + 1] - 1] */
	int *over;
	int longest;               /* resources of a route, at most */
	int nodes, *from;          /* the routes that leave n: from[n] .. from[n + 1] - 1 */
};

/* What links take. */
struct speeds {
	double alpha;  /* µs a hop; below 0: as each link's kind says */
	double beta;   /* µs a byte over one unit of bandwidth; 0: as each link's kind says */
	double buffer; /* bytes that the far end of a link can hold, 0: enough. A sender has at most so many unacknowledged */
	double packet; /* bytes after which room is acknowledged, where there is a buffer */
};

/* False with *e set where a kind is needed and missing. Close it either way. The topology is borrowed. */
bool fabric_open(const struct topology *t, const struct speeds *s, struct fabric *out, struct error *e);
void fabric_close(struct fabric *f);

int fabric_route(const struct fabric *f, int src, int dst); /* -1: not joined */

#endif
