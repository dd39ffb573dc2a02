#ifndef SCCL_CORE_VERIFY_VERIFY_PARTS_H
#define SCCL_CORE_VERIFY_VERIFY_PARTS_H

/* Declarations shared by the files of core/verify/. */

#include "core/verify/verify.h"

#include "core/base/csr.h"

#include <stdint.h>

struct network;

/* The verdict on a fault in STEP (from 0; -1: none) at the send S (NULL: none), explained by FORMAT. */
struct verdict fault_at(enum fault what, int step, const struct send *s, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The sends that were counted of those that count once together: a hash table with open addressing. */
struct shared_sends {
	struct shared_send {
		int chunk, group; /* group: from 1, 0: the slot is free */
		int end;          /* of copies their source, of reduces -1 - their destination */
	} *slots;
	size_t n, size;           /* size: a power of two */
};

/*
 * Number of chunks that cross each edge, and the edges of each limit, in the current step. Where switches copy or add,
 * what they take in or put out as one send counts once.
 */
struct loads {
	const struct network *w;
	const char *with; /* for messages: what else is counted with the step; "" if nothing */
	int64_t *edge, *limit;
	struct csr crossings; /* by edge: positions in the edge lists of all limits, one after the other */
	struct crossed_limit {
		int limit, group;   /* group: of struct crossing_group; -1: every send counts */
		unsigned abilities;
	} *crossed;             /* [position] */
	int *used;              /* edges with a load */
	size_t n_used;
	struct shared_sends counted;
};
/*
 * WITH is borrowed. loads_add counts one chunk on EDGE, copied, or added with REDUCES; loads_next_step, that what follows
 * is of another step and shares no send with what came before; loads_check compares with the capacity of ROUNDS rounds.
 */
struct loads loads_new(const struct network *w, const char *with);
void loads_free(struct loads *l);
void loads_add(struct loads *l, int edge, int chunk, bool reduces);
void loads_next_step(struct loads *l);
void loads_clear(struct loads *l); /* like loads_check, takes time for the edges with a load only */
struct verdict loads_check(const struct loads *l, int step, int rounds);

/*
 * Plays the steps before HORIZON, whose entries must be in range. If there is no fault and HORIZON covers all steps,
 * checks the postcondition too. ONLY [chunk]: the chunks to play; NULL: all of them.
 */
struct verdict verify_play(const struct algorithm *a, int horizon, const unsigned char *only);

/*
 * Everything except the claims. The first fault of a schedule in full; or some fault of one in compact form
 * (a->symmetry is not NULL), which is correct if and only if its expansion is, or FAULT_LIMIT.
 */
struct verdict verify_schedule(const struct algorithm *a, const struct network *w);
struct verdict verify_compact(const struct algorithm *a, const struct network *w);

/*
 * The same, by orbits alone. False: the group does not preserve the machine and the collective, or is too large, or
 * switches copy or add.
 */
bool verify_orbits(const struct algorithm *a, const struct network *w, struct verdict *out);

/* For a schedule without a fault: does it satisfy a->constraints? */
struct verdict verify_constraints(const struct algorithm *a, const struct network *w);

/*
 * Do the bounds and the optimality that an algorithm states agree with what core/bounds/bounds.h computes anew, and is
 * every candidate refuted that must be? The refutations themselves are taken for granted here: their proofs are checked
 * separately.
 */
struct verdict verify_claims(const struct algorithm *a, const struct network *w); /* W: of its topology */

#endif
