#ifndef SCCL_ENCODE_FOLD_FOLDS_H
#define SCCL_ENCODE_FOLD_FOLDS_H

/*
 * All ways to fold a question that are tried: by the group that moves every node, where there is one; else by turns of the
 * machine (core/symmetry/automorphism_samples.h), those that leave the fewest nodes out of their full circles. Where C is not a multiple of a turn's
 * order, more is asked for as well, up to the next that is: what is found for more chunks is there for fewer.
 */

#include "encode/fold/fold.h"
#include "encode/solve.h"

#include <stdbool.h>
#include <stddef.h>

struct plan;

enum { FOLDS_MAX = 16 };

struct folds {
	bool are_turns; /* no group moves every node */
	size_t n;
	struct folded {
		struct instance *instance; /* of C chunks or more; owned, as all */
		struct fold *fold;
		struct plan *plan; /* possible, and not too large */
	} all[FOLDS_MAX];          /* the largest group first */
};

/* None of a question whose terms count what is at a node, which orbits do not tell; none of a collective of one's own. */
struct folds folds_new(const struct instance *i);
void folds_drop(struct folds *f, size_t which); /* that one was refused */
void folds_free(struct folds *f);

/* For so many conflicts. */
typedef enum answer folds_attempt(const struct plan *p, int conflicts, struct solution *out);

/*
 * What is worth doing before the instance is asked as it is: the larger it is the more conflicts each, down to none; what is refused
 * is dropped. True: one was found, cut to the chunks of I, and is in OUT.
 */
bool folds_find(struct folds *f, const struct instance *i, folds_attempt *attempt, struct solution *out);

/* Of what was found for one of them the chunks of the instance itself; rounds sum to R again. */
void folds_cut(const struct instance *i, struct solution *found);

#endif
