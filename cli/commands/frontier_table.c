/* The table of `pareto`. Columns are as wide as their longest cell, and wide enough that most tables look alike. */

#include "cli/commands/frontier_table.h"

#include "cli/arguments/shared.h"
#include "cli/output/command.h"

#include "core/base/text.h"
#include "core/machine/topology.h"
#include "synth/frontier/frontier.h"

#include <stdio.h>
#include <string.h>

/* The columns of numbers; the last two only without k. */
enum { CHUNKS, STEPS, ROUNDS, RATIO, LEAST, GAP, COLUMNS };
struct table_cells {
	char of[COLUMNS][RATIONAL_TEXT + 2];
};

/* The least R/C for the point's number of steps, and how far its own is above that. */
static void fill_value(const struct frontier *f, const struct algorithm *a, struct table_cells *c)
{
	const struct step_value *v = frontier_value_of(f, a);
	double above = 100 * frontier_gap(f, a);
	char least[RATIONAL_TEXT];

	snprintf(c->of[LEAST], sizeof *c->of, "%s%s", !v ? "-" : v->attained ? "" : ">=", v ? rational_text(v->at_least, least) : "");
	if (above > 0)
		snprintf(c->of[GAP], sizeof *c->of, "%.2f %%", above);
	else
		snprintf(c->of[GAP], sizeof *c->of, "-");
}

static struct table_cells cells_of(const struct frontier *f, const struct algorithm *a)
{
	struct table_cells c;
	char ratio[RATIONAL_TEXT];

	snprintf(c.of[CHUNKS], sizeof *c.of, "%d", a->chunks);
	snprintf(c.of[STEPS], sizeof *c.of, "%zu", a->n_steps);
	snprintf(c.of[ROUNDS], sizeof *c.of, "%d", algorithm_rounds(a));
	snprintf(c.of[RATIO], sizeof *c.of, "%s", rational_text(algorithm_bandwidth(a), ratio));
	fill_value(f, a, &c);
	return c;
}

static void add_cells(const struct frontier *f, const struct table_cells *c, const int *width, struct text *into)
{
	for (int i = 0; i < (f->k == WITHOUT_K ? COLUMNS : LEAST); i++)
		text_add(into, "%s%*s", i ? " " : "  ", width[i], c->of[i]);
}

static const char *within_word(const struct algorithm *a)
{
	return a->optimality.proof == PROOF_NONE ? "-" : optimality_within_names[a->optimality.within];
}

static void add_points(const struct frontier *f, struct text *into)
{
	static const struct table_cells heads = {{"C", "S", "R", "R/C", "least", "gap"}};
	int width[COLUMNS] = {6, 5, 6, 8, 8, 7}, within = f->within == WITHIN_ONE_VALUE ? (int)sizeof "composition" : 0;

	for (size_t i = 0; i < f->n_points; i++) {
		struct table_cells c = cells_of(f, f->points[i]);
		for (int j = 0; j < COLUMNS; j++)
			width[j] = (int)strlen(c.of[j]) > width[j] ? (int)strlen(c.of[j]) : width[j];
	}
	add_cells(f, &heads, width, into);
	text_add(into, "  %-10s %-10s %-*s%s\n", "optimal in", "proved by", within, within ? "within" : "", "file");
	for (size_t i = 0; i < f->n_points; i++) {
		const struct algorithm *a = f->points[i];
		struct table_cells c = cells_of(f, a);
		add_cells(f, &c, width, into);
		text_add(into, "  %-10s %-10s %-*s%s\n", optimality_class_names[a->optimality.class], optimality_proof_names[a->optimality.proof],
			 within, within ? within_word(a) : "", f->files[i] ? printable(f->files[i]) : "-");
	}
}

static bool has_point_at(const struct frontier *f, int steps)
{
	for (size_t i = 0; i < f->n_points; i++)
		if ((int)f->points[i]->n_steps == steps)
			return true;
	return false;
}

/* Step counts whose value no point attains, unless one of that step count says so already. */
static void add_values(const struct frontier *f, struct text *into)
{
	char least[RATIONAL_TEXT];

	for (size_t i = 0; i < f->values.n; i++) {
		const struct step_value *v = &f->values.of[i];
		struct rational best = frontier_best(f, v->steps);
		if (has_point_at(f, v->steps) || (rational_ok(best) && rational_compare(best, v->at_least) <= 0))
			continue;
		size_t same = i; /* further step counts without a point, and of the same value */
		while (same + 1 < f->values.n && !has_point_at(f, f->values.of[same + 1].steps) &&
		       rational_compare(f->values.of[same + 1].at_least, v->at_least) == 0)
			same++;
		text_add(into, "  S = %d", v->steps);
		if (same > i)
			text_add(into, " to %d", f->values.of[same].steps);
		text_add(into, ": R/C is at least %s%s; no algorithm found improves on those with fewer steps\n", rational_text(v->at_least, least),
			 v->attained ? ", attained with more chunks" : "");
		i = same;
	}
}

static void add_open(const struct frontier *f, struct text *into)
{
	char bound[RATIONAL_TEXT];

	for (size_t i = 0, next; i < f->n_open; i = next) {
		for (next = i; next < f->n_open && f->open[next].steps == f->open[i].steps; next++)
			;
		text_add(into, "  open at S = %d, at a limit: %zu candidate%s, R/C from %s", f->open[i].steps, next - i, plural((int64_t)(next - i)),
			 rational_text(candidate_bandwidth(f->open[i]), bound));
		text_add(into, " to %s (--json lists them)\n", rational_text(candidate_bandwidth(f->open[next - 1]), bound));
	}
}

static void add_ended(const struct frontier *f, struct text *into)
{
	char bound[RATIONAL_TEXT];

	if (f->ended == ENDED_BOUND && f->bound_bandwidth.num == 0)
		text_add(into, "  ended: no chunk has to cross a link\n");
	else if (f->ended == ENDED_BOUND)
		text_add(into, "  ended: R/C = %s is the bandwidth bound\n", rational_text(f->bound_bandwidth, bound));
	else if (f->ended == ENDED_TIME)
		text_add(into, "  ended: the time ran out at S = %d\n", f->last_steps);
	else
		text_add(into, "  ended: S = %d is the largest number of steps to search%s\n", f->last_steps,
			 f->composed ? " directly; compositions have more steps" : "");
	if (f->composed && f->composed->ended == ENDED_TIME && f->ended != ENDED_TIME)
		text_add(into, "  the time ran out for compositions of more than %d steps\n", f->composed->last_steps);
	add_open(f, into);
}

static const char *classes_words(const struct frontier *f)
{
	if (f->collective.kind != ALLREDUCE)
		return "";
	if (f->within == WITHIN_COMPOSITION)
		return " in each half of compositions";
	return f->composed ? " directly, and in each half of compositions" : " directly";
}

void frontier_table(const struct frontier *f, struct text *into)
{
	char ratio[RATIONAL_TEXT];

	text_add(into, "%s on %s", collective_called(&f->collective), printable(f->topology->name));
	options_add_roots(&f->collective, into);
	options_add_constraints(&f->constraints, into);
	text_add(into, ": S >= %d, R/C >= %s; ", f->bound_steps, rational_text(f->bound_bandwidth, ratio));
	if (f->k == WITHOUT_K)
		text_add(into, "any R%s\n", classes_words(f));
	else
		text_add(into, "searched R - S <= %d%s\n", f->k, classes_words(f));
	add_points(f, into);
	add_values(f, into);
	add_ended(f, into);
}
