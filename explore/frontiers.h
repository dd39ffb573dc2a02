#ifndef SCCL_EXPLORE_FRONTIERS_H
#define SCCL_EXPLORE_FRONTIERS_H

/* The frontier of a collective on a machine: from the catalog if it answers, else from a search. */

#include "synth/frontier/atlas.h"

struct collective;
struct error;
struct topology;

/* Everything is borrowed. */
struct frontier_request {
	const struct topology *topology;
	const struct collective *collective;
	const struct pareto_options *search; /* a scan is searched in the class of the paper, whatever its k */
	atlas_shown *shown;                  /* as in struct atlas_question */
	void (*doubt)(const char *path, const char *why);
	/* Called before a search, whose options it may change, since only then is it known how much time is left. NULL: not called. */
	void (*searches)(void *context, struct pareto_options *search);
	void *context;
};

/*
 * The frontier, which the caller frees; that of an allreduce has its compositions in `composed`. *FROM_CATALOG: does it come
 * from the catalog? NULL with *e set.
 */
struct frontier *frontier_find(const struct frontier_request *r, bool *from_catalog, struct error *e);

#endif
