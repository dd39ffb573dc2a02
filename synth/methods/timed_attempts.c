/* Each size has an equal share of the time that is left. A solver gets as many chunks as it can decide within seconds. */

#include "synth/methods/timed_attempts.h"

#include "core/base/error.h"
#include "core/base/stop.h"
#include "core/machine/topology.h"
#include "synth/methods/attempt_sink.h"
#include "synth/methods/constructions.h"
#include "synth/problem/problem.h"
#include "synth/timed/exact_schedule.h"

/* What is made for size number I. */
typedef void for_size(const struct attempt_subject *s, const struct attempt_sink *to, size_t i, struct error *e);

static void for_each_size(const struct attempt_subject *s, const struct attempt_sink *to, for_size *make, struct error *e)
{
	size_t n = to->measure->timed->n;

	for (size_t i = 0; i < n && !stop_is_due(); i++) {
		double before = stop_within(stop_left() / (double)(n - i));
		struct error further = {0};
		make(s, to, i, &further);
		stop_restore(before);
		attempt_note(e, &further);
	}
}

static void list_schedule(const struct attempt_subject *s, const struct attempt_sink *to, size_t i, struct error *e)
{
	attempt_give(s, to, timed_schedule(s->problem, to->measure->timed, i, s->max_chunks, to->is_cut, e), e);
}

void attempt_list_schedules(const struct attempt *by, const struct attempt_subject *s, const struct attempt_sink *to, struct error *e)
{
	(void)by;
	for_each_size(s, to, list_schedule, e);
}

static void exact_schedules(const struct attempt_subject *s, const struct attempt_sink *to, size_t i, struct error *e)
{
	const struct problem *p = s->problem;

	for (int c = p->unit; exact_schedule_is_small(p, c) && (!s->max_chunks || c <= s->max_chunks) && !stop_is_due(); c += p->unit) {
		struct error further = {0};
		struct exact_times times = {0};
		attempt_give(s, to, exact_schedule(p, to->measure->timed, i, c, &times, &further), &further);
		attempt_note(e, &further);
	}
	*to->is_cut = *to->is_cut || stop_is_due();
}

void attempt_exact_schedules(const struct attempt *by, const struct attempt_subject *s, const struct attempt_sink *to, struct error *e)
{
	(void)by;
	for_each_size(s, to, exact_schedules, e);
}

/* List schedules are made of many chunks; a solver may do better only where few are enough. */
bool attempt_exact_serves(const struct attempt_subject *s)
{
	enum { NODES = 4 };

	return s->topology->nodes <= NODES && exact_schedule_is_small(s->problem, s->problem->unit);
}
