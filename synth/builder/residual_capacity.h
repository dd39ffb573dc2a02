#ifndef SCCL_SYNTH_BUILDER_RESIDUAL_CAPACITY_H
#define SCCL_SYNTH_BUILDER_RESIDUAL_CAPACITY_H

/* Residual capacity of edges and limits, for methods that allocate it unit by unit. */

#include "core/base/csr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct network;

struct residual_capacity {
	const struct network *network; /* borrowed */
	int64_t *edge, *limit;         /* units left of each edge and each limit */
	struct csr limits;             /* core/machine/limit_index.h: the limits over each edge */
	int64_t left;                  /* sum over all edges */
	int64_t *out_left;             /* [node]: sum over its outgoing edges */
	int *port_groups_begin, *port_groups;      /* port groups: limits over all edges out of a node, e.g. its link to a switch */
};

struct residual_capacity residual_new(const struct network *w); /* at the capacity of a round; release with residual_free */
/* Restores the full capacity of that many rounds. */
void residual_refill(struct residual_capacity *r, int64_t rounds);
void residual_free(struct residual_capacity *r);

/* Takes one unit over an edge. False, with nothing taken: the edge or a limit over it has none left. */
bool residual_take(struct residual_capacity *r, int edge);
/* Undoes one residual_take of the edge. */
void residual_give_back(struct residual_capacity *r, int edge);

/*
 * False: no unit can leave the node any more. True promises nothing: limits over some of its edges may still refuse
 * them.
 */
bool residual_lead_out(const struct residual_capacity *r, int node);

#endif
