#ifndef SCCL_ENCODE_FOLD_FOLDS_H
#define SCCL_ENCODE_FOLD_FOLDS_H

/*
 * All folds of a question that are tried: by a group that fixes no node, if there is one; else by cyclic groups of
 * automorphisms of the machine (core/symmetry/automorphism_samples.h), preferring those with the fewest nodes outside
 * cycles of full length. If C is not a multiple of an automorphism's order, a question with C rounded up to the next
 * multiple is added: a solution for more chunks contains one for fewer.
 */

#include "encode/fold/fold.h"
#include "encode/solve.h"

#include <stdbool.h>
#include <stddef.h>

struct plan;

enum { FOLDS_MAX = 16 };

/* Folded questions, each an instance with its fold and plan. */
struct folds {
	bool are_cyclic; /* by single automorphisms: no group without fixed nodes was found */
	size_t n;
	struct folded {
		struct instance *instance; /* with C chunks or more; owned, like everything here */
		struct fold *fold;
		struct plan *plan; /* neither impossible nor too large */
	} all[FOLDS_MAX];          /* the largest group first */
};

/*
 * Empty if memory is limited, since orbits do not count what is at a node, and for collectives that cannot be folded
 * (fold_applies).
 */
struct folds folds_new(const struct instance *i);
void folds_drop(struct folds *f, size_t which); /* removes a refuted one */
/* Frees the questions that are left. */
void folds_free(struct folds *f);

/* An engine's attempt at a plan, limited to CONFLICTS conflicts. */
typedef enum answer folds_attempt(const struct plan *p, int conflicts, struct solution *out);

/*
 * Tries the folds before the instance itself, with more conflicts the larger the instance is, and none for small ones;
 * refuted folds are dropped. True: a solution was found, and *out has it, restricted to the chunks of I.
 */
bool folds_find(struct folds *f, const struct instance *i, folds_attempt *attempt, struct solution *out);

/*
 * Restricts a solution of one of the folds to the chunks of the instance itself and recomputes its rounds, which sum to
 * R again.
 */
void folds_restrict(const struct instance *i, struct solution *found);

#endif
