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

/* At these prices every pattern pays so much, and a round at most so much in each step. */
struct pattern_bound {
	int *price; /* [step * n_edges + edge]; owned */
	int pay, round;
};

/* Are questions asked about so many steps? Only where they are as few as any allreduce takes, on at most 64 nodes. */
bool patterns_are_asked_for(const struct network *w, int steps);

/*
 * Adds patterns, beginning with a program that is solved, until no question is answered with another, so much work is done,
 * or they hardly improve the program. Only where each pattern is there in reverse. False: the program
 * could not be solved by the deadline (core/base/stop.h).
 */
bool pattern_program_ask(struct pattern_program *q);
/*
 * The same until the solver refutes that any pattern pays less than prices say: *OUT becomes that if it shows more than
 * *OUT does; all 0: nothing. The caller frees its price.
 */
bool pattern_program_bound(struct pattern_program *q, struct pattern_bound *out);

/*
 * The same beginning with what KNOWN, an algorithm of as many
 * steps, sends of its chunks. I: an instance of one chunk; no algorithm has an R/C below LEAST. The caller frees out->price.
 * False: there are more steps than any allreduce takes at least, links do not lead both ways alike, or nothing was refuted.
 */
bool pattern_bound_find(const struct instance *i, const struct algorithm *known, double least, struct pattern_bound *out);

#endif
