/* How to rebuild a formula and verify its trace, as JSON. The contents are verified in check.c. */

#include "prove/proof.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 1 << 30 };

void recipe_clear(struct recipe *r)
{
	orders_free(&r->orders);
	free(r->solver);
	free(r->file);
}

void recipe_free(struct recipe *r)
{
	if (r)
		recipe_clear(r);
	free(r);
}

static void write_numbers(struct text *into, const char *key, const int *list, size_t n)
{
	text_add(into, "\"%s\": [", key);
	for (size_t i = 0; i < n; i++)
		text_add(into, "%s%d", i ? ", " : "", list[i]);
	text_add(into, "]");
}

static void write_orders(struct text *into, const struct orders *o)
{
	text_add(into, ", \"order\": [");
	for (size_t i = 0; i < o->n; i++) {
		text_add(into, "%s{", i ? ", " : "");
		write_numbers(into, "nodes", o->all[i].nodes, o->all[i].n_nodes);
		text_add(into, ", ");
		write_numbers(into, "chunks", o->all[i].chunks, o->all[i].n_chunks);
		text_add(into, "}");
	}
	text_add(into, "]");
}

void recipe_write(struct text *into, const struct recipe *r)
{
	text_add(into, ", \"formula\": {\"variables\": %d, \"clauses\": %zu, \"sha256\": \"%s\"}", r->variables, r->clauses,
		 r->formula);
	write_orders(into, &r->orders);
	text_add(into, ", \"trace\": {\"solver\": ");
	text_add_json_string(into, r->solver);
	text_add(into, ", \"bytes\": %zu, \"sha256\": \"%s\", \"file\": ", r->bytes, r->trace);
	if (r->file)
		text_add_json_string(into, r->file);
	else
		text_add(into, "null");
	text_add(into, "}");
}

/* 64 hexadecimal digits. */
static bool read_digest(const struct json_place *of, char out[65], struct error *e)
{
	struct json_place at;
	const char *s;

	if (!json_member_needed(of, "sha256", &at, e) || !json_get_string(&at, &s, e))
		return false;
	if (strlen(s) != 64 || strspn(s, "0123456789abcdef") != 64)
		return json_fault(&at, e, "must be 64 hexadecimal digits");
	memcpy(out, s, 65);
	return true;
}

static bool read_count(const struct json_place *of, const char *key, int64_t high, int64_t *out, struct error *e)
{
	struct json_place at;
	return json_member_needed(of, key, &at, e) && json_get_integer(&at, 0, high, out, e);
}

static bool read_formula(const struct json_place *at, struct recipe *r, struct error *e)
{
	static const char *const keys[] = {"variables", "clauses", "sha256", NULL};
	int64_t variables, clauses;

	if (!json_object_with(at, keys, e) || !read_count(at, "variables", INT32_MAX, &variables, e) ||
	    !read_count(at, "clauses", CNF_LITERALS_MAX, &clauses, e) || !read_digest(at, r->formula, e))
		return false;
	r->variables = (int)variables;
	r->clauses = (size_t)clauses;
	return true;
}

/* *LIST belongs to the caller, even on failure. */
static bool read_numbers(const struct json_place *of, const char *key, int high, int **list, size_t *n, struct error *e)
{
	struct json_place at;

	if (!json_member_needed(of, key, &at, e) || !json_array_length(&at, n, e))
		return false;
	*list = new_array(int, *n);
	for (size_t i = 0; i < *n; i++) {
		struct json_place number = json_element(&at, i);
		if (!json_get_int(&number, 0, high, &(*list)[i], e))
			return false;
	}
	return true;
}

static bool read_order(const struct json_place *at, int nodes, struct chunk_order *o, struct error *e)
{
	static const char *const keys[] = {"nodes", "chunks", NULL};

	return json_object_with(at, keys, e) && read_numbers(at, "nodes", nodes - 1, &o->nodes, &o->n_nodes, e) &&
	       read_numbers(at, "chunks", CHUNKS_MAX, &o->chunks, &o->n_chunks, e);
}

static bool read_orders(const struct json_place *at, int nodes, struct orders *o, struct error *e)
{
	size_t n;

	if (!json_array_length(at, &n, e))
		return false;
	o->all = new_array(struct chunk_order, n);
	while (o->n < n) {
		struct json_place order = json_element(at, o->n);
		if (!read_order(&order, nodes, &o->all[o->n++], e))
			return false;
	}
	return true;
}

/* Traces are in a folder named proofs, here or one level up: no path in a proof leads anywhere else. */
static bool is_trace_name(const char *s)
{
	if (strncmp(s, "../", 3) == 0)
		s += 3;
	return strncmp(s, "proofs/", 7) == 0 && strspn(s + 7, "0123456789abcdef") == 16 && strcmp(s + 7 + 16, ".drat") == 0;
}

static bool read_trace(const struct json_place *at, struct recipe *r, struct error *e)
{
	static const char *const keys[] = {"solver", "bytes", "sha256", "file", NULL};
	struct json_place solver, file;
	const char *s;
	int64_t bytes;

	if (!json_object_with(at, keys, e) || !json_member_needed(at, "solver", &solver, e) ||
	    !json_get_string(&solver, &s, e))
		return false;
	r->solver = copy_string(s);
	if (!read_count(at, "bytes", BYTES_MAX, &bytes, e) || !read_digest(at, r->trace, e) ||
	    !json_member_needed(at, "file", &file, e))
		return false;
	r->bytes = (size_t)bytes;
	if (json_is_null(file.value))
		return true;
	if (!json_get_string(&file, &s, e))
		return false;
	if (!is_trace_name(s))
		return json_fault(&file, e, "must be proofs/ or ../proofs/, 16 hexadecimal digits, and .drat");
	r->file = copy_string(s);
	return true;
}

bool recipe_read(const struct json_place *at, int nodes, struct recipe *r, struct error *e)
{
	struct json_place formula, order, trace;

	return json_member_needed(at, "formula", &formula, e) && read_formula(&formula, r, e) &&
	       json_member_needed(at, "order", &order, e) && read_orders(&order, nodes, &r->orders, e) &&
	       json_member_needed(at, "trace", &trace, e) && read_trace(&trace, r, e);
}
