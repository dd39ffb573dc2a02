/*
 * `build` without --method: builds by all methods (synth/methods/constructions.h), prints what each gives, and chooses.
 * On a terminal, points appear as they are found.
 */

#include "cli/commands/building.h"
#include "cli/output/command.h"
#include "cli/output/progress.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"
#include "core/schedule/cost.h"
#include "core/schedule/step_overhead.h"
#include "synth/methods/constructions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The options that single methods have; without one nothing heeds them. */
bool all_check(const struct build_options *o, struct error *e)
{
	const struct {
		const char *name;
		bool given;
	} alone[] = {{"--epsilon", o->chosen.epsilon > 0}, {"--threshold", o->chosen.threshold > 0},
		     {"--prefer", o->chosen.prefer_height},
		     {"--tree-link-usage-penalty", o->chosen.usage_penalty > 0},
		     {"--fewest", o->chosen.fewest},
		     {"--tree-backtrack", o->chosen.backtrack},
		     {"--tree-array-bound", o->chosen.array_bound > 0},
		     {"--beside", o->beside.topology != NULL}};

	for (size_t i = 0; i < sizeof alone / sizeof *alone && !o->method; i++)
		if (alone[i].given)
			return error_set(e, ERROR_INPUT, alone[i].name, "requires --method");
	return true;
}

/* What a method built: a row of the table. */
struct tried {
	char *method; /* owned */
	struct candidate cost;
};

struct all_tried {
	enum collective_kind kind;
	size_t n, room, found;
	struct tried *of;
	struct text late; /* names, with commas between them */
	struct progress progress;
};

static void add_cost(struct text *into, struct candidate c)
{
	char ratio[RATIONAL_TEXT];

	text_add(into, "(%d,%d,%d), R/C = %s", c.chunks, c.steps, c.rounds, rational_text(rational(c.rounds, c.chunks), ratio));
}

static void show_begin(struct all_tried *all, const struct construction_try *what)
{
	struct text line = {0};

	text_add(&line, "%s: trying %s", collective_rows()[what->kind].name, what->method);
	if (all->found)
		text_add(&line, ", %zu built", all->found);
	if (!isinf(stop_left()))
		text_add(&line, ", %.0f s left", stop_left());
	progress_show(&all->progress, line.bytes);
	text_free(&line);
}

static void show_point(struct all_tried *all, const struct construction_try *what)
{
	struct text line = {0};

	text_add(&line, "%s by %s: ", collective_rows()[what->kind].name, what->method);
	add_cost(&line, what->cost);
	progress_print(&all->progress, line.bytes);
	text_free(&line);
}

static void note(void *context, const struct construction_try *what)
{
	struct all_tried *all = context;

	if (what->state == CONSTRUCTION_BEGINS)
		show_begin(all, what);
	if (what->state == CONSTRUCTION_LATE && !(all->late.length && strstr(all->late.bytes, what->method)))
		text_add(&all->late, "%s%s", all->late.length ? ", " : "", what->method);
	if (what->state != CONSTRUCTION_FOUND)
		return;
	all->found++;
	if (what->is_kept)
		show_point(all, what);
	if (what->kind != all->kind)
		return;
	all->of = grown(all->of, &all->room, all->n + 1, sizeof *all->of);
	all->of[all->n++] = (struct tried){copy_string(what->method), what->cost};
}

static void tried_free(struct all_tried *all)
{
	for (size_t i = 0; i < all->n; i++)
		free(all->of[i].method);
	free(all->of);
	text_free(&all->late);
}

/* ---- the table ---- */

static void add_row(struct text *into, const char *mark, const char *method, struct candidate c, struct rational bound)
{
	struct rational bandwidth = rational(c.rounds, c.chunks);
	char ratio[RATIONAL_TEXT];

	text_add(into, "%s %-30s %8d %6d %8d %12s", mark, method, c.chunks, c.steps, c.rounds, rational_text(bandwidth, ratio));
	if (bound.num)
		text_add(into, " %8.1f %%", 100 * (rational_double(rational_div(bandwidth, bound)) - 1));
	text_add(into, "\n");
}

static int by_method_and_cost(const void *va, const void *vb)
{
	const struct tried *a = va, *b = vb;
	int order = strcmp(a->method, b->method);

	if (order == 0)
		order = rational_compare(rational(a->cost.rounds, a->cost.chunks), rational(b->cost.rounds, b->cost.chunks));
	return order ? order : (a->cost.steps > b->cost.steps) - (a->cost.steps < b->cost.steps);
}

static int by_cost(const void *va, const void *vb)
{
	const struct tried *a = va, *b = vb;
	int order = rational_compare(rational(a->cost.rounds, a->cost.chunks), rational(b->cost.rounds, b->cost.chunks));

	order = order ? order : (a->cost.steps > b->cost.steps) - (a->cost.steps < b->cost.steps);
	return order ? order : strcmp(a->method, b->method);
}

