#ifndef SCCL_SYNTH_TREES_FOREST_JOBS_H
#define SCCL_SYNTH_TREES_FOREST_JOBS_H

/* The sends of all waves of trees, and what they load. For synth/trees/forest_schedule.c. */

#include "core/base/csr.h"
#include "synth/trees/forest.h"

struct network;

/* One chunk over one edge of its tree. */
struct forest_job {
	int chunk, edge;   /* of the network */
	int before;        /* the job that brings the chunk to the edge's start, -1: the root has it */
	int wave, depth;   /* depth 1 at the root */
	int height;        /* jobs on the longest way from here to a leaf, this one too */
};

/* All (L, b) of the network: edges, then limits. */
struct forest_jobs {
	const struct network *network; /* borrowed */
	size_t n;
	struct forest_job *of;        /* by height, the highest first */
	int depth, waves;
	size_t n_widths;
	int64_t *widths;       /* b */
	struct csr loaded;     /* core/machine/limit_index.h: (L, b) by edge, one as often as L counts it */
};

/* WAVES times the trees must be FOREST_SENDS_MAX sends at most, and every edge one of the network. */
void forest_jobs_new(const struct network *w, const struct forest *f, int waves, struct forest_jobs *out);
void forest_jobs_free(struct forest_jobs *j);

/* Adds BY for the edge to every L that counts it. */
void forest_jobs_load(const struct forest_jobs *j, int edge, int64_t by, int64_t *loads);

/* The rounds that the loads need: the most of load / b, rounded up; at least 0. */
int64_t forest_jobs_rounds(const struct forest_jobs *j, const int64_t *loads);

#endif
