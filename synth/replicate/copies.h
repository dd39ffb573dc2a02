#ifndef SCCL_SYNTH_REPLICATE_COPIES_H
#define SCCL_SYNTH_REPLICATE_COPIES_H

/* A schedule over copies of a machine under construction: sends within each copy, and deliveries between copies. */

#include "core/base/csr.h"
#include "synth/builder/schedule_builder.h"

#include <stdint.h>

struct copies {
	const struct network *network;  /* of the whole machine; borrowed */
	int nodes, n, all;              /* nodes of one copy; number of copies; nodes of all copies */
	int global_chunks;              /* of the whole collective */
	struct schedule_builder *builder;
	int *held;                      /* [chunk * all + node]: the node has it from this step on; -1: never yet */
	size_t n_loads;                 /* steps that have loads */
	int64_t **load;                 /* [step][edge]: chunks sent */
	struct delivery *deliveries;
	size_t n_deliveries, deliveries_capacity;
	struct csr limits;              /* core/machine/limit_index.h: the limits over each edge */
};

/* NODES: of one copy; the number of nodes of the network must be a multiple of it. The network is borrowed until
 * copies_free. */
struct copies *copies_new(const struct network *w, int nodes, int global_chunks);
void copies_free(struct copies *x); /* NULL is fine */

/* The number in the whole machine of a copy's node. */
static inline int copies_node(const struct copies *x, int copy, int node)
{
	return copy * x->nodes + node;
}

static inline int *copies_held(const struct copies *x, int chunk, int node)
{
	return &x->held[(size_t)chunk * (size_t)x->all + (size_t)node];
}

/* Sends the chunk in STEP. False, and nothing sent: DST has it by the end of the step anyway. A pair that is no edge
 * makes builder_take fail. */
bool copies_send(struct copies *x, int step, int chunk, int src, int dst);
/* Registers a delivery for copies_deliver: CHUNK from FROM to TO. It can start once FROM holds the chunk. */
void copies_add_delivery(struct copies *x, int chunk, int from, int to);
/*
 * Performs all deliveries, hop by hop on shortest paths. The first LOCAL - 1 steps carry only what fits into the
 * capacity that is left in the rounds that they take anyway; from the last local step on, everything goes as early as
 * possible. Returns the first step at whose start every delivery has arrived, at least LOCAL. A delivery without a path
 * is dropped, which the verifier detects.
 */
int copies_deliver(struct copies *x, int local);

#endif
