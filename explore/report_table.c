/*
 * The report for people: a table of machines for each collective, with details below it, and a table of the changes of
 * each machine.
 */

#include "explore/report.h"

#include "core/bounds/bounds_text.h"
#include "core/base/text.h"
#include "explore/cells.h"

#include <stdlib.h>
#include <string.h>

enum { LINKS_SHOWN = 3, NODES_LISTED = 16 };

/* "(6,3,7)" */
static void add_point(const struct entry *e, struct text *into)
{
	text_add(into, "(%d,%d,%d)", e->chunks, e->steps, e->rounds);
}

static void add_text_cell(struct cells *c, struct text *t)
{
	cells_add(c, "%s", t->length ? t->bytes : "-");
	text_free(t);
}

static void add_size_heads(const struct report *r, struct cells *c, const char *what)
{
	char name[32];
	for (size_t s = 0; s < r->n_sizes; s++)
		cells_add(c, "%s at %s", what, report_size(r->sizes[s], name));
}

static void add_bound_cells(const struct row *row, struct cells *c)
{
	char ratio[RATIONAL_TEXT];

	if (row->why_not) {
		cells_add(c, "-");
		cells_add(c, "-");
		return;
	}
	cells_add(c, "%d", row->bounds.steps);
	cells_add(c, "%s", rational_text(row->bounds.bandwidth, ratio));
}

/* "7/6 smt" */
static void add_least_cell(const struct row *row, struct cells *c)
{
	char ratio[RATIONAL_TEXT];

	if (row->least < 0)
		cells_add(c, "-");
	else
		cells_add(c, "%s %s%s", rational_text(row->entries[row->least].bandwidth, ratio), row->entries[row->least].method,
			  row->entries[row->least].kept ? ", kept" : "");
}

static void add_binding_cell(const struct row *row, struct cells *c)
{
	struct text cut = {0};

	if (row->why_not)
		text_add(&cut, "%s", row->why_not);
	else
		bounds_add_cut_brief(&row->bounds, &cut);
	add_text_cell(c, &cut);
}

static void add_machine_row(const struct report *r, const struct row *row, struct cells *c)
{
	cells_add(c, "%s", row->name);
	cells_add(c, "%d", row->nodes);
	add_bound_cells(row, c);
	add_least_cell(row, c);
	for (size_t s = 0; s < r->n_sizes; s++) {
		struct text cell = {0};
		if (row->best[s].entry >= 0) {
			const struct entry *e = &row->entries[row->best[s].entry];
			report_add_time(row->best[s].microseconds, &cell);
			text_add(&cell, " %s ", e->method);
			add_point(e, &cell);
		}
		add_text_cell(c, &cell);
	}
	add_binding_cell(row, c);
}

static void add_machines(const struct report *r, size_t first, size_t end, struct text *into)
{
	static const char *const heads[] = {"machine", "nodes", "S >=", "R/C >=", "least R/C"};
	enum { HEADS = sizeof heads / sizeof *heads };
	struct cells c = {.columns = HEADS + r->n_sizes + 1};

	for (size_t i = 0; i < HEADS; i++)
		cells_add(&c, "%s", heads[i]);
	add_size_heads(r, &c, "us");
	cells_add(&c, "binding cut");
	for (size_t i = first; i < end; i++)
		add_machine_row(r, &r->rows->at[i], &c);
	cells_columns(&c, into);
	cells_free(&c);
}

/* What has been proved about it, and among which algorithms. */
static void add_claim(const struct entry *e, struct text *into)
{
	static const char *const among[] = {[WITHIN_ALL] = "", [WITHIN_COMPOSITION] = " of compositions", [WITHIN_ONE_VALUE] = ""};

	text_add(into, " %s%s", e->proof == PROOF_NONE ? "not proved" : optimality_class_names[e->class],
		 e->proof == PROOF_EXHAUSTED || e->proof == PROOF_PROGRAM ? among[e->within] : "");
}

static void add_frontier(const struct row *row, struct text *into)
{
	static const char *const ends[] = {[ENDED_BOUND] = "at the bound", [ENDED_STEPS] = "at the last step count", [ENDED_LIMIT] = "at a limit", [ENDED_TIME] = "when the time was over"};
	const char *between = "";

	if (!row->searched.done)
		return;
	text_add(into, "    frontier: ");
	for (size_t i = 0; i < row->n_entries && strcmp(row->entries[i].method, "smt") == 0; i++) {
		text_add(into, "%s", between);
		add_point(&row->entries[i], into);
		add_claim(&row->entries[i], into);
		between = ", ";
	}
	text_add(into, "; %s, ended %s", row->searched.from_catalog ? "from the catalog" : "searched", ends[row->searched.ended]);
	if (row->searched.n_open)
		text_add(into, ", %zu candidate%s open", row->searched.n_open, plural((int64_t)row->searched.n_open));
	text_add(into, "\n");
}

