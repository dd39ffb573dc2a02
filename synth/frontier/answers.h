#ifndef SCCL_SYNTH_FRONTIER_ANSWERS_H
#define SCCL_SYNTH_FRONTIER_ANSWERS_H

/*
 * What is known about candidates (C, S, R) of one problem, and what follows from it. An algorithm for (C, S, R) yields
 * one for fewer chunks (leave out a part of each), for more rounds, for (C, S + 1, R + 1) with an idle step, and for
 * (m C, S, m R) with each chunk cut into m. A refutation thus refutes every candidate that would yield the refuted one.
 */

#include "core/schedule/algorithm.h"

#include <stdbool.h>
#include <stddef.h>

struct answers {
	struct schedule_constraints constraints; /* some allow fewer conclusions (core/schedule/constraints.h) */
	size_t n_refuted, refuted_capacity;
	struct candidate *refuted;
	size_t n_open, open_capacity;
	struct candidate *open; /* asked and given up */
};

/* A zeroed struct, with the constraints set, is empty. */
void answers_free(struct answers *a);
void answers_refute(struct answers *a, struct candidate c);
void answers_give_up(struct answers *a, struct candidate c);
bool answers_refuted(const struct answers *a, struct candidate c); /* refuted by a solver or bound, or it follows */
bool answers_open(const struct answers *a, struct candidate c);    /* exactly this one was given up */

#endif
