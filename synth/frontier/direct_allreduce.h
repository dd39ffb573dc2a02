#ifndef SCCL_SYNTH_FRONTIER_DIRECT_ALLREDUCE_H
#define SCCL_SYNTH_FRONTIER_DIRECT_ALLREDUCE_H

/* Algorithms for an allreduce that is solved directly, made without a solver. */

#include "core/base/rational.h"

#include <stdbool.h>
#include <stddef.h>

struct algorithm;
struct problem;
struct step_value;

/*
 * One step, in which every node sends its whole input to all others: the fewest chunks for which R is whole with R/C = VALUE,
 * at most MOST, with at most SENDS sends. The caller's; NULL: some pair of nodes is not joined, or it takes more.
 */
struct algorithm *direct_exchange(const struct problem *p, struct rational value, int most, size_t sends);

/*
 * Patterns around hubs (synth/program/hub_program.h) of out->steps steps, where no algorithm has an R/C below out->at_least;
 * if a solver proves a higher bound on the way, *OUT is raised to it, and *RAISED is true. The caller's; NULL: there are
 * none, or they take too long.
 */
struct algorithm *direct_hubs(const struct problem *p, int most, struct step_value *out, bool *raised);

/*
 * Raises *OUT to what patterns or gossips show beyond it: by counting their sends (synth/frontier/fewest_sends.h; BEST is an R/C
 * that is known), and where links differ by prices, of patterns (synth/program/pattern_questions.h) or of gossips
 * (synth/frontier/gossip_bound.h; KNOWN, or NULL, is a good algorithm). False: *OUT stays as it was.
 */
bool direct_patterns(const struct problem *p, struct rational best, const struct algorithm *known, struct step_value *out);

#endif
