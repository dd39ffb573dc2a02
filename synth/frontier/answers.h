#ifndef SCCL_SYNTH_FRONTIER_ANSWERS_H
#define SCCL_SYNTH_FRONTIER_ANSWERS_H

/*
 * What is known of candidates (C, S, R) of one problem, and what follows from it. An algorithm for (C, S, R) gives one
 * for fewer chunks (leave a part of each out), for more rounds, for (C, S + 1, R + 1) (an idle step), and for
 * (m C, S, m R) (cut each chunk in m). So a refusal refuses all that would give the refused.
 */

#include "core/schedule/algorithm.h"

#include <stdbool.h>
#include <stddef.h>

struct answers {
	struct schedule_constraints constraints; /* with some of them less follows (core/schedule/constraints.h) */
	size_t n_refuted, refuted_capacity;
	struct candidate *refuted;
	size_t n_open, open_capacity;
	struct candidate *open; /* asked, and given up */
};

void answers_free(struct answers *a);
void answers_refute(struct answers *a, struct candidate c);
void answers_give_up(struct answers *a, struct candidate c);
bool answers_refuted(const struct answers *a, struct candidate c); /* asked and refused, or it follows */
bool answers_open(const struct answers *a, struct candidate c);    /* this very one was given up */

#endif
