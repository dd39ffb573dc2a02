/* The two optional constraints: comparison, the implications that they leave, and their part of a name. */

#include "core/schedule/constraints.h"

#include "core/schedule/collective.h"
#include "core/base/error.h"
#include "core/base/text.h"

bool constraints_any(const struct schedule_constraints *t)
{
	return t->pipeline > 0 || t->is_short;
}

bool constraints_allow_idle_steps(const struct schedule_constraints *t)
{
	return t->pipeline == 0;
}

bool constraints_allow_cuts(const struct schedule_constraints *t)
{
	return !t->is_short;
}

bool constraints_same(const struct schedule_constraints *a, const struct schedule_constraints *b)
{
	return a->pipeline == b->pipeline && a->is_short == b->is_short && a->extra_memory == b->extra_memory;
}

bool constraints_check(const struct schedule_constraints *t, const struct collective *k, struct error *e)
{
	return !t->is_short || !collective_row(k)->combining ||
	       error_set(e, ERROR_INPUT, collective_called(k), "extra memory counts chunks that nodes only forward, but here values "
			 "are added on the way");
}

void constraints_add(const struct schedule_constraints *t, struct text *into)
{
	if (t->pipeline)
		text_add(into, "-pipeline%d", t->pipeline);
	if (t->is_short)
		text_add(into, "-memory%d", t->extra_memory);
}
