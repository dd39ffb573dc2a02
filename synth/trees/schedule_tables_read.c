/*
 * Reads schedule tables back: their rows are an algorithm's sends, which pass the reader of algorithms. What rows say
 * besides (parents, children to wait for, places, NOPs) is compared with the tables that this algorithm has.
 */

#include "synth/trees/schedule_tables.h"

#include "core/schedule/algorithm.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

/* What the rows of a step send, as JSON. */
struct step_texts {
	struct text sends, reduces;
};

static void add_send(struct text *into, int flow, int src, int dst)
{
	text_add(into, "%s[%d, %d, %d]", into->length ? ", " : "", flow, src, dst);
}

static bool read_gather(const struct json_place *row, int node, int flow, struct step_texts *s, struct error *e)
{
	struct json_place children;
	size_t n;
	int child;

	if (!json_member_needed(row, "children", &children, e) || !json_array_length(&children, &n, e))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct json_place at = json_element(&children, i);
		if (!json_get_int(&at, 0, INT16_MAX, &child, e))
			return false;
		add_send(&s->sends, flow, node, child);
	}
	return true;
}

static bool read_row(const struct json_place *row, int node, struct step_texts *steps, size_t n_steps, struct error *e)
{
	static const char *const keys[] = {"step", "op", "flow", "parent", "children", "start", "size", NULL};
	struct json_place step, op, flow, parent;
	const char *name;
	int s, f, to;

	if (!json_object_with(row, keys, e) || !json_member_needed(row, "step", &step, e) || !json_get_int(&step, 1, (int)n_steps, &s, e) ||
	    !json_member_needed(row, "op", &op, e) || !json_get_string(&op, &name, e))
		return false;
	if (strcmp(name, "nop") == 0)
		return true;
	if (!json_member_needed(row, "flow", &flow, e) || !json_get_int(&flow, 0, CHUNKS_MAX * 2, &f, e))
		return false;
	if (strcmp(name, "gather") == 0)
		return read_gather(row, node, f, &steps[s - 1], e);
	if (strcmp(name, "reduce") != 0)
		return json_fault(&op, e, "must be \"reduce\", \"gather\" or \"nop\"");
	if (!json_member_needed(row, "parent", &parent, e) || !json_get_int(&parent, 0, INT16_MAX, &to, e))
		return false;
	add_send(&steps[s - 1].reduces, f, node, to);
	return true;
}

static bool read_nodes(const struct json_place *nodes, struct step_texts *steps, size_t n_steps, struct error *e)
{
	size_t n, m;
	int node;

	if (!json_array_length(nodes, &n, e))
		return false;
	for (size_t v = 0; v < n; v++) {
		struct json_place at = json_element(nodes, v), number, rows;
		if (!json_member_needed(&at, "node", &number, e) || !json_get_int(&number, 0, INT16_MAX, &node, e) ||
		    !json_member_needed(&at, "rows", &rows, e) || !json_array_length(&rows, &m, e))
			return false;
		for (size_t i = 0; i < m; i++) {
			struct json_place row = json_element(&rows, i);
			if (!read_row(&row, node, steps, n_steps, e))
				return false;
		}
	}
	return true;
}

/* A member of the tables as JSON text, moved into INTO. */
static void copy_member(const struct json_place *at, const char *key, struct text *into)
{
	char *text = json_dumps(at->value, JSON_ENCODE_ANY | JSON_SORT_KEYS);

	if (!text)
		memory_out();
	text_add(into, "\"%s\": %s, ", key, text);
	free(text);
}

static bool write_algorithm(const struct json_place *top, const struct json_place *rounds, const struct step_texts *steps, size_t n_steps,
			    struct text *into, struct error *e)
{
	struct json_place problem, name, flows, member;
	int chunks, total = 0, of_step;
	char ratio[RATIONAL_TEXT];

