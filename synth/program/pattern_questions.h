#ifndef SCCL_SYNTH_PROGRAM_PATTERN_QUESTIONS_H
#define SCCL_SYNTH_PROGRAM_PATTERN_QUESTIONS_H

/*
 * Exact pricing of the patterns of an allreduce: a solver is asked for one that costs less than all known ones
 * (encode/cnf/pattern.h). Where there are hardly enough steps it finds what simulated annealing does not.
 */

#include <stdbool.h>

struct algorithm;
struct instance;
struct network;
struct pattern_program;

/* At these prices every pattern pays at least PAY, and a round pays at most ROUND in each step: no R/C is below PAY / ROUND. */
struct pattern_bound {
	int *price; /* [step * n_edges + edge]; owned */
	int pay, round;
};

/* Are questions asked about so many steps? Only where they are as few as any allreduce takes, on at most 64 nodes. */
bool patterns_are_asked_for(const struct network *w, int steps);

/*
 * Adds patterns to a program that is solved, until no question finds another, a fixed amount of work is done, or they hardly
 * improve the program. Does nothing where patterns are not there in reverse. False: the program could not be solved by the
 * deadline (core/base/stop.h).
 */
bool pattern_program_ask(struct pattern_program *q);
/*
 * The same until the solver proves a bound near the program's value: that no pattern pays less than so much. *OUT, all 0 or an
 * earlier bound, is set to the highest bound that was proved, if that is higher. The caller frees its price.
 */
bool pattern_program_bound(struct pattern_program *q, struct pattern_bound *out);

/*
 * The same for a program that begins with what KNOWN, an algorithm of as many steps, sends of each chunk. I: an instance of one
 * chunk; no algorithm has an R/C below LEAST. The caller frees out->price. False: patterns_are_asked_for says no,
 * KNOWN has other steps, some link has no reverse of the same bandwidth, or nothing was proved.
 */
bool pattern_bound_find(const struct instance *i, const struct algorithm *known, double least, struct pattern_bound *out);

#endif
