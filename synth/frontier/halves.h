#ifndef SCCL_SYNTH_FRONTIER_HALVES_H
#define SCCL_SYNTH_FRONTIER_HALVES_H

/* The halves of a composed allreduce, a reducescatter and an allgather of the same chunks (SCCL, section 3.5), as
 * problems and as algorithms. */

#include "synth/problem/problem.h"

enum { SCATTERED, GATHERED, HALVES };
extern const struct collective half_collectives[HALVES];

/* Released by halves_close. */
struct halves {
	struct problem problems[HALVES];
	bool mirrored; /* the network equals its own reverse: one half answers for both */
};

bool halves_open(const struct topology *t, struct halves *h, struct error *e); /* T must outlive it; false with *e set */
void halves_close(struct halves *h);

/* The composition, judged for P. Takes both halves; either may be NULL after an error. NULL with *e set. */
struct algorithm *halves_join(const struct problem *p, struct algorithm *scattered, struct algorithm *gathered, struct error *e);
/* The reducescatter that an allgather gives, run backwards, on a machine that equals its own reverse. */
struct algorithm *halves_mirror(const struct algorithm *gathered, const struct topology *t, struct error *e);

#endif
