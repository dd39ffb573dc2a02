#ifndef SCCL_SIMULATE_FABRIC_H
#define SCCL_SIMULATE_FABRIC_H

/*
 * The resources of a machine that messages compete for: its physical links, its limits over several links, and if asked for the
 * ports through which nodes receive. A route
 * stands for a pair of nodes that an algorithm may send over: the links that core/machine/network_routes.h finds for
 * it, in order, each preceded by the limits that it is under. Where switches copy or add, messages of one chunk share a
 * link: each counts as a part of a message there (simulate/traffic.h).
 */

#include <stdbool.h>
#include <stddef.h>

struct error;
struct step_overhead;
struct topology;

/* A link, a limit, or a port. */
struct resource {
	double rate;      /* bytes per µs, of all its units together */
	double latency;   /* µs of one hop; 0 for the others */
	int src, dst;     /* of the link; -1 for the others */
	const char *name; /* of a limit, borrowed from the topology; NULL for a link, and if the file gives none */
};

/* The route between a pair of nodes; its resources are in the fabric's `over`. */
struct route {
	int src, dst;
	double latency; /* µs of all its hops */
	double rate;    /* of its narrowest resource */
	double step;    /* µs that a step over it costs apart from its links */
};

/* All resources and routes of a topology. Arrays are owned. */
struct fabric {
	size_t n_links;     /* resources 0 .. n_links - 1 are the topology's links, in its order */
	size_t n_limits;    /* followed by its limits */
	size_t n_resources; /* and by the ports of node 0, of node 1, and so on */
	struct resource *resources;
	size_t n_routes;
	struct route *routes;      /* sorted by (src, dst); of each pair one into each of the destination's ports, in order */
	int ports;                 /* of a node; 1 if they are not asked for */
	int *begin;                /* route r crosses resources over[begin[r]] .. over[begin[r + 1] - 1] */
	int *over;
	struct crossed_link {
		int link;           /* this link, or the one that this limit is crossed by */
		unsigned abilities; /* enum switch_ability bits: what counts once there */
	} *crossed;                /* like over; NULL: no switch copies or adds */
	int longest;               /* the largest number of resources of any route */
	int nodes, *from;          /* routes that leave node n: from[n] .. from[n + 1] - 1 */
};

/* How fast links are. */
struct speeds {
	double alpha;  /* µs per hop; negative: as the link's kind has it */
	double beta;   /* µs per byte over one unit of bandwidth; 0: as the link's kind has it */
	double buffer; /* bytes that a link's far end can hold: a sender's most unacknowledged; 0: no limit */
	double packet; /* bytes after which the receiver acknowledges, if there is a buffer */
	const struct step_overhead *step; /* NULL: a step costs nothing else */
	int ports;     /* through which a node receives, each as fast as the fastest link into it; 0: it receives whatever links bring */
};

/*
 * False with *e set: a link has no kind where one is needed, its kind has no step cost, or the routes cannot be found. Call
 * fabric_close either way. The topology is borrowed.
 */
bool fabric_open(const struct topology *t, const struct speeds *s, struct fabric *out, struct error *e);
/* Frees the fabric and clears it. */
void fabric_close(struct fabric *f);

int fabric_route(const struct fabric *f, int src, int dst); /* the index of the first of its routes, or -1: none joins them */

/* Can a resource that carries USED bytes per µs carry RATE more? Sums of rates may be off by rounding. */
static inline bool fabric_has_room(const struct fabric *f, int resource, double used, double rate)
{
	return used + rate <= f->resources[resource].rate * (1 + 1e-9);
}

#endif
