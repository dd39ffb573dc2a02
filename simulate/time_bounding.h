#ifndef SCCL_SIMULATE_TIME_BOUNDING_H
#define SCCL_SIMULATE_TIME_BOUNDING_H

/* Bounds on time that are being collected. Internal to simulate/time_*.c. */

#include "simulate/time_bound.h"

struct demands_of;
struct fabric;

struct bounding {
	const struct topology *topology;
	const struct collective *collective; /* scaled to `chunks` */
	const struct fabric *fabric;
	int nodes, chunks;
	double *distance;             /* [from * nodes + to]: µs; INFINITY: unreachable */
	struct demands_of *in, *out;  /* [node] */
	size_t n, capacity;
	struct time_line *lines, cut;
	size_t n_bends, bends_capacity;
	struct time_bend *bends;
};

/* Adds a line unless it is not finite; takes ownership of its lists. */
void bounding_add(struct bounding *w, struct time_line l);
/* Keeps the lines that are the largest for some size. */
void bounding_keep_largest(struct bounding *w);
void time_line_free(struct time_line *l); /* its lists */

static inline double bounding_distance(const struct bounding *w, int from, int to)
{
	return w->distance[(size_t)from * (size_t)w->nodes + (size_t)to];
}

/* Adds a bend unless each number of another is at least as large, and drops those that it makes needless; takes its lists. */
void bounding_add_bend(struct bounding *w, struct time_bend b);
/* Adds lines by what must enter sets of nodes. */
void bound_sets(struct bounding *w);
/* Adds bends by what nodes send to each that wants it, or early enough to be passed on. */
void bound_relays(struct bounding *w);
/* Adds bends by what nodes send to each that wants it far away, or the time that it takes to be passed on. */
void bound_direct(struct bounding *w);

#endif
