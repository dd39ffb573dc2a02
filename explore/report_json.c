/*
 * One object per line, as described in docs/reference/formats.md and
 * docs/reference/schemas/sccl-exploration.schema.json.
 */

#include "explore/report.h"

#include "core/bounds/bounds_text.h"
#include "core/base/text.h"

static void add_ratio(struct text *s, const char *name, struct rational r)
{
	char ratio[RATIONAL_TEXT];

	if (rational_ok(r))
		text_add(s, ", \"%s\": \"%s\"", name, rational_text(r, ratio));
	else
		text_add(s, ", \"%s\": null", name);
}

static void add_named(struct text *s, const char *name, const char *value)
{
	text_add(s, ", \"%s\": ", name);
	if (value)
		text_add_json_string(s, value);
	else
		text_add(s, "null");
}

static void add_bounds(const struct row *row, struct text *s)
{
	char ratio[RATIONAL_TEXT];

	if (row->why_not) {
		text_add(s, ", \"bounds\": null");
		return;
	}
	text_add(s, ", \"bounds\": {\"steps\": %d", row->bounds.steps);
	add_ratio(s, "bandwidth", row->bounds.bandwidth);
	text_add(s, ", \"cut\": ");
	bounds_add_cut_json(&row->bounds, s);
	text_add(s, ", \"in_steps\": [");
	for (int i = 0; i < row->in_steps.n; i++)
		text_add(s, "%s{\"steps\": %d, \"bandwidth\": \"%s\"}", i ? ", " : "", row->in_steps.first + i,
			 rational_text(row->in_steps.bandwidth[i], ratio));
	text_add(s, "]}");
}

static void add_frontier(const struct row *row, struct text *s)
{
	if (row->searched.done)
		text_add(s, ", \"frontier\": {\"from\": \"%s\", \"ended\": \"%s\", \"open\": %zu}",
			 row->searched.from_catalog ? "catalog" : "search", frontier_end_names[row->searched.ended], row->searched.n_open);
	else
		text_add(s, ", \"frontier\": null");
}

static void add_entries(const struct row *row, struct text *s)
{
	text_add(s, ", \"algorithms\": [");
	for (size_t i = 0; i < row->n_entries; i++) {
		const struct entry *e = &row->entries[i];
		text_add(s, "%s{\"method\": \"%s\", \"chunks\": %d, \"steps\": %d, \"rounds\": %d", i ? ", " : "", e->method, e->chunks, e->steps,
			 e->rounds);
		add_ratio(s, "bandwidth", e->bandwidth);
		text_add(s, ", \"class\": \"%s\", \"proof\": \"%s\"", optimality_class_names[e->class], optimality_proof_names[e->proof]);
		if (e->proof == PROOF_NONE)
			text_add(s, ", \"within\": null, \"kept\": %s}", e->kept ? "true" : "false");
		else
			text_add(s, ", \"within\": \"%s\", \"kept\": %s}", optimality_within_names[e->within], e->kept ? "true" : "false");
	}
	text_add(s, "], \"refused\": [");
	for (size_t i = 0; i < row->n_refusals; i++) {
		text_add(s, "%s{\"method\": \"%s\", \"why\": ", i ? ", " : "", row->refusals[i].method);
		text_add_json_string(s, row->refusals[i].why);
		text_add(s, "}");
	}
	text_add(s, "]");
}

static void add_best(const struct report *r, const struct row *row, struct text *s)
{
	text_add(s, ", \"best\": [");
	for (size_t i = 0; i < r->n_sizes; i++) {
		text_add(s, "%s{\"bytes\": %lld", i ? ", " : "", (long long)r->sizes[i]);
		if (row->best[i].entry < 0)
			text_add(s, ", \"microseconds\": null, \"algorithm\": null}");
		else {
			add_ratio(s, "microseconds", row->best[i].microseconds);
			text_add(s, ", \"algorithm\": %d}", row->best[i].entry);
		}
	}
	text_add(s, "]");
}

static void add_change(const struct report *r, const struct row *row, struct text *s)
{
	if (row->base < 0) {
		text_add(s, ", \"change\": null");
		return;
	}
	text_add(s, ", \"change\": {\"of\": ");
	text_add_json_string(s, r->rows->at[row->base].spec);
	text_add(s, ", \"links\": \"%s\", \"alike\": [", links_change_names[row->change]);
	for (size_t i = 0; i < row->n_isomorphic; i++)
		text_add(s, "%s[%d, %d]", i ? ", " : "", row->isomorphic[i].src, row->isomorphic[i].dst);
	text_add(s, "], \"rank\": %d, \"gain\": {\"steps\": ", row->rank);
	if (row->why_not || r->rows->at[row->base].why_not)
		text_add(s, "null");
	else
		text_add(s, "%d", r->rows->at[row->base].bounds.steps - row->bounds.steps);
	add_ratio(s, "bandwidth", row_gain_bandwidth(r->rows, row));
	text_add(s, ", \"times\": [");
	for (size_t i = 0; i < r->n_sizes; i++) {
		struct rational gain = row_gain_time(r->rows, row, i);
		char ratio[RATIONAL_TEXT];
		text_add(s, rational_ok(gain) ? "%s\"%s\"" : "%snull", i ? ", " : "", rational_text(gain, ratio));
	}
	text_add(s, "]}}");
}

static void add_row(const struct report *r, const struct row *row, struct text *s)
{
	text_add(s, "{\"topology\": ");
	text_add_json_string(s, row->spec);
	add_named(s, "name", row->name);
	text_add(s, ", \"nodes\": %d, \"switches\": %d", row->nodes, row->switches);
	add_named(s, "digest", row->digest[0] ? row->digest : NULL);
	add_named(s, "collective", row->collective);
	text_add(s, row->root < 0 ? ", \"root\": null" : ", \"root\": %d", row->root);
	add_named(s, "cannot", row->why_not);
	add_bounds(row, s);
	add_ratio(s, "trees", row->why_not ? (struct rational){0, 0} : row->trees);
	add_frontier(row, s);
	add_entries(row, s);
	add_ratio(s, "alpha", row->timed ? row->alpha : (struct rational){0, 0});
	add_ratio(s, "beta", row->timed ? row->beta : (struct rational){0, 0});
	add_best(r, row, s);
	add_change(r, row, s);
	text_add(s, "}\n");
}

void report_json(const struct report *r, struct text *into)
{
	for (size_t i = 0; i < r->rows->n; i++)
		add_row(r, &r->rows->at[i], into);
}
