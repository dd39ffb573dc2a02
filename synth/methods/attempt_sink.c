/* What an attempt built goes to its sink if it is within the limits. */

#include "synth/methods/attempt_sink.h"

#include "core/base/error.h"

static bool is_within(const struct attempt_subject *s, const struct algorithm *a)
{
	struct candidate x = s->exactly;

	if (x.chunks)
		return a->chunks == x.chunks && a->n_steps <= (size_t)x.steps && algorithm_rounds(a) <= x.rounds;
	return (!s->max_steps || a->n_steps <= (size_t)s->max_steps) && (!s->max_chunks || a->chunks <= s->max_chunks);
}

/* Takes A, NULL included. */
void attempt_give(const struct attempt_subject *s, const struct attempt_sink *to, struct algorithm *a, struct error *e)
{
	if (a && is_within(s, a))
		to->take(to->context, a);
	else if (a) {
		error_set(e, ERROR_LIMIT, a->name, "takes %d chunks, %zu steps and %d rounds: too many", a->chunks, a->n_steps,
			  algorithm_rounds(a));
		algorithm_free(a);
	}
}

/* The first reason why nothing was built counts, but for faults, which always do. */
void attempt_note(struct error *e, const struct error *further)
{
	if (e->kind == ERROR_NONE || further->kind == ERROR_SYSTEM)
		*e = *further;
}
