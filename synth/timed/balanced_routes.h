#ifndef SCCL_SYNTH_TIMED_BALANCED_ROUTES_H
#define SCCL_SYNTH_TIMED_BALANCED_ROUTES_H

/*
 * One tree for each chunk, from the node that has it to all that want it, over the routes of a fabric, so that no link
 * or limit has to carry much longer than the others. docs/concepts/schedules-in-time.md.
 */

#include <stdbool.h>
#include <stddef.h>

struct collective;
struct error;
struct fabric;

/* What counts besides the latency of a route. All are >= 0. */
struct load_weight {
	double scale;  /* what a byte costs at the busiest resource, over its time there */
	int doublings; /* that rises with the load of a resource to the power 2^doublings */
	/*
	 * What a byte costs, over its time, on a route that carries an equal share of its busiest resource; in proportion if it
	 * carries more or less. Messages of many pairs share a resource better than those of few.
	 */
	double pairs;
	double height; /* what a µs on the way from the holder to where a route begins costs; and one on the route */
};

/* The trees. Arrays are owned. */
struct balanced_routes {
	int nodes, chunks; /* chunks: of all nodes, G */
	int *into;         /* [chunk * nodes + node]: the route by which it gets there, -1: none */
	double *load;      /* [resource]: µs that it has to carry */
	double busiest;    /* µs: the largest load */
};

/*
 * Routes all chunks of K, which must not combine and must be scaled to C = CHUNKS, each of BYTES bytes. False with *e
 * set, and nothing to free: a node cannot be reached, or the trees are too many to be kept.
 */
bool balanced_routes_new(const struct fabric *f, const struct collective *k, int chunks, double bytes, struct load_weight w,
			 struct balanced_routes *out, struct error *e);
void balanced_routes_free(struct balanced_routes *r);

#endif
