/*
 * The method "timed-trees": for a number of steps the least R/C that any algorithm has, whatever its C and R. Without a
 * number of steps, one more is tried as long as that gains something.
 */

#include "synth/builder/rows.h"

#include "synth/program/least_rounds.h"

#include "core/base/error.h"
#include "core/machine/network.h"
#include "core/schedule/algorithm.h"
#include "core/schedule/instance.h"

#include <stdlib.h>

enum { STEPS_BEYOND = 4, CHUNKS_DEFAULT = 1024 };

/* The fewest steps in which every chunk can be where it is wanted. */
static int least_steps(const struct instance *i)
{
	unsigned short *from = instance_distance_from_pre(i);
	int most = 1;

	for (int c = 0; c < i->global_chunks; c++)
		for (int v = 0; v < i->network->nodes; v++) {
			int d = from[(size_t)c * (size_t)i->network->nodes + (size_t)v];
			if (instance_post(i, c, v) && d > most)
				most = d;
		}
	free(from);
	return most;
}

static void report(const struct method_request *r, const struct least_rounds *l)
{
	char text[RATIONAL_TEXT];

	text_add(r->report, "%d step%s: the least R/C is ", l->program.steps, plural(l->program.steps));
	if (l->attained)
		text_add(r->report, "%s\n", rational_text(l->least, text));
	else
		text_add(r->report, "between %.6g and %.6g\n", rational_double(l->least), rational_double(l->most));
}

/* From the fewest steps on, as many as gain something; or as many as were asked for. */
static bool best_steps(const struct method_request *r, const struct instance *i, struct least_rounds *out, struct error *e)
{
	int first = least_steps(i), last = r->options.steps ? r->options.steps : first + STEPS_BEYOND;
	struct least_rounds now;

	if (last < first)
		return error_set(e, ERROR_INPUT, "-S", "%d step%s cannot be enough: some chunk needs %d", last, plural(last), first);
	if (!least_rounds_find(i, first, NULL, out, e))
		return false;
	report(r, out);
	while (out->program.steps < last) {
		if (!least_rounds_find(i, out->program.steps + 1, out, &now, e)) {
			least_rounds_free(out);
			return false;
		}
		bool gains = rational_compare(now.most, out->most) < 0;
		if (!gains && !r->options.steps) {
			least_rounds_free(&now);
			break;
		}
		least_rounds_free(out);
		*out = now;
		report(r, out);
	}
	return true;
}

bool timed_trees_construct(const struct method_request *r, struct construction *out, struct error *e)
{
	int nodes = r->network->nodes, unit = collective_row(&r->collective)->chunks_in_blocks ? nodes : 1;
	struct least_rounds l;
	struct instance i;

	if (!instance_new(r->network, &r->collective, unit, 1, 1, &i, e) || !best_steps(r, &i, &l, e))
		return false;
	int most = r->options.chunks ? r->options.chunks : unit > CHUNKS_DEFAULT ? unit : CHUNKS_DEFAULT;
	out->steps = least_rounds_steps(&l, most, r->options.chunks > 0, &out->chunks, e);
	out->n_steps = (size_t)l.program.steps;
	out->as_fine = true;
	least_rounds_free(&l);
	return out->steps != NULL;
}
