#ifndef SCCL_LOWER_PROGRAM_BUILD_H
#define SCCL_LOWER_PROGRAM_BUILD_H

/*
 * From a schedule to a program, in three strides: which sends matter (live.c), where every value lies and what is moved
 * (build.c), in which order and with which waits (schedule.c). What comes out is judged by check.h.
 */

#include "lower/program/program.h"

struct error;

/* The whole way. A must have passed algorithm_verify. NULL with *e set: too large. */
struct program *program_build(const struct algorithm *a, struct error *e);

/* The rest is between the strides. */

/* A send of a step, copy or reduce, that something depends on. */
struct push {
	int step; /* from 1 */
	int chunk, src, dst;
	bool reduce;
	bool keep; /* src's value is still needed after this step */
};

struct pushes {
	size_t n, capacity;
	struct push *of; /* sorted by (step, src, chunk, dst, reduce) */
};

/* Leaves out what nobody needs: values that no later send and no post-condition reads, and arrivals of what is there. */
struct pushes pushes_live(const struct algorithm *a);

/* A place and how its value came there. */
struct value {
	struct place at;
	int from; /* the rank that wrote it; -1: this one, or it was there */
	int step; /* in which it was written; 0: it was there */
	int least; /* of the ranks whose parts are in it, the first */
};

struct move {
	int rank, step, chunk;
	bool last; /* for the rank's own output, when all has arrived */
	size_t n_sources, n_targets;
	struct value *sources;
	struct place *targets;
};

struct moves {
	size_t n, capacity;
	struct move *of;
};

/* Fills *out, each rank's moves in the order of execution, and the slots of P. */
bool moves_build(struct program *p, const struct pushes *pushes, struct moves *out, struct error *e);
void moves_free(struct moves *m);

#endif
