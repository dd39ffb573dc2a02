/* Opening the inputs of commands that derive algorithms, and saving and reporting the result. */

#include "cli/commands/made.h"

#include "cli/output/command.h"

#include "core/schedule/algorithm.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "core/verify/verify.h"

#include <stdio.h>

bool made_open(const char *path, struct algorithm **a, int *status, struct error *e)
{
	*a = algorithm_open(path, e);
	if (!*a)
		return false;
	struct verdict v = algorithm_verify(*a);
	if (v.fault == FAULT_NONE)
		return true;
	*status = STATUS_NO;
	return error_set(e, ERROR_INPUT, path, "does not verify: %s", v.why);
}

void made_report(const struct algorithm *a, const char *method, const char *path, bool json)
{
	struct text s = {0};
	char ratio[RATIONAL_TEXT], bound[RATIONAL_TEXT];
	struct rational bandwidth = algorithm_bandwidth(a);
	double gap = a->bound_bandwidth.num ? rational_double(rational_div(bandwidth, a->bound_bandwidth)) - 1 : 0;

	rational_text(bandwidth, ratio);
	rational_text(a->bound_bandwidth, bound);
	if (!json) {
		text_add(&s, "%s: (%d,%zu,%d), R/C = %s; bounds S >= %d, R/C >= %s", printable(a->name), a->chunks, a->n_steps, algorithm_rounds(a), ratio,
			 a->bound_steps, bound);
		if (gap > 0)
			text_add(&s, ", %.1f %% above", 100 * gap);
		text_add(&s, "; verified%s%s", path ? ": " : "", path ? printable(path) : "");
	} else {
		text_add(&s, "{");
		if (method)
			text_add(&s, "\"method\": \"%s\", ", method);
		text_add(&s, "\"topology\": ");
		text_add_json_string(&s, a->topology->name);
		text_add(&s, ", \"collective\": \"%s\", \"root\": ", collective_called(&a->collective));
		collective_add_roots_json(&a->collective, &s);
		text_add(&s, ", \"chunks\": %d, \"steps\": %zu, \"rounds\": %d, \"bandwidth\": \"%s\", \"bound_steps\": %d, "
			 "\"bound_bandwidth\": \"%s\", \"file\": ", a->chunks, a->n_steps, algorithm_rounds(a), ratio, a->bound_steps, bound);
		if (path)
			text_add_json_string(&s, path);
		else
			text_add(&s, "null");
		text_add(&s, "}");
	}
	puts(s.bytes);
	text_free(&s);
}

int made_end(const struct made_options *o, struct algorithm *a, int status, struct error *e)
{
	if (a && (!o->out || algorithm_save(a, o->out, e)))
		made_report(a, NULL, o->out, o->json);
	else {
		int failed = fail(e);
		status = status == STATUS_DONE ? failed : status;
	}
	algorithm_free(a);
	return status;
}
