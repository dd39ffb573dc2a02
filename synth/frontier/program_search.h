#ifndef SCCL_SYNTH_FRONTIER_PROGRAM_SEARCH_H
#define SCCL_SYNTH_FRONTIER_PROGRAM_SEARCH_H

/*
 * Frontiers without k: for each S the least R/C of all algorithms, of any C and R, from linear programs over timed
 * trees (docs/concepts/timed-trees.md), and an algorithm that attains it, or comes as close as is found with at most
 * max_chunks chunks, and chunks_at_most.
 */

#include "synth/frontier/pareto.h"

/* The most chunks unless max_chunks is given; for each block where C counts those of one for each node. */
enum { PROGRAM_CHUNKS = 1024 };

/* Of a problem that is not composed. Points are stored in o->out as they are found unless that is NULL. The frontier is
 * the caller's; NULL with *e set. */
struct frontier *program_search(const struct problem *p, const struct pareto_options *o, struct error *e);

#endif
