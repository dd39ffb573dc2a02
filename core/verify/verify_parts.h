#ifndef SCCL_CORE_VERIFY_VERIFY_PARTS_H
#define SCCL_CORE_VERIFY_VERIFY_PARTS_H

/* What the files of core/verify/ share. */

#include "core/verify/verify.h"

#include "core/base/csr.h"

#include <stdint.h>

struct network;

struct verdict fault_at(enum fault what, int step, const struct send *s, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* What crosses each edge, and what crosses the edges of each limit, in the step at hand. */
struct loads {
	const struct network *w;
	const char *with; /* who sends it besides the step, for messages */
	int64_t *edge, *limit;
	struct csr limits; /* core/machine/limit_index.h: those over each edge */
	int *used;     /* edges with a load */
	size_t n_used;
};
struct loads loads_new(const struct network *w, const char *with);
void loads_free(struct loads *l);
void loads_add(struct loads *l, int edge);
void loads_clear(struct loads *l); /* in the time that the edges with a load take, as the others */
struct verdict loads_check(const struct loads *l, int step, int rounds);

/* Plays the steps before HORIZON, whose entries are in range. Where it finds no fault and HORIZON is all of them, the
 * post-condition too. ONLY: the chunks to look at, [chunk]; NULL: all. */
struct verdict verify_play(const struct algorithm *a, int horizon, const unsigned char *only);

/* Everything but the claims: the first fault of a schedule in full, and a fault of one in compact form (a->symmetry is not
 * NULL), which is right where it is right in full. */
struct verdict verify_schedule(const struct algorithm *a, const struct network *w);
struct verdict verify_compact(const struct algorithm *a, const struct network *w);

/* The same by orbits alone. False: the group does not keep the machine and the
 * collective, or is too large. */
bool verify_orbits(const struct algorithm *a, const struct network *w, struct verdict *out);

/* Where no fault was found in the schedule: does it keep to a->terms? */
struct verdict verify_constraints(const struct algorithm *a, const struct network *w);

/* Are the bounds and the optimality that an algorithm states those that core/bounds/bounds.h computes anew, and is all refuted
 * that would have to be? A refutation itself is taken at its word here: its proof is checked apart. */
struct verdict verify_claims(const struct algorithm *a, const struct network *w); /* W: of its topology */

#endif
