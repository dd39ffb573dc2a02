#ifndef SCCL_ENCODE_FOLD_FOLD_H
#define SCCL_ENCODE_FOLD_FOLD_H

/*
 * A question for schedules that are invariant under a group of automorphisms. It has one chunk of each orbit, and the
 * load of a link is that of all its images together (docs/concepts/symmetry.md). A solution is one for the whole
 * instance; a refutation says nothing about other schedules. Every chunk is fixed either by the identity alone or by
 * the whole group; in the latter case its sends fall into orbits, each with one set of variables.
 */

#include "core/schedule/instance.h"
#include "core/schedule/symmetry.h"

struct automorphism;

/* A group of automorphisms with its orbits, for one instance. */
struct fold {
	struct symmetry *symmetry; /* owned, like everything here */
	struct elements group;
	int n_chunks, *chunk;      /* the first chunk of each orbit */
	bool *fixed;               /* [of those]: every element fixes it */
	int *node;                 /* [node]: the first node of its orbit */
	int n_orbits;
	int *begin, *edges;        /* orbit o is edges[begin[o]] .. edges[begin[o + 1] - 1], lowest edge first */
	int *orbit;                /* [edge] */
	bool *forks;               /* [orbit]: some of its edges lead to the same node: of no use to a fixed chunk */
	bool *repeats;             /* [limit]: an earlier limit is equal to it in a folded question */
};

/*
 * Folds by a group of which no element except the identity fixes a node. NULL: none was found, or the collective is
 * neither allgather nor alltoall. The caller frees it.
 */
struct fold *fold_new(const struct instance *i);

/*
 * Folds by the cyclic group of an automorphism (core/symmetry/automorphism_samples.h), which must fix the root if there
 * is one. The parts of a node's chunks are permuted in cycles of the automorphism's order, and the remainder stays.
 * NULL: the collective does not allow it, or some chunk is fixed by a part of the group only. The caller frees it.
 */
struct fold *fold_by(const struct instance *i, const struct automorphism *t);
bool fold_applies(const struct instance *i); /* can it be folded at all? Not a custom or a combining collective */
void fold_free(struct fold *f);              /* NULL is fine */

/* The number of elements that map a given edge of the orbit to another given edge of it. */
int fold_times(const struct fold *f, int orbit);

#endif
