#ifndef SCCL_SYNTH_FRONTIER_RELABELLED_FRONTIER_H
#define SCCL_SYNTH_FRONTIER_RELABELLED_FRONTIER_H

/*
 * The frontier of one machine, carried to another that is the same but for its numbers. Nothing is taken over but the
 * schedules, relabelled, and what was refuted: all else is verified, classified and listed anew.
 */

#include "synth/frontier/pareto.h"

/* Does F say all that a walk with these options would look for? A wider class does where its points are of the asked one. */
bool frontier_answers(const struct frontier *f, const struct pareto_options *o);

/*
 * Of such an F, whose node n is to[n] of P's machine. Of an allreduce P is of compositions and DIRECT of all algorithms; else
 * that is NULL. NULL with *e set: it does not hold there.
 */
struct frontier *frontier_relabelled(const struct frontier *f, const struct problem *p, const struct problem *direct, const int *to,
				  const struct pareto_options *o, struct error *e);

#endif
