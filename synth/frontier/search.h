#ifndef SCCL_SYNTH_FRONTIER_SEARCH_H
#define SCCL_SYNTH_FRONTIER_SEARCH_H

/* The frontier search of one problem that can be put to a solver: what pareto_search does for all collectives except a
 * composed allreduce, which takes a search for each half. */

#include "synth/frontier/answers.h"
#include "synth/frontier/pareto.h"

/* Fills *KNOWN with all answers, for the caller to use and free. JOURNAL is its path, or NULL; the caller removes
 * it. Points are stored in o->out as they are found unless that is NULL. The frontier is the caller's; NULL with *e
 * set. */
struct frontier *frontier_search(const struct problem *p, const struct pareto_options *o, const char *journal,
		      struct answers *known, struct error *e);

#endif