	text_add(into, "{\"format\": \"sccl-algorithm\", \"version\": 1, ");
	if (!json_member_needed(top, "problem", &problem, e) || !json_member_needed(top, "algorithm", &name, e) ||
	    !json_member_needed(top, "flows", &flows, e))
		return false;
	copy_member(&name, "name", into);
	copy_member(&flows, "global_chunks", into);
	for (int i = 0; i < 3; i++) {
		const char *key = i == 0 ? "collective" : i == 1 ? "topology" : "chunks";
		if (!json_member_needed(&problem, key, &member, e))
			return false;
		copy_member(&member, key, into);
	}
	if (!json_get_int(&member, 1, CHUNKS_MAX, &chunks, e))
		return false;
	text_add(into, "\"steps\": [");
	for (size_t s = 0; s < n_steps; s++) {
		struct json_place at = json_element(rounds, s);
		if (!json_get_int(&at, 1, ROUNDS_MAX, &of_step, e) || (total += of_step) > ROUNDS_MAX)
			return e->kind != ERROR_NONE ? false : json_fault(&at, e, "makes more than %d rounds in total", ROUNDS_MAX);
		text_add(into, "%s{\"rounds\": %d, \"sends\": [%s], \"reduces\": [%s]}", s ? ", " : "", of_step,
			 steps[s].sends.length ? steps[s].sends.bytes : "", steps[s].reduces.length ? steps[s].reduces.bytes : "");
	}
	text_add(into, "], \"cost\": {\"steps\": %zu, \"rounds\": %d, \"bandwidth\": \"%s\"}}", n_steps, total,
		 rational_text(rational(total, chunks), ratio));
	return true;
}

/* Are the rows of D those that the algorithm has? */
static bool rows_agree(const struct json_document *d, const struct algorithm *a, struct error *e)
{
	struct text again = {0};
	struct json_place top = json_top(d), nodes = json_member(&top, "nodes");
	size_t n, m;

	tables_write(a, &again);
	struct json_document *own = json_document_parse(again.bytes, d->path, e);
	text_free(&again);
	if (!own || !json_array_length(&nodes, &n, e)) {
		json_document_close(own);
		return false;
	}
	struct json_place own_top = json_top(own), own_nodes = json_member(&own_top, "nodes");
	bool ok = json_array_length(&own_nodes, &m, e);
	if (ok && n != m)
		ok = json_fault(&nodes, e, "has %zu nodes, and the topology %zu", n, m);
	for (size_t i = 0; ok && i < n; i++) {
		struct json_place theirs = json_element(&nodes, i), ours = json_element(&own_nodes, i);
		ok = json_equal(theirs.value, ours.value) ||
		     json_fault(&theirs, e, "has other rows than its sends make: check parents, children, places and nops");
	}
	json_document_close(own);
	return ok;
}

bool tables_are(const struct json_document *d)
{
	const char *format = json_string_value(json_object_get(d->root, "format"));

	return format && strcmp(format, "sccl-tables") == 0;
}

static struct algorithm *read_steps(const struct json_document *d, const struct json_place *top, struct step_texts *steps, size_t n_steps,
				    const struct json_place *rounds, struct error *e)
{
	struct text text = {0};
	struct json_document *own = NULL;
	struct json_place nodes;

	if (json_member_needed(top, "nodes", &nodes, e) && read_nodes(&nodes, steps, n_steps, e) &&
	    write_algorithm(top, rounds, steps, n_steps, &text, e))
		own = json_document_parse(text.bytes, d->path, e);
	struct algorithm *a = own ? algorithm_read(own, e) : NULL;
	if (a && !rows_agree(d, a, e)) {
		algorithm_free(a);
		a = NULL;
	}
	json_document_close(own);
	text_free(&text);
	return a;
}

struct algorithm *tables_read(const struct json_document *d, struct error *e)
{
	static const char *const keys[] = {"format", "version", "algorithm", "collective", "problem", "flows", "rounds", "nodes", NULL};
	struct json_place top = json_top(d), rounds;
	size_t n_steps;

	if (!json_check_format(&top, "sccl-tables", e) || !json_object_with(&top, keys, e) || !json_member_needed(&top, "rounds", &rounds, e) ||
	    !json_array_length(&rounds, &n_steps, e))
		return NULL;
	if (n_steps < 1 || n_steps > STEPS_MAX) {
		json_fault(&rounds, e, "must have from 1 to %d steps", STEPS_MAX);
		return NULL;
	}
	struct step_texts *steps = new_array(struct step_texts, n_steps);
	struct algorithm *a = read_steps(d, &top, steps, n_steps, &rounds, e);
	for (size_t s = 0; s < n_steps; s++) {
		text_free(&steps[s].sends);
		text_free(&steps[s].reduces);
	}
	free(steps);
	return a;
}
