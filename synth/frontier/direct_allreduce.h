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
 * Patterns around hubs (synth/program/hub_program.h), where no algorithm has an R/C below LEAST. The caller's; NULL: there
 * are none, or they take too long.
 */
struct algorithm *direct_hubs(const struct problem *p, int steps, struct rational least, int most);

/*
 * Where all links are alike (one orbit, no limits) they may have one price, and R/C is at least the fewest sends of a pattern over
 * what all links carry in a round, among all algorithms with one value of a chunk at a node. A solver is asked for fewer than BEST
 * needs, and for fewer again, for some CPU seconds. Where links differ, gossips are priced (synth/frontier/gossip_bound.h). If
 * there is an answer, and it is more than *OUT, raises that. False: *OUT stays as it was.
 */
bool direct_patterns(const struct problem *p, struct rational best, struct step_value *out);

#endif
