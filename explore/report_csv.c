/* CSV with one line per row (RFC 4180); an unknown value is an empty cell. Ratios are decimal: a spreadsheet would read 7/6 as a
 * date. The other forms have them exactly. */

#include "explore/report.h"

#include "core/bounds/bounds_text.h"
#include "core/base/text.h"
#include "explore/cells.h"

static void add_ratio(struct cells *c, struct rational r)
{
	if (rational_ok(r))
		cells_add(c, "%.9g", rational_double(r));
	else
		cells_add(c, "%s", "");
}

static void add_number(struct cells *c, bool known, long long n)
{
	if (known)
		cells_add(c, "%lld", n);
	else
		cells_add(c, "%s", "");
}

static void add_change(const struct report *r, const struct row *row, struct cells *c)
{
	bool changed = row->base >= 0;
	struct text links = {0};

	report_add_links(row, row->n_isomorphic, &links);
	cells_add(c, "%s", changed ? r->rows->at[row->base].name : "");
	cells_add(c, "%s", changed ? links_change_names[row->change] : "");
	cells_add(c, "%s", links.length ? links.bytes : "");
	add_number(c, changed, (long long)row->n_isomorphic);
	add_number(c, changed, row->rank);
	text_free(&links);
}

static void add_bounds(const struct report *r, const struct row *row, struct cells *c)
{
	struct text cut = {0};

	if (row->why_not) {
		for (int i = 0; i < 4; i++)
			cells_add(c, "%s", "");
		cells_add(c, "%s", row->why_not);
		return;
	}
	cells_add(c, "%d", row->bounds.steps);
	add_ratio(c, row->bounds.bandwidth);
	add_ratio(c, row_gain_bandwidth(r->rows, row));
	add_ratio(c, row->trees);
	bounds_add_cut_brief(&row->bounds, &cut);
	cells_add(c, "%s", cut.bytes);
	text_free(&cut);
}

static void add_point(const struct entry *e, struct cells *c)
{
	struct text point = {0};

	if (e)
		text_add(&point, "%s (%d,%d,%d)", e->method, e->chunks, e->steps, e->rounds);
	cells_add(c, "%s", e ? point.bytes : "");
	text_free(&point);
}

static void add_refused(const struct row *row, struct cells *c)
{
	struct text all = {0};

	for (size_t i = 0; i < row->n_refusals; i++)
		text_add(&all, "%s%s: %s", i ? "; " : "", row->refusals[i].method, row->refusals[i].why);
	cells_add(c, "%s", all.length ? all.bytes : "");
	text_free(&all);
}

static void add_row(const struct report *r, const struct row *row, struct cells *c)
{
	cells_add(c, "%s", row->name);
	cells_add(c, "%d", row->nodes);
	cells_add(c, "%s", row->collective);
	add_number(c, row->root >= 0, row->root);
	add_change(r, row, c);
	add_bounds(r, row, c);
	add_ratio(c, row->least < 0 ? (struct rational){0, 0} : row->entries[row->least].bandwidth);
	add_point(row->least < 0 ? NULL : &row->entries[row->least], c);
	for (size_t s = 0; s < r->n_sizes; s++) {
		bool any = row->best[s].entry >= 0;
		add_ratio(c, any ? row->best[s].microseconds : (struct rational){0, 0});
		add_point(any ? &row->entries[row->best[s].entry] : NULL, c);
	}
	add_refused(row, c);
}

void report_csv(const struct report *r, struct text *into)
{
	static const char *const heads[] = {"topology", "nodes", "collective", "root", "base", "change", "links", "alike", "rank",
					    "bound_steps", "bound_bandwidth", "gain", "trees", "binds", "least_bandwidth", "least"};
	enum { HEADS = sizeof heads / sizeof *heads };
	struct cells c = {.columns = HEADS + 2 * r->n_sizes + 1};

	for (size_t i = 0; i < HEADS; i++)
		cells_add(&c, "%s", heads[i]);
	for (size_t s = 0; s < r->n_sizes; s++) {
		cells_add(&c, "microseconds_%lld", (long long)r->sizes[s]);
		cells_add(&c, "best_%lld", (long long)r->sizes[s]);
	}
	cells_add(&c, "refused");
	for (size_t i = 0; i < r->rows->n; i++)
		add_row(r, &r->rows->at[i], &c);
	cells_csv(&c, into);
	cells_free(&c);
}
