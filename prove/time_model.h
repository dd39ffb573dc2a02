#ifndef SCCL_PROVE_TIME_MODEL_H
#define SCCL_PROVE_TIME_MODEL_H

/*
 * What messages cross and how long that takes, in exact arithmetic: written from docs/concepts/simulation.md, independently of
 * simulate/fabric.c.
 */

#include "core/base/rational.h"
#include "prove/time_proof.h"

/* Between a pair of nodes over one link, or through switches. */
struct time_route {
	int src, dst;
	struct rational delay; /* µs from when a message has been sent until others may rely on it */
	int begin, end;        /* its hops, in order */
};

/* A link of a route. */
struct time_hop {
	int link;
	struct rational before; /* µs: the latencies of the hops before it */
};

struct time_model {
	int nodes;
	bool is_exact; /* false: a number overflowed, and nothing may be concluded */
	size_t n_links, n_limits;
	struct rational *link_rate, *limit_rate; /* bytes per µs, of all units together; owned */
	struct rational fastest;                 /* of one unit of any link */
	size_t n_routes;
	struct time_route *routes; /* owned */
	struct time_hop *hops;     /* owned */
	int *under_begin, *under;  /* the limits that link l is under: under[under_begin[l]] .. under[under_begin[l + 1] - 1]; owned */
};

/* False with *e set, and nothing to free: a link has no speed, or there are too many routes. */
bool time_model_new(const struct time_proof *p, struct time_model *out, struct error *e);
void time_model_free(struct time_model *m);

/*
 * [node]: the least sum of delays of a chain of routes from any of the nodes marked in OF [node], or, if BACKWARDS, to any;
 * den 0: there is none. The caller frees it.
 */
struct rational *time_model_distances(struct time_model *m, const bool *of, bool backwards);

#endif
