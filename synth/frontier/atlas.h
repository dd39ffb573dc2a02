#ifndef SCCL_SYNTH_FRONTIER_ATLAS_H
#define SCCL_SYNTH_FRONTIER_ATLAS_H

/*
 * What the catalog knows of machines that are alike. It is sought in the folders algorithms/ of the search path: in those of
 * machines, algorithms/MACHINE/COLLECTIVE/, and in those of classes, algorithms/atlas/NAME-NODES-DIGEST/MACHINE/COLLECTIVE/,
 * whose names tell what they hold.
 */

#include "synth/frontier/pareto.h"

/* Is what F, a frontier read from PATH, says was refuted shown by proofs? LINE says by which, or why not. TIMEOUT in seconds, 0: none. */
typedef bool atlas_shown(const char *path, const struct frontier *f, double timeout, char *line, size_t size);

struct atlas_question {
	const struct problem *problem; /* what would be walked; of an allreduce compositions */
	const struct problem *direct;  /* of an allreduce all algorithms; else NULL */
	const struct pareto_options *options;
	void (*doubt)(const char *path, const char *why); /* told of each file that is not what it should be */
	atlas_shown *shown; /* NULL: nothing of the catalog is believed */
};

struct atlas_source {
	char *path;      /* of the frontier file; the caller frees */
	char shown[256]; /* what was done with its proofs */
};

/*
 * What a walk would find, but for the schedules themselves: for the asked machine, every schedule verified there, and what was
 * refuted shown by proofs. Where nothing was refuted there is nothing to show. NULL: nothing there answers, or is to be believed. What
 * is to be written is for the caller.
 */
struct frontier *atlas_find(const struct atlas_question *q, struct atlas_source *from);

#endif
