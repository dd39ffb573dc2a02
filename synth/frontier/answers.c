/* Lists of refuted and given-up candidates; whether a candidate is refuted is decided by comparing it with each. */

#include "synth/frontier/answers.h"

#include "core/base/memory.h"

#include <stdlib.h>

void answers_free(struct answers *a)
{
	free(a->refuted);
	free(a->open);
	*a = (struct answers){0};
}

void answers_refute(struct answers *a, struct candidate c)
{
	a->refuted = grown(a->refuted, &a->refuted_capacity, a->n_refuted + 1, sizeof c);
	a->refuted[a->n_refuted++] = c;
}

void answers_give_up(struct answers *a, struct candidate c)
{
	a->open = grown(a->open, &a->open_capacity, a->n_open + 1, sizeof c);
	a->open[a->n_open++] = c;
}

/*
 * Would an algorithm for candidate C yield one for REFUSED, by cutting each chunk into m, leaving parts out, and adding
 * idle steps and rounds? The least m with enough chunks is tried: a larger one only takes more rounds. An idle step
 * costs a round, so that R - S must fit.
 */
static bool would_give(const struct schedule_constraints *t, struct candidate c, struct candidate refused)
{
	if (c.steps > refused.steps || (c.steps < refused.steps && !constraints_allow_idle_steps(t)) ||
	    (c.chunks < refused.chunks && !constraints_allow_cuts(t)))
		return false;
	long m = ((long)refused.chunks + c.chunks - 1) / c.chunks;
	return m * c.rounds - c.steps <= (long)refused.rounds - refused.steps;
}

bool answers_refuted(const struct answers *a, struct candidate c)
{
	for (size_t i = 0; i < a->n_refuted; i++)
		if (would_give(&a->constraints, c, a->refuted[i]))
			return true;
	return false;
}

bool answers_open(const struct answers *a, struct candidate c)
{
	for (size_t i = 0; i < a->n_open; i++)
		if (a->open[i].chunks == c.chunks && a->open[i].steps == c.steps && a->open[i].rounds == c.rounds)
			return true;
	return false;
}
