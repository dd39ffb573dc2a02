#ifndef SCCL_SYNTH_PROGRAM_ROOM_H
#define SCCL_SYNTH_PROGRAM_ROOM_H

/* Loads of the capacities of a network, edges before limits, in each step, and the room for them. */

#include "core/base/csr.h"

#include <stdbool.h>
#include <stdint.h>

struct network;
struct timed_edge;

/* Released by room_free. */
struct room {
	const struct network *w; /* borrowed */
	struct csr of_edge;      /* edge: its capacities */
	int n, steps;            /* n: capacities */
	int64_t *load, *most;    /* [step * n + capacity]: chunks that it carries, and may carry */
};

/* No loads, and room for ROUNDS [step]. */
void room_new(const struct network *w, int steps, const int *rounds, struct room *out);
void room_free(struct room *r);

/* Adds CHUNKS sends over an edge; may be negative. */
void room_add(struct room *r, struct timed_edge e, int64_t chunks);
/* Is there room for one more send? */
bool room_fits(const struct room *r, struct timed_edge e);
/* The least rounds of a step for its loads, at least 1. */
int room_rounds(const struct room *r, int step);

#endif
