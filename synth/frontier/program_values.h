#ifndef SCCL_SYNTH_FRONTIER_PROGRAM_VALUES_H
#define SCCL_SYNTH_FRONTIER_PROGRAM_VALUES_H

/* The values of step counts, from linear programs over timed trees (synth/program/least_rounds.h), and the algorithms
 * that the trees of a program give. */

#include "synth/frontier/frontier.h"
#include "synth/program/least_rounds.h"

/* The values of a problem that is neither composed nor direct. Released by program_values_close. */
struct program_values {
	const struct problem *problem; /* borrowed */
	struct instance unit;          /* C = unit */
	bool solved;                   /* the last program was, and: */
	struct least_rounds last;
};

bool program_values_open(const struct problem *p, struct program_values *out, struct error *e); /* false with *e set */
void program_values_close(struct program_values *v);

/* The value for STEPS steps, at most one more than the time before. It gets half of the time that is left; if that is
 * not enough, or the program is too large, the value is a bound. The caller owns its prices. */
struct step_value program_values_next(struct program_values *v, int steps);

/*
 * A lower bound for an allreduce P that is solved directly. With every chunk what a node has at the beginning reaches
 * all others, so that a broadcast from it is part of every allreduce: the largest of the values of broadcasts, or
 * that of the broadcast from ONLY, unless it is negative. In one step nothing can be added up on the way, so that an
 * allgather is part of it too, and its value is that of the allreduce.
 */
struct step_value program_value_directly(const struct problem *p, int steps, int only);

/*
 * Raises the value of a number of steps of an allreduce P that is solved directly to what timed cuts show, none of which
 * is of one root alone (core/bounds/timed_cuts.h). False: they show no more.
 */
bool program_value_by_cuts(const struct problem *p, struct step_value *v);

/*
 * Where switches copy and add: an allreduce P that meets the bound of so many steps (core/bounds/switch_steps.h). NULL: the
 * machine has none. The caller's.
 */
struct algorithm *switch_algorithm(const struct problem *p, int steps);

/* The algorithm with the least R/C that is found for exactly so many steps and chunks of P. The caller's; NULL with *e
 * set. */
struct algorithm *program_algorithm_of(const struct problem *p, int steps, int chunks, struct error *e);

/*
 * Computes the values of a frontier without k anew, with their dual prices, which a file does not have; those of the
 * halves of an allreduce too. Points and claims stay. False with *e set: its problem cannot be opened.
 */
bool frontier_solve_values(struct frontier *f, struct error *e);

#endif
