#ifndef SCCL_SYNTH_PROGRAM_HUB_FOREST_H
#define SCCL_SYNTH_PROGRAM_HUB_FOREST_H

/* Cheap forests that join all nodes to hubs within some steps: from the hubs to all others, or backwards. */

#include "synth/program/timed_tree.h"

struct hub_core;
struct network;

/*
 * A forest of sends in the steps FIRST .. FIRST + N - 1, at PRICES [step * n_edges + edge] (none is negative): INTO the
 * hubs of CORE, where a node sends after it has received all, or out of them. Its cost, and, unless OUT is NULL, its sends,
 * which the caller frees. INFINITY, without sends: N steps are too few. Local search, with some EFFORT, from 0: there may be a
 * cheaper one.
 */
double hub_forest_find(const struct network *w, const struct hub_core *core, bool into, int first, int n, const double *prices,
		       int effort, struct timed_tree *out);

#endif
