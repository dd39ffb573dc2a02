#ifndef SCCL_SYNTH_FRONTIER_ATLAS_H
#define SCCL_SYNTH_FRONTIER_ATLAS_H

/*
 * Finds frontiers of isomorphic machines in the catalog, the algorithms/ folders of the search path: in the folders of
 * machines, algorithms/MACHINE/COLLECTIVE/, and of isomorphism classes,
 * algorithms/atlas/NAME-NODES-DIGEST/MACHINE/COLLECTIVE/, where DIGEST identifies the canonical form of the class.
 */

#include "synth/frontier/pareto.h"

/* Are all refutations of F, a frontier read from PATH, proved by certificates? LINE gets which ones, or why not.
 * TIMEOUT in seconds, 0: none. */
typedef bool atlas_shown(const char *path, const struct frontier *f, double timeout, char *line, size_t size);

struct atlas_question {
	const struct problem *problem; /* what would be searched; for an allreduce, compositions */
	const struct problem *direct;  /* for an allreduce, all algorithms; else NULL */
	const struct pareto_options *options;
	void (*doubt)(const char *path, const char *why); /* called for each file that is rejected as invalid */
	atlas_shown *shown; /* NULL: the catalog is not trusted, and nothing is found */
};

struct atlas_source {
	char *path;      /* of the frontier file; the caller frees */
	char shown[256]; /* how its refutations were proved */
};

/*
 * The frontier that a search would find, except that its schedules may differ: relabelled for the requested machine,
 * every schedule verified on it, and all refutations proved, if there are any. NULL: no frontier of the catalog answers
 * the question, or none can be trusted. Nothing is written to disk; the frontier is the caller's.
 */
struct frontier *atlas_find(const struct atlas_question *q, struct atlas_source *from);

#endif