static bool has_point(const struct constructions *c, const char *method)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->of[i]->method, method) == 0)
			return true;
	return false;
}

/* Of each method without a point what has the least R/C, the best methods first. */
static void add_others(struct text *into, struct all_tried *all, const struct constructions *c, struct rational bound)
{
	size_t n = 0;

	if (all->n)
		qsort(all->of, all->n, sizeof *all->of, by_method_and_cost);
	struct tried *first = new_array(struct tried, all->n);
	for (size_t i = 0; i < all->n; i++)
		if ((i == 0 || strcmp(all->of[i - 1].method, all->of[i].method) != 0) && !has_point(c, all->of[i].method))
			first[n++] = all->of[i];
	qsort(first, n, sizeof *first, by_cost);
	for (size_t i = 0; i < n; i++)
		add_row(into, " ", first[i].method, first[i].cost, bound);
	free(first);
}

/* Compositions and direct algorithms have bounds of their own: the lower one holds for all. */
static struct rational least_bound(const struct constructions *c)
{
	struct rational least = c->of[0]->bound_bandwidth;

	for (size_t i = 1; i < c->n; i++)
		if (rational_compare(c->of[i]->bound_bandwidth, least) < 0)
			least = c->of[i]->bound_bandwidth;
	return least;
}

static void add_table(struct text *into, struct all_tried *all, const struct constructions *c)
{
	struct rational bound = least_bound(c);

	text_add(into, "  %-30s %8s %6s %8s %12s %10s\n", "method", "C", "S", "R", "R/C", "above");
	for (size_t i = 0; i < c->n; i++) {
		const struct algorithm *a = c->of[i];
		add_row(into, "*", a->method, (struct candidate){a->chunks, (int)a->n_steps, algorithm_rounds(a)}, bound);
	}
	add_others(into, all, c, bound);
}

/* ---- the choice ---- */

/* The time for --bytes: with --alpha for every step, otherwise with the latency of the links that each step uses. */
static struct rational time_of(const struct build_options *o, const struct algorithm *a, const struct method_options *chosen)
{
	const struct step_overhead none = {.target = NULL};
	struct error unknown = {0};
	struct cost c = algorithm_cost(a);
	struct rational latency;

	if (o->cost.alpha.is_given || !algorithm_latency(a, &none, &latency, &unknown))
		return cost_time(&c, chosen->alpha, chosen->beta, chosen->bytes);
	return rational_add(latency, cost_time(&c, rational(0, 1), chosen->beta, chosen->bytes));
}

/* The least R/C or, where a size is given, the least time for it; of equals the fewest steps. */
static size_t best_of(const struct build_options *o, const struct constructions *c, const struct method_options *chosen)
{
	size_t best = c->n - 1;

	for (size_t i = c->n; i-- > 0 && chosen->bytes;)
		if (rational_compare(time_of(o, c->of[i], chosen), time_of(o, c->of[best], chosen)) <= 0)
			best = i;
	return best;
}

static bool state_nothing(const struct build_options *o, const struct topology *t, const struct collective *k,
			  const struct constructions *c, struct error *e)
{
	struct text limits = {0};

	if (c->n_late)
		return error_set(e, ERROR_LIMIT, t->name, "gave up: nothing was built within %g s", o->within);
	if (o->chosen.steps)
		text_add(&limits, " in at most %d step%s", o->chosen.steps, plural(o->chosen.steps));
	if (o->chosen.chunks)
		text_add(&limits, " with at most %d chunk%s", o->chosen.chunks, plural(o->chosen.chunks));
	error_set(e, ERROR_INPUT, t->name, "no method builds %s%s", collective_called(k), limits.length ? limits.bytes : "");
	text_free(&limits);
	return false;
}

/* Tells which methods had not enough time. */
static void tell_late(const struct build_options *o, const struct all_tried *all)
{
	if (all->late.length)
		fprintf(stderr, "sccl-synth: --within: %g s were not enough for %s\n", o->within, all->late.bytes);
}

bool all_make(const struct build_options *o, const struct method_options *chosen, const struct topology *t,
	      const struct collective *k, struct built *b, struct error *e)
{
	struct all_tried all = {.kind = k->kind};
	struct constructions_options search = {.max_steps = o->chosen.steps, .max_chunks = o->chosen.chunks, .report = note, .context = &all};
	struct constructions *c = &b->points;

	stop_within(o->within > 0 ? o->within : INFINITY);
	bool ok = constructions_find(t, k, &search, c, e);
	progress_clear(&all.progress);
	ok = ok && (c->n || state_nothing(o, t, k, c, e));
	if (ok) {
		add_table(&b->report, &all, c);
		tell_late(o, &all);
		b->algorithm = c->of[best_of(o, c, chosen)];
	}
	tried_free(&all);
	return ok;
}
