/* One send a row, for spreadsheets and scripts; every row says what it is part of, so that rows of several files can be mixed. */

#include "lower/schedules/schedules.h"

#include "lower/lower.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/schedule/algorithm.h"
#include "core/verify/verify.h"

bool schedule_check(const struct algorithm *a, struct error *e)
{
	if (!lower_fits(a, e))
		return false;
	struct verdict v = algorithm_verify(a);
	return !v.fault || error_set(e, ERROR_INPUT, a->name, "does not verify: %s", v.why);
}

static void add_rows(const struct algorithm *a, int step, const char *action, const struct send *sends, size_t n, struct text *into)
{
	for (size_t i = 0; i < n; i++) {
		text_add(into, "%s,", collective_name(&a->collective));
		if (collective_row(&a->collective)->rooted)
			text_add(into, "%d", a->collective.root);
		text_add(into, ",%d,%d,%d,%s,%d,%d,%d\n", a->chunks, step + 1, a->steps[step].rounds, action, sends[i].chunk, sends[i].src, sends[i].dst);
	}
}

bool schedule_write_csv(const struct algorithm *a, struct text *into, struct error *e)
{
	if (a->collective.custom)
		return error_set(e, ERROR_INPUT, a->name, "is for a custom collective, which a row cannot name");
	if (!schedule_check(a, e))
		return false;
	text_add(into, "collective,root,chunks,step,rounds,action,chunk,src,dst\n");
	for (size_t k = 0; k < a->n_steps; k++) {
		add_rows(a, (int)k, "copy", a->steps[k].sends, a->steps[k].n_sends, into);
		add_rows(a, (int)k, "reduce", a->steps[k].reduces, a->steps[k].n_reduces, into);
	}
	return true;
}
