#ifndef SCCL_SYNTH_TREES_FOREST_JOBS_H
#define SCCL_SYNTH_TREES_FOREST_JOBS_H

/* The sends of all waves of trees, and the load they put on edges and limits. For synth/trees/forest_schedule.c. */

#include "core/base/csr.h"
#include "synth/trees/forest.h"

struct network;

/* One chunk over one edge of its tree. */
struct forest_job {
	int chunk, edge;   /* edge: of the network */
	int before;        /* job that brings the chunk to the edge's start; -1: the root has it */
	int wave, depth;   /* depth: 1 at the root */
	int height;        /* jobs on the longest path from here to a leaf, including this one */
};

/* All jobs, and all capacities (L, b) of the network: edges, then limits. */
struct forest_jobs {
	const struct network *network; /* borrowed */
	size_t n;
	struct forest_job *of;        /* by height, highest first */
	int depth, waves;
	size_t n_widths;
	int64_t *widths;       /* b */
	struct csr loaded;     /* core/machine/limit_index.h: (L, b) by edge, repeated as often as L counts it */
};

/*
 * WAVES times the trees must make at most FOREST_SENDS_MAX sends, and every tree edge must be an edge of the network. W
 * is borrowed.
 */
void forest_jobs_new(const struct network *w, const struct forest *f, int waves, struct forest_jobs *out);
void forest_jobs_free(struct forest_jobs *j);

/* Adds BY to the load of every L that counts the edge. */
void forest_jobs_load(const struct forest_jobs *j, int edge, int64_t by, int64_t *loads);

/* The rounds that the loads need: the largest load / b, rounded up; 0 without loads. */
int64_t forest_jobs_rounds(const struct forest_jobs *j, const int64_t *loads);

#endif