/* All algorithms of methods other than `smt`. */
static void add_built(const struct row *row, struct text *into)
{
	const char *between = "    built: ";
	char ratio[RATIONAL_TEXT];

	for (size_t i = 0; i < row->n_entries; i++) {
		const struct entry *e = &row->entries[i];
		if (strcmp(e->method, "smt") == 0)
			continue;
		text_add(into, "%s%s ", between, e->method);
		add_point(e, into);
		text_add(into, " %s", rational_text(e->bandwidth, ratio));
		between = ", ";
	}
	text_add(into, *between == ',' ? "\n" : "");
}

static void add_in_steps(const struct row *row, struct text *into)
{
	char ratio[RATIONAL_TEXT];

	for (int i = 0; i < row->in_steps.n; i++)
		text_add(into, "%s%d step%s R/C >= %s", i ? ", in " : "    in ", row->in_steps.first + i, plural(row->in_steps.first + i),
			 rational_text(row->in_steps.bandwidth[i], ratio));
	text_add(into, row->in_steps.n ? "\n" : "");
}

/* One line per reason; methods that never do this collective are listed together. */
static void add_refusals(const struct row *row, struct text *into)
{
	const char *between = "";

	for (size_t i = 0; i < row->n_refusals; i++)
		if (!row->refusals[i].other_kind)
			text_add(into, "    no %s: %s\n", row->refusals[i].method, row->refusals[i].why);
	for (size_t i = 0; i < row->n_refusals; i++)
		if (row->refusals[i].other_kind) {
			text_add(into, "%s%s", *between ? between : "    not for this collective: ", row->refusals[i].method);
			between = ", ";
		}
	text_add(into, *between ? "\n" : "");
}

static void add_details(const struct row *row, struct text *into)
{
	char ratio[RATIONAL_TEXT];

	text_add(into, "  ");
	text_add_plain(into, row->name);
	text_add(into, "\n");
	if (row->why_not) {
		text_add(into, "    cannot: %s\n", row->why_not);
		return;
	}
	if (row->bounds.part && row->nodes <= NODES_LISTED) {
		text_add(into, "    binding cut: ");
		bounds_add_cut(&row->bounds, into);
		text_add(into, "\n");
	}
	add_in_steps(row, into);
	if (rational_ok(row->trees))
		text_add(into, "    trees over all switches and links: R/C = %s\n", rational_text(row->trees, ratio));
	add_frontier(row, into);
	add_built(row, into);
	if (!row->timed)
		text_add(into, "    no times: its links have no alpha and beta; give --alpha and --beta\n");
	add_refusals(row, into);
}

/* A factor, "x1.167"; "-" if not known. */
static void add_gain_cell(struct rational gain, struct cells *c)
{
	if (!rational_ok(gain))
		cells_add(c, "-");
	else
		cells_add(c, "x%.3f", rational_double(gain));
}

static void add_change_row(const struct report *r, const struct row *row, struct cells *c)
{
	struct text links = {0};

	report_add_links(row, LINKS_SHOWN, &links);
	cells_add(c, "%d", row->rank);
	cells_add(c, "%s", links_change_names[row->change]);
	add_text_cell(c, &links);
	cells_add(c, "%zu", row->n_isomorphic);
	add_bound_cells(row, c);
	add_gain_cell(row_gain_bandwidth(r->rows, row), c);
	add_least_cell(row, c);
	for (size_t s = 0; s < r->n_sizes; s++) {
		struct text cell = {0};
		if (row->best[s].entry >= 0)
			report_add_time(row->best[s].microseconds, &cell);
		add_text_cell(c, &cell);
		add_gain_cell(row_gain_time(r->rows, row, s), c);
	}
	add_binding_cell(row, c);
}

static void add_changes(const struct report *r, size_t first, size_t end, struct text *into)
{
	static const char *const heads[] = {"rank", "change", "links", "isomorphic", "S >=", "R/C >=", "gain", "least R/C"};
	enum { HEADS = sizeof heads / sizeof *heads };
	struct cells c = {.columns = HEADS + 2 * r->n_sizes + 1};
	char name[32];

	for (size_t i = 0; i < HEADS; i++)
		cells_add(&c, "%s", heads[i]);
	for (size_t s = 0; s < r->n_sizes; s++) {
		cells_add(&c, "us at %s", report_size(r->sizes[s], name));
		cells_add(&c, "gain");
	}
	cells_add(&c, "binding cut");
	for (size_t i = first; i < end; i++)
		add_change_row(r, &r->rows->at[i], &c);
	cells_columns(&c, into);
	cells_free(&c);
}

void report_table(const struct report *r, struct text *into)
{
	for (size_t first = 0, end; first < r->rows->n; first = end) {
		const struct row *row = &r->rows->at[first];
		end = report_group_end(r->rows, first);
		text_add(into, "%s", first ? "\n" : "");
		report_add_subject(row, into);
		if (row->base < 0) {
			text_add(into, "\n");
			add_machines(r, first, end, into);
			for (size_t i = first; i < end; i++)
				add_details(&r->rows->at[i], into);
		} else {
			text_add(into, " on ");
			text_add_plain(into, r->rows->at[row->base].name);
			text_add(into, ", one link changed, by %s\n", rank_by_names[r->by]);
			add_changes(r, first, end, into);
		}
	}
}
