#ifndef SCCL_SYNTH_PROGRAM_TIMED_PROGRAM_H
#define SCCL_SYNTH_PROGRAM_TIMED_PROGRAM_H

/*
 * The least R/C of any algorithm with S steps, over all C and R: a linear program over timed trees, solved by column
 * generation (docs/concepts/timed-trees.md). SYNCOLL bounds the sum over a step and not each round, so every rational
 * solution, times its common denominator, is an algorithm; and the dual prices prove that there is none better.
 */

#include "synth/program/commodities.h"
#include "synth/program/node_groups.h"
#include "synth/program/timed_tree.h"

#include "core/base/rational.h"

struct error;
struct instance;

/* A tree, and how much of its commodity it carries: a commodity takes as much of all its trees as its demand. */
struct timed_column {
	int commodity;
	struct timed_tree tree; /* owned */
	struct rational amount;
};

/*
 * A solved program. A row is an orbit of edges or, after these, of limits; one row stands for the capacities of all its
 * members together. Released by timed_program_free.
 */
struct timed_program {
	const struct instance *instance; /* borrowed */
	struct commodities commodities;
	int steps, n_rows;
	/*
	 * R of the chunks of the instance: proved to be at least, and attained by the columns. Equal if all went well; not
	 * if the deadline came, numbers did not fit, or there were too many sets of nodes to price.
	 */
	struct rational at_least, attained;
	int64_t *price;          /* [step * n_rows + row]: the dual prices that prove it, in a common unit; owned */
	struct rational *rounds; /* [step]; owned */
	size_t n_columns, capacity;
	struct timed_column *columns; /* owned; columns of amount 0 are kept for the next program */
	int iterations;          /* rounds of pricing, a deterministic measure of time */
};

/*
 * Solves the program of an instance of a non-combining collective with STEPS steps; its own S and R are ignored. BEFORE
 * (or NULL) is the program of one step less under the same GROUP of symmetries, whose columns are a good beginning. The
 * instance must outlive *OUT, which the caller frees. False with *e set: too few steps, or too many nodes or chunks.
 * After the deadline (core/base/stop.h) it returns the best bound and the best columns so far.
 */
bool timed_program_solve(const struct instance *i, const struct node_group *group, int steps,
			 const struct timed_program *before, struct timed_program *out, struct error *e);
/* The same, but no longer solved than until its value is known to be no more than ABOVE. */
bool timed_program_solve_above(const struct instance *i, const struct node_group *group, int steps,
			       const struct timed_program *before, double above, struct timed_program *out, struct error *e);
void timed_program_free(struct timed_program *p);

#endif
