/* Which sections a page has. What a section looks like is show/page.js's business. */

#include "cli/commands/pages.h"
#include "cli/commands/pages_rows.h"

#include "cli/output/command.h"

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/bounds/bounds.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"
#include "core/schedule/cost.h"
#include "core/schedule/step_overhead.h"
#include "core/verify/verify.h"
#include "show/data.h"
#include "show/picture.h"
#include "synth/frontier/frontier.h"

#include <stdio.h>
#include <string.h>

/* Writes a picture as page_finish does a page. */
static bool finish_picture(struct text *svg, const char *out, struct error *e)
{
	bool ok = true;

	if (out)
		ok = file_write(out, svg->bytes, svg->length, e);
	else
		fwrite(svg->bytes, 1, svg->length, stdout);
	text_free(svg);
	return ok;
}

/* ---- machines ---- */

static void add_kinds(struct page *p, const struct topology *t)
{
	static const char *const head[] = {"links", "GB/s for bandwidth 1", "latency us", NULL};

	if (!t->n_kinds) {
		page_line(p, "The speed of its links is not stated, so there are no times.");
		return;
	}
	page_table(p, "Kinds of links", NULL, head);
	for (size_t i = 0; i < t->n_kinds; i++) {
		page_row(p);
		page_cell(p, "%s", t->kinds[i].name);
		page_cell(p, "%.6g", rational_double(t->kinds[i].gigabytes_per_second));
		page_cell(p, "%.6g", rational_double(t->kinds[i].latency_us));
	}
	page_table_end(p);
}

enum { BOUNDED_NODES_MAX = 256 };

static void add_bounds(struct page *p, const struct topology *t)
{
	static const char *const head[] = {"collective", "steps, at least", "R/C, at least", NULL};

	if (t->nodes > BOUNDED_NODES_MAX) {
		page_line(p, "The bounds of a machine of this size take long; `sccl-synth bounds` computes them.");
		return;
	}
	page_table(p, "What no algorithm can beat",
		   "S: steps, each of which costs one latency. R/C: the time of a large input, in units of what it takes to cross a link of bandwidth 1. Roots are node 0.", head);
	for (int kind = 0; kind < CUSTOM; kind++) {
		const struct collective k = {.kind = (enum collective_kind)kind};
		struct error why = {0};
		struct bounds b;
		char ratio[RATIONAL_TEXT];
		if (!bounds_compute(t, &k, &b, &why))
			continue;
		page_row(p);
		page_cell(p, "%s", collective_name(&k));
		page_cell(p, "%d", b.steps);
		page_cell(p, "%s", rational_text(b.bandwidth, ratio));
		bounds_free(&b);
	}
	page_table_end(p);
}

/* Links between nodes, one row for both directions if they are equal. */
static void add_links(struct page *p, const struct topology *t)
{
	static const char *const head[] = {"from", "to", "bandwidth", "kind", NULL};
	enum { ROWS_MAX = 600 };
	size_t rows = 0;

	page_table(p, "Links", t->switches ? "Numbers from the number of nodes on are switches." : NULL, head);
	for (size_t i = 0; i < t->n_links && rows < ROWS_MAX; i++) {
		const struct link *l = &t->links[i], *back = topology_link(t, l->dst, l->src);
		bool both = back && back->bandwidth == l->bandwidth && back->kind == l->kind;
		if (both && l->src > l->dst)
			continue;
		rows++;
		page_row(p);
		page_cell(p, "%d", l->src);
		page_cell(p, "%d%s", l->dst, both ? " and back" : "");
		page_cell(p, "%d", l->bandwidth);
		page_cell(p, "%s", l->kind >= 0 ? t->kinds[l->kind].name : "not stated");
	}
	page_table_end(p);
	if (rows == ROWS_MAX)
		page_line(p, "The first 600 links; `sccl-synth topology show` prints all.");
}

void pages_add_machine(struct page *p, const struct topology *t)
{
	struct text line = {0};

	text_add(&line, "%d node%s, %d switch%s, %zu links.%s%s", t->nodes, plural(t->nodes), t->switches, t->switches == 1 ? "" : "es", t->n_links,
		 t->description ? " " : "", t->description ? t->description : "");
	page_line(p, line.bytes);
	text_free(&line);
	page_machine(p, t);
	add_kinds(p, t);
	add_bounds(p, t);
	add_links(p, t);
}

/* ---- algorithms ---- */

