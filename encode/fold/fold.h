#ifndef SCCL_ENCODE_FOLD_FOLD_H
#define SCCL_ENCODE_FOLD_FOLD_H

/*
 * A question for schedules that a group of relabellings carries to themselves: one chunk of each orbit is asked for, and the
 * load of a link is that of all its images together (docs/concepts/symmetry.md). What is found is one for the whole; a refusal says
 * nothing of other schedules. A chunk is either carried to itself by the identity alone, or by all: then its sends fall
 * into orbits, of which one is asked for.
 */

#include "core/schedule/instance.h"
#include "core/schedule/symmetry.h"

struct fold {
	struct symmetry *symmetry; /* owned, as all */
	struct elements group;
	int n_chunks, *chunk;      /* the first of each orbit */
	bool *fixed;               /* [of those]: all elements carry it to itself */
	int *node;                 /* [node]: the first of its orbit */
	int n_orbits;
	int *begin, *edges;        /* orbit o is edges[begin[o]] up to edges[begin[o + 1]], the least first */
	int *orbit;                /* [edge] */
	bool *forks;               /* [orbit]: some of its edges lead to one node, to which a fixed chunk can come over one alone */
	bool *repeats;             /* [limit]: one before it says the same of a folded question */
};

/* By a group that moves every node. NULL: none was found, or the collective is not one that it carries to itself. */
struct fold *fold_new(const struct instance *i);

/*
 * By the group of a turn (core/symmetry/automorphism_samples.h), which leaves the root where it is, if there is one. The parts of what a node has go
 * round in circles of its order, and what is over stays. NULL: it is not of this collective, or of some chunk neither holds.
 */
struct automorphism;
struct fold *fold_by(const struct instance *i, const struct automorphism *t);
bool fold_is_of(const struct instance *i); /* the collective is one that relabellings carry to itself */
void fold_free(struct fold *f);            /* NULL is fine */

/* How often an element carries some edge of the orbit to one that is given. */
int fold_times(const struct fold *f, int orbit);

#endif
