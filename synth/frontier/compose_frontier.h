#ifndef SCCL_SYNTH_FRONTIER_COMPOSE_FRONTIER_H
#define SCCL_SYNTH_FRONTIER_COMPOSE_FRONTIER_H

/*
 * The frontier of compositions of an allreduce from those of its halves. What is found and refuted here holds within
 * compositions, with a k of k-synchronous halves.
 */

#include "synth/frontier/halves.h"
#include "synth/frontier/pareto.h"

/* Searches the frontiers of both halves and combines them: for each S the least sum of their R/C. The caller's, NULL
 * with *e set. */
struct frontier *compose_search(const struct problem *p, const struct pareto_options *o, struct error *e);
/* The least sum of the values of the halves over all splits of the steps, for C counted in UNIT blocks, and whether one of
 * the splits that give it is attained. Not a number: every split needs more steps. */
struct step_value composed_value(const struct frontier *const halves[HALVES], int unit, int steps);
/* Removes the journals of the halves of a composed problem, once everything is stored. */
void compose_drop_journals(const struct problem *p, const char *dir);

#endif
