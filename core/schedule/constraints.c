#include "core/schedule/constraints.h"

#include "core/schedule/collective.h"
#include "core/base/error.h"
#include "core/base/text.h"

bool terms_any(const struct terms *t)
{
	return t->pipeline > 0 || t->is_short;
}

bool terms_allow_idle_steps(const struct terms *t)
{
	return t->pipeline == 0;
}

bool terms_allow_cuts(const struct terms *t)
{
	return !t->is_short;
}

bool terms_same(const struct terms *a, const struct terms *b)
{
	return a->pipeline == b->pipeline && a->is_short == b->is_short && a->extra_memory == b->extra_memory;
}

bool terms_check(const struct terms *t, const struct collective *k, struct error *e)
{
	return !t->is_short || !collective_row(k)->combining ||
	       error_set(e, ERROR_INPUT, collective_called(k), "extra memory is counted in chunks that nodes only pass on, and here values "
			 "are added on the way");
}

void terms_add(const struct terms *t, struct text *into)
{
	if (t->pipeline)
		text_add(into, "-pipeline%d", t->pipeline);
	if (t->is_short)
		text_add(into, "-memory%d", t->extra_memory);
}
