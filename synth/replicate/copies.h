#ifndef SCCL_SYNTH_REPLICATE_COPIES_H
#define SCCL_SYNTH_REPLICATE_COPIES_H

/* A schedule over copies of a machine while it is drawn: what copies do by themselves, and what is carried between them. */

#include "core/base/csr.h"
#include "synth/builder/schedule_builder.h"

#include <stdint.h>

struct copies {
	const struct network *network;  /* of the whole; borrowed */
	int nodes, n, all;              /* of one; copies; of all */
	int global_chunks;              /* of the whole */
	struct schedule_builder *builder;
	int *held;                      /* [chunk * all + node]: the step before which it is there; -1: never yet */
	size_t n_loads;                 /* steps with loads */
	int64_t **load;                 /* [step][edge] */
	struct delivery *ways;
	size_t n_ways, ways_capacity;
	struct csr limits;              /* core/machine/limit_index.h: those over each edge */
};

/* The network must have a multiple of NODES. */
struct copies *copies_new(const struct network *w, int nodes, int global_chunks);
void copies_free(struct copies *x); /* NULL is fine */

static inline int copies_node(const struct copies *x, int copy, int node)
{
	return copy * x->nodes + node;
}

static inline int *copies_held(const struct copies *x, int chunk, int node)
{
	return &x->held[(size_t)chunk * (size_t)x->all + (size_t)node];
}

/* Sends, unless DST has the chunk by then: false. The pair must be an edge: else the draft is spoilt. */
bool copies_send(struct copies *x, int step, int chunk, int src, int dst);
/* A chunk that is at FROM (when it is, held tells) must get to TO, by copies_carry. */
void copies_way(struct copies *x, int chunk, int from, int to);
/*
 * All ways, hop by hop on shortest routes: into what the first LOCAL steps leave of the links in the rounds that they take
 * anyway, then, from the last of these on, as soon as may be. The first step in which all is where it must be.
 */
int copies_carry(struct copies *x, int local);

#endif
