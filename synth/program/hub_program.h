#ifndef SCCL_SYNTH_PROGRAM_HUB_PROGRAM_H
#define SCCL_SYNTH_PROGRAM_HUB_PROGRAM_H

/*
 * Allreduces in few steps: every chunk is added up at hubs, which exchange their sums and send the result to all others
 * (docs/concepts/timed-trees.md). A linear program over such patterns, as over timed trees: its value is attained, but
 * there may be better algorithms that have no hubs.
 */

#include "core/base/rational.h"

struct error;
struct instance;
struct pattern_bound;
struct step;

/*
 * Steps of a schedule for an allreduce, of exactly STEPS steps and the least R/C that is found with at most MOST chunks.
 * *CHUNKS is its C. No algorithm has an R/C below LEAST (0: that is not known), so that the search ends with patterns that
 * attain it together. *BOUND is what a solver proved on the way (synth/program/pattern_questions.h), all 0 if nothing; the caller
 * frees its price. The caller frees the steps. NULL with *e set: there is no such pattern, the machine is too large, or
 * the deadline came (core/base/stop.h).
 */
struct step *hub_program_steps(const struct instance *i, int steps, int most, struct rational least, int *chunks,
			       struct pattern_bound *bound, struct error *e);

#endif
