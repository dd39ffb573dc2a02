/* Writes an algorithm as JSON: keys in the order of docs/reference/formats.md, one step per line, and in
 * algorithms that people can still read one send per line, so that a review of changes shows each. */

#include "core/schedule/algorithm.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/machine/prices.h"
#include "core/schedule/symmetry.h"
#include "core/base/text.h"
#include "core/machine/topology.h"

/* With fewer sends each has a line. */
enum { SENDS_IN_LINES = 2000 };

static void write_sends(struct text *into, const char *key, const struct send *sends, size_t n, bool in_lines)
{
	text_add(into, ", \"%s\": [", key);
	for (size_t i = 0; i < n; i++)
		text_add(into, "%s%s[%d, %d, %d]", i ? "," : "", in_lines ? "\n      " : i ? " " : "", sends[i].chunk, sends[i].src,
			 sends[i].dst);
	text_add(into, "]");
}

static size_t count_sends(const struct algorithm *a)
{
	size_t n = 0;

	for (size_t s = 0; s < a->n_steps; s++)
		n += a->steps[s].n_sends + a->steps[s].n_reduces;
	return n;
}

static void write_steps(struct text *into, const struct algorithm *a)
{
	bool in_lines = count_sends(a) < SENDS_IN_LINES;

	text_add(into, "  \"steps\": [");
	for (size_t s = 0; s < a->n_steps; s++) {
		const struct step *step = &a->steps[s];
		text_add(into, "%s\n    {\"rounds\": %d", s ? "," : "", step->rounds);
		write_sends(into, "sends", step->sends, step->n_sends, in_lines);
		if (step->n_reduces)
			write_sends(into, "reduces", step->reduces, step->n_reduces, in_lines);
		text_add(into, "}");
	}
	text_add(into, "\n  ],\n");
}

static void write_optimality(struct text *into, const struct optimality *o)
{
	text_add(into, ",\n  \"optimality\": {\"class\": \"%s\"", optimality_class_names[o->class]);
	if (o->class != CLASS_NONE && o->proof != PROOF_NONE)
		text_add(into, ", \"proof\": \"%s\", \"within\": \"%s\"", optimality_proof_names[o->proof],
			 optimality_within_names[o->within]);
	if (o->class != CLASS_NONE && o->proof == PROOF_EXHAUSTED) {
		text_add(into, ", \"class_k\": %d, \"refuted\": [", o->class_k);
		for (size_t i = 0; i < o->n_refuted; i++)
			text_add(into, "%s[%d, %d, %d]", i ? ", " : "", o->refuted[i].chunks, o->refuted[i].steps,
				 o->refuted[i].rounds);
		text_add(into, "]");
	}
	text_add(into, "}");
}

static void write_bounds(const struct algorithm *a, struct text *into)
{
	char ratio[RATIONAL_TEXT];

	text_add(into, ",\n  \"bounds\": {\"steps\": %d, \"bandwidth\": \"%s\"", a->bound_steps, rational_text(a->bound_bandwidth, ratio));
	if (a->n_bound_prices) {
		text_add(into, ",\n             ");
		prices_write(a->bound_prices, a->n_bound_prices, into);
	}
	text_add(into, "}");
}

void algorithm_write(const struct algorithm *a, struct text *into)
{
	char ratio[RATIONAL_TEXT];

	text_add(into, "{\n  \"format\": \"sccl-algorithm\",\n  \"version\": 1,\n  \"name\": ");
	text_add_json_string(into, a->name);
	text_add(into, ",\n  \"collective\": ");
	collective_write(&a->collective, into, 2);
	text_add(into, ",\n  \"chunks\": %d,\n  \"global_chunks\": %d,\n", a->chunks, a->global_chunks);
	if (a->constraints.pipeline)
		text_add(into, "  \"pipeline\": %d,\n", a->constraints.pipeline);
	if (a->constraints.is_short)
		text_add(into, "  \"extra_memory\": %d,\n", a->constraints.extra_memory);
	text_add(into, "  \"topology\": ");
	topology_write(a->topology, into, 2);
	text_add(into, ",\n");
	if (a->symmetry) {
		text_add(into, "  \"symmetry\": ");
		symmetry_write(a->symmetry, &a->collective, into);
		text_add(into, ",\n");
	}
	write_steps(into, a);
	text_add(into, "  \"cost\": {\"steps\": %zu, \"rounds\": %d, \"bandwidth\": \"%s\"}", a->n_steps, algorithm_rounds(a),
		 rational_text(algorithm_bandwidth(a), ratio));
	if (a->has_bounds)
		write_bounds(a, into);
	write_optimality(into, &a->optimality);
	if (a->method && a->version) {
		text_add(into, ",\n  \"made_by\": {\"method\": ");
		text_add_json_string(into, a->method);
		text_add(into, ", \"version\": ");
		text_add_json_string(into, a->version);
		text_add(into, "}");
	}
	text_add(into, "\n}\n");
}

bool algorithm_save(const struct algorithm *a, const char *path, struct error *e)
{
	struct text text = {0};
	algorithm_write(a, &text);
	bool ok = file_write(path, text.bytes, text.length, e);
	text_free(&text);
	return ok;
}
