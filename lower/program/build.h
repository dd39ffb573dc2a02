#ifndef SCCL_LOWER_PROGRAM_BUILD_H
#define SCCL_LOWER_PROGRAM_BUILD_H

/*
 * Builds a program from a schedule in three phases: which sends matter (live.c), where every value is stored and what
 * is moved (build.c), in which order and with which waits (schedule.c). The checkers of check.h judge the result.
 */

#include "lower/program/program.h"

struct error;

/* Runs all three phases. A must have passed algorithm_verify and must outlive the program, which the caller releases
 * with program_free. NULL with *e set: too large. */
struct program *program_build(const struct algorithm *a, struct error *e);

/* The rest is the interface between the phases. */

/* A send of a step, copy or reduce, whose result is used. */
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

/* The sends of A except redundant ones: those whose value no later send or postcondition reads, and, if the collective
 * does not combine, those of a chunk that the receiver already has. The caller frees `of`. */
struct pushes pushes_live(const struct algorithm *a);

/* A value: its place and its origin. */
struct value {
	struct place at;
	int from; /* the rank that wrote it; -1: this rank itself, or it is input */
	int step; /* in which it was written; 0: it is input */
	int least; /* the lowest rank that contributed to it */
};

/* Values of one chunk at one rank that are copied, or reduced in order, to all targets. */
struct move {
	int rank, step, chunk;
	bool last; /* completes the rank's own output after all steps */
	size_t n_sources, n_targets;
	struct value *sources; /* owned */
	struct place *targets; /* owned */
};

struct moves {
	size_t n, capacity;
	struct move *of;
};

/* Fills *out with the moves, those of each rank in the order of execution, and P with the number of its scratch slots.
 * The caller releases *out with moves_free. False with *e set: too large (VECTOR_CLOCKS_MAX). */
bool moves_build(struct program *p, const struct pushes *pushes, struct moves *out, struct error *e);
void moves_free(struct moves *m);

#endif
