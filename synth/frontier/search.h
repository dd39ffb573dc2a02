#ifndef SCCL_SYNTH_FRONTIER_SEARCH_H
#define SCCL_SYNTH_FRONTIER_SEARCH_H

/* The walk of one problem that a solver can be asked: what pareto_search does for all but allreduce, and twice for that. */

#include "synth/frontier/answers.h"
#include "synth/frontier/pareto.h"

/* Fills *known with all answers, for those who reason further with them. JOURNAL is its path, or NULL; it is left for
 * the caller to remove. Points are stored in o->out as they come unless that is NULL. NULL with *e set. */
struct frontier *frontier_search(const struct problem *p, const struct pareto_options *o, const char *journal,
		      struct answers *known, struct error *e);

#endif