static void add_costs(struct page *p, const struct algorithm *a)
{
	struct cost c = algorithm_cost(a);
	struct rational alpha, beta, latency;
	struct error unknown = {0};
	const struct step_overhead none = {.target = NULL};
	char ratio[RATIONAL_TEXT], bound[RATIONAL_TEXT];
	struct text line = {0};

	text_add(&line, "Each input is cut into C = %d chunk%s, sent in S = %d step%s, R = %d round%s in all: (C,S,R) = (%d,%d,%d), R/C = %s.", a->chunks,
		 plural(a->chunks), c.steps, plural(c.steps), c.rounds, plural(c.rounds), a->chunks, c.steps, c.rounds, rational_text(c.bandwidth, ratio));
	if (a->has_bounds)
		text_add(&line, " No algorithm has fewer than %d step%s or R/C below %s.", a->bound_steps, plural(a->bound_steps), rational_text(a->bound_bandwidth, bound));
	page_line(p, line.bytes);
	line.length = 0;
	data_proof(a, &line);
	if (a->method && strcmp(a->method, "smt") != 0)
		text_add(&line, " Built by the method %s.", a->method);
	page_line(p, line.bytes);
	line.length = 0;
	if (topology_alpha_beta(a->topology, &alpha, &beta) && algorithm_latency(a, &none, &latency, &unknown)) {
		text_add(&line, "At the speed of its links: %.3g us for an input of 1 KiB, %.4g ms for 1 GiB.",
			 rational_double(latency) + 1024 * rational_double(c.bandwidth) * rational_double(beta),
			 (rational_double(latency) + 1073741824 * rational_double(c.bandwidth) * rational_double(beta)) / 1e3);
		page_line(p, line.bytes);
	}
	text_free(&line);
}

bool pages_add_algorithm(struct page *p, const struct algorithm *a, struct error *e)
{
	add_costs(p, a);
	return page_algorithm(p, a, e);
}

static struct page new_page(const struct topology *t, const struct collective *k, const char *what)
{
	struct text title = {0};

	text_add(&title, "%s on %s%s%s", collective_called(k), t->name, *what ? ": " : "", what);
	struct page p = page_new(title.bytes);
	text_free(&title);
	return p;
}

/* ---- files ---- */

static int show_algorithm(const char *path, const char *out, bool is_picture)
{
	struct error e = {0};
	struct algorithm *a = algorithm_open_up_to(path, DATA_SENDS_MAX, &e);

	if (!a)
		return fail(&e);
	struct verdict v = algorithm_verify(a);
	int status = v.fault == FAULT_NONE ? STATUS_DONE : STATUS_NO;
	if (status == STATUS_NO) {
		error_set(&e, ERROR_INPUT, path, "does not verify: %s", v.why);
		fail(&e);
	} else if (is_picture) {
		struct text svg = {0};
		picture_algorithm(a, &svg);
		status = finish_picture(&svg, out, &e) ? STATUS_DONE : fail(&e);
	} else {
		struct page p = new_page(a->topology, &a->collective, "");
		page_line(&p, collective_row(&a->collective)->about);
		bool ok = pages_add_algorithm(&p, a, &e);
		if (!ok)
			page_free(&p);
		status = ok && page_finish(&p, out, &e) ? STATUS_DONE : fail(&e);
	}
	algorithm_free(a);
	return status;
}

static int show_frontier(const char *path, const char *out, bool is_picture)
{
	struct error e = {0};
	struct frontier *f = frontier_open(path, &e);
	char why[256];

	if (!f)
		return fail(&e);
	if (!frontier_judge(f, why, sizeof why)) {
		error_set(&e, ERROR_INPUT, path, "does not verify: %s", why);
		fail(&e);
		frontier_free(f);
		return STATUS_NO;
	}
	if (is_picture) {
		struct text svg = {0};
		picture_frontier(f, &svg);
		frontier_free(f);
		return finish_picture(&svg, out, &e) ? STATUS_DONE : fail(&e);
	}
	struct page p = new_page(f->topology, &f->collective, "the Pareto frontier");
	page_line(&p, "From the fewest steps, for small inputs, to the least R/C, for large ones.");
	bool ok = frontier_expand(f, &e) && page_frontier(&p, f, &e);
	if (!ok)
		page_free(&p);
	int status = ok && page_finish(&p, out, &e) ? STATUS_DONE : fail(&e);
	frontier_free(f);
	return status;
}

static int show_machine(const char *path, const char *out, bool is_picture)
{
	struct error e = {0};
	struct topology *t = topology_open(path, &e);

	if (!t)
		return fail(&e);
	if (is_picture) {
		struct text svg = {0};
		picture_machine(t, &svg);
		topology_free(t);
		return finish_picture(&svg, out, &e) ? STATUS_DONE : fail(&e);
	}
	struct page p = page_new(t->name);
	pages_add_machine(&p, t);
	topology_free(t);
	return page_finish(&p, out, &e) ? STATUS_DONE : fail(&e);
}

int pages_show(const char *path, const char *out, bool is_picture)
{
	struct error e = {0};
	size_t n = strlen(path);
	bool is_rows = n > 6 && strcmp(path + n - 6, ".jsonl") == 0, is_file = strchr(path, '/') || (n > 5 && strcmp(path + n - 5, ".json") == 0);

	if (is_rows && is_picture) {
		error_set(&e, ERROR_INPUT, path, "is drawn by --svg of simulate and --format svg of best and explore");
		return fail(&e);
	}
	if (is_rows)
		return pages_show_rows(path, out);
	if (!is_file)
		return show_machine(path, out, is_picture);
	struct json_document *d = json_document_open(path, &e);
	if (!d)
		return fail(&e);
	const char *format = json_string_value(json_object_get(d->root, "format"));
	int (*how)(const char *path, const char *out, bool is_picture) = show_algorithm;
	if (format && strcmp(format, "sccl-frontier") == 0)
		how = show_frontier;
	if (format && strcmp(format, "sccl-topology") == 0)
		how = show_machine;
	json_document_close(d);
	return how(path, out, is_picture);
}
