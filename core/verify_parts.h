#ifndef SCCL_CORE_VERIFY_PARTS_H
#define SCCL_CORE_VERIFY_PARTS_H

/* What the files of core/verify*.c share. */

#include "core/verify.h"

struct network;

struct verdict fault_at(enum fault what, int step, const struct send *s, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Plays the steps before HORIZON, whose entries are in range. Where it finds no fault and HORIZON is all of them, the
 * post-condition too. ONLY: the chunks to look at, [chunk]; NULL: all. */
struct verdict verify_play(const struct algorithm *a, int horizon, const unsigned char *only);

/* Everything but the claims of a schedule in compact form (a->symmetry is not NULL). */
struct verdict verify_orbits(const struct algorithm *a, const struct network *w);

/* Where no fault was found in the schedule: does it keep to a->terms? */
struct verdict verify_terms(const struct algorithm *a, const struct network *w);

/* Are the bounds and the optimality that an algorithm states those that core/bounds.h computes anew, and is all refuted
 * that would have to be? A refutation itself is taken at its word here: its proof is checked apart. */
struct verdict verify_claims(const struct algorithm *a, const struct network *w); /* W: of its topology */

#endif
