/*
 * From times to choices: the fastest contender and variant at each size, with the crossover between two consecutive
 * sizes found by linear interpolation.
 */

#include "cli/commands/tuning.h"

#include "core/schedule/algorithm.h"
#include "core/schedule/collective.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"

#include <inttypes.h>
#include <stdlib.h>

/* The fastest contender and variant at a size. */
struct winner {
	size_t contender, variant;
};

static bool same_question(const struct algorithm *a, const struct algorithm *b)
{
	return topology_same(a->topology, b->topology) && collective_same(&a->collective, &b->collective);
}

static double time_of(const struct times *t, struct winner w, size_t s)
{
	return t->at[(w.contender * VARIANTS + w.variant) * t->n_sizes + s];
}

/* The fastest at size S for the machine and collective of contender FIRST; ties go to the first. */
static struct winner fastest(const struct contender *all, size_t n, size_t first, const struct times *t, size_t s)
{
	struct winner best = {first, 0};
	double least = -1;

	for (size_t c = first; c < n; c++) {
		if (!same_question(all[first].algorithm, all[c].algorithm))
			continue;
		for (size_t w = 0; w < VARIANTS; w++) {
			double time = time_of(t, (struct winner){c, w}, s);
			if (time >= 0 && (least < 0 || time < least)) {
				least = time;
				best = (struct winner){c, w};
			}
		}
	}
	return best;
}

/* The largest number of bytes at which A, the winner at size S, is not slower than B, the winner at the next size. */
static int64_t crossover(const struct times *t, struct winner a, struct winner b, size_t s)
{
	double lead = time_of(t, b, s) - time_of(t, a, s), loss = time_of(t, a, s + 1) - time_of(t, b, s + 1);
	int64_t from = t->sizes[s], to = t->sizes[s + 1];

	if (!(lead >= 0 && loss > 0)) /* one of them has no time at one of these sizes */
		return from;
	return from + (int64_t)((double)(to - from) * (lead / (lead + loss)));
}

static void add_object(const struct contender *c, const struct run_variant *v, int64_t most, struct text *into)
{
	const struct algorithm *a = c->algorithm;

	text_add(into, "{\"topology\": ");
	text_add_json_string(into, a->topology->name);
	text_add(into, ", \"collective\": \"%s\", \"root\": ", collective_called(&a->collective));
	collective_add_roots_json(&a->collective, into);
	text_add(into, ", \"file\": ");
	text_add_json_string(into, c->path);
	text_add(into, ", \"program\": \"%s\", \"bytes\": ", c->program);
	if (most < 0)
		text_add(into, "null");
	else
		text_add(into, "%" PRId64, most);
	text_add(into, ", \"protocol\": \"%s\", \"kernels\": \"%s\", \"in_turns\": %s}\n", v->protocol, v->kernels, v->overlap ? "true" : "false");
}

static void add_row(const struct contender *all, struct winner w, int64_t most, bool json, struct text *into)
{
	const struct run_variant *v = &run_variants[w.variant];

	if (json) {
		add_object(&all[w.contender], v, most, into);
		return;
	}
	text_add(into, "%s ", all[w.contender].program);
	if (most < 0)
		text_add(into, "-");
	else
		text_add(into, "%" PRId64, most);
	text_add(into, " %s %s - %s\n", v->protocol, v->kernels, v->overlap ? "yes" : "no");
}

static void add_heading(const struct algorithm *a, struct text *into)
{
	char *machine = identifier(a->topology->name), *collective = identifier(collective_called(&a->collective));
	int roots;

	text_add(into, "\n# %s on %s", collective, machine);
	if (collective_roots(&a->collective, &roots)) {
		text_add(into, ", root%s ", roots == 1 ? "" : "s");
		collective_add_roots(&a->collective, into);
	}
	text_add(into, "\n");
	free(machine);
	free(collective);
}

static void add_question(const struct contender *all, size_t n, size_t first, const struct times *t, bool json, struct text *into)
{
	struct winner now = fastest(all, n, first, t, 0);

	if (!json)
		add_heading(all[first].algorithm, into);
	for (size_t s = 0; s + 1 < t->n_sizes; s++) {
		struct winner next = fastest(all, n, first, t, s + 1);
		if (next.contender == now.contender && next.variant == now.variant)
			continue;
		add_row(all, now, crossover(t, now, next, s), json, into);
		now = next;
	}
	add_row(all, now, -1, json, into);
}

void tune_rows(const struct contender *all, size_t n, const struct times *t, bool json, struct text *into)
{
	for (size_t c = 0; c < n; c++) {
		size_t first = 0;
		while (!same_question(all[first].algorithm, all[c].algorithm))
			first++;
		if (first == c)
			add_question(all, n, c, t, json, into);
	}
}
