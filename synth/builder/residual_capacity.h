#ifndef SCCL_SYNTH_BUILDER_RESIDUAL_CAPACITY_H
#define SCCL_SYNTH_BUILDER_RESIDUAL_CAPACITY_H

/* What is left of links and limits while a method hands them out unit by unit. */

#include "core/base/csr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct network;

struct residual_capacity {
	const struct network *network; /* borrowed */
	int *edge, *limit;             /* units left */
	struct csr limits;             /* core/machine/limit_index.h: those over each edge */
	int64_t left;                  /* of all edges together */
	int *out_left;                 /* [node]: of the edges that leave it */
	int *gates_begin, *gates;      /* the limits over all edges that leave a node, as a link to its only switch is */
};

struct residual_capacity residual_new(const struct network *w); /* all full; free it */
void residual_refill(struct residual_capacity *r);
void residual_free(struct residual_capacity *r);

bool residual_take(struct residual_capacity *r, int edge); /* one unit over an edge; false, with nothing taken: there is none */
void residual_give_back(struct residual_capacity *r, int edge);

/* False: no unit can leave the node any more. */
bool residual_lead_out(const struct residual_capacity *r, int node);

#endif
