#ifndef SCCL_ENCODE_FOLD_H
#define SCCL_ENCODE_FOLD_H

/*
 * A question for schedules that a group of relabellings carries to themselves: one chunk of each orbit is asked for, and the
 * load of a link is that of all links of its orbit together (docs/symmetry.md). What is found is one for the whole; a refusal
 * says nothing of other schedules.
 */

#include "core/instance.h"
#include "core/symmetry.h"

struct fold {
	struct symmetry *symmetry; /* owned, as all */
	struct elements group;     /* no element but the identity keeps a node, nor so a chunk */
	int n_chunks, *chunk;      /* the first of each orbit */
	int n_orbits;
	int *begin, *edges;        /* orbit o is edges[begin[o]] up to edges[begin[o + 1]] */
	int *orbit;                /* [edge] */
};

/* NULL: no group was found, or the collective is not one that it carries to itself. */
struct fold *fold_new(const struct instance *i);
void fold_free(struct fold *f); /* NULL is fine */

#endif
