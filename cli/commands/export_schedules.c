/*
 * An algorithm as a schedule of another tool (lower/schedules). What is written has been read back by interop/schedules, which
 * shares nothing with the writers, as an algorithm that verifies and sends what the first one sends.
 */

#include "cli/arguments/options.h"
#include "cli/commands/exporting.h"
#include "cli/output/command.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"
#include "interop/schedules/schedules.h"
#include "lower/schedules/schedules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A send without its step. */
struct sent {
	int chunk, src, dst, reduce;
};

static int sent_order(const void *va, const void *vb)
{
	const struct sent *a = va, *b = vb;

	if (a->chunk != b->chunk)
		return a->chunk < b->chunk ? -1 : 1;
	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	return a->dst != b->dst ? (a->dst > b->dst) - (a->dst < b->dst) : a->reduce - b->reduce;
}

static struct sent *all_sent(const struct algorithm *a, bool links_only, size_t *n)
{
	struct sent *all = new_array(struct sent, algorithm_listed(a));

	*n = 0;
	for (size_t k = 0; k < a->n_steps; k++)
		for (int reduces = 0; reduces < 2; reduces++) {
			const struct send *of = reduces ? a->steps[k].reduces : a->steps[k].sends;
			size_t count = reduces ? a->steps[k].n_reduces : a->steps[k].n_sends;
			for (size_t i = 0; i < count; i++)
				all[(*n)++] = links_only ? (struct sent){0, of[i].src, of[i].dst, 0} : (struct sent){of[i].chunk, of[i].src, of[i].dst, reduces};
		}
	if (*n)
		qsort(all, *n, sizeof *all, sent_order);
	return all;
}

/* Does B send only what A sends? With LINKS_ONLY: over links that A uses. */
static bool sends_within(const struct algorithm *a, const struct algorithm *b, bool links_only)
{
	size_t n, m, i = 0;
	struct sent *of = all_sent(a, links_only, &n), *back = all_sent(b, links_only, &m);
	bool ok = true;

	for (size_t k = 0; ok && k < m; k++) {
		while (i < n && sent_order(&of[i], &back[k]) < 0)
			i++;
		ok = i < n && sent_order(&of[i], &back[k]) == 0;
	}
	free(of);
	free(back);
	return ok;
}

static bool check(const struct algorithm *a, const struct schedule_source *of, size_t n, bool graph, struct error *e)
{
	struct error why = {0};
	struct schedule_request r = {of, n, a->topology, graph ? a->collective.kind : COLLECTIVE_KINDS};
	struct algorithm *b = schedule_read(&r, &why);
	bool ok = b && b->collective.kind == a->collective.kind && (graph || b->chunks == a->chunks) && sends_within(a, b, graph);

	if (!ok && why.kind == ERROR_LIMIT)
		*e = why;
	else if (!ok)
		error_set(e, b ? ERROR_SYSTEM : ERROR_INPUT, a->name, "would be wrong in this format: %s", b ? "it is read back as another schedule" : why.what);
	algorithm_free(b);
	return ok;
}

static bool check_text(const struct algorithm *a, const struct text *made, bool graph, struct text *into, struct error *e)
{
	struct schedule_source s = {a->name, made->bytes, made->length};

	if (!check(a, &s, 1, graph, e))
		return false;
	text_add_bytes(into, made->bytes, made->length);
	return true;
}

bool export_csv(const struct export_options *o, struct text *into, struct error *e)
{
	struct algorithm *a = export_algorithm(o, "csv", e);
	struct text made = {0};
	bool ok = a && schedule_write_csv(a, &made, e) && check_text(a, &made, false, into, e);

	text_free(&made);
	algorithm_free(a);
	return ok;
}

bool export_te_ccl(const struct export_options *o, struct text *into, struct error *e)
{
	struct algorithm *a = export_algorithm(o, "te-ccl", e);
	struct text made = {0};
	bool ok = a && schedule_write_te_ccl(a, o->bytes, &made, e) && check_text(a, &made, false, into, e);

	text_free(&made);
	algorithm_free(a);
	return ok;
}

bool export_nccl_graph(const struct export_options *o, struct text *into, struct error *e)
{
	struct algorithm *a = export_algorithm(o, "nccl-graph", e);
	struct text made = {0}, notes = {0};
	bool ok = a && schedule_write_nccl_graph(a, &made, &notes, e) && check_text(a, &made, true, into, e);

	if (ok && notes.length)
		fprintf(stderr, "sccl-synth: %s", notes.bytes);
	text_free(&made);
	text_free(&notes);
	algorithm_free(a);
	return ok;
}

enum { TRACES_BYTES_MAX = 1 << 30 };

/* The traces of all ranks, checked together; then the files. */
static bool write_traces(const struct export_options *o, const struct algorithm *a, struct text *made, struct schedule_source *sources, struct error *e)
{
	int n = a->topology->nodes;
	size_t all = 0;
	bool ok = true;

	for (int r = 0; ok && r < n; r++) {
		struct text path = {0};
		ok = schedule_write_chakra(a, r, o->bytes, &made[r], e);
		all += made[r].length;
		if (ok && all > TRACES_BYTES_MAX)
			ok = error_set(e, ERROR_LIMIT, a->name, "has traces of more than 1 GiB");
		text_add(&path, "%s.%d.et", o->out, r);
		sources[r] = (struct schedule_source){text_take(&path), made[r].bytes, made[r].length};
	}
	ok = ok && check(a, sources, (size_t)n, false, e);
	for (int r = 0; ok && r < n; r++)
		ok = file_write(sources[r].path, made[r].bytes, made[r].length, e);
	if (ok)
		printf("%s.RANK.et: traces of %d ranks, for %lld bytes a rank\n", printable(o->out), n, (long long)o->bytes);
	return ok;
}

bool export_chakra(const struct export_options *o, struct text *into, struct error *e)
{
	(void)into;
	if (!o->out)
		return error_set(e, ERROR_INPUT, "-o", "missing; --format chakra writes PREFIX.RANK.et for each rank");
	struct algorithm *a = export_algorithm(o, "chakra", e);
	size_t n = a ? (size_t)a->topology->nodes : 0;
	struct text *made = new_array(struct text, n);
	struct schedule_source *sources = new_array(struct schedule_source, n);
	bool ok = a && write_traces(o, a, made, sources, e);

	for (size_t r = 0; r < n; r++) {
		text_free(&made[r]);
		free((char *)sources[r].path);
	}
	free(made);
	free(sources);
	algorithm_free(a);
	return ok;
}
