/* Opens a collective by name or from a file, and reads and writes the collective of an algorithm file. */

#include "core/schedule/collective.h"
#include "core/schedule/collective_custom.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/base/spelling.h"
#include "core/machine/topology.h"

#include <stdlib.h>
#include <ctype.h>
#include <string.h>

static bool read_placement(const struct json_place *at, int nodes, struct placement *out, struct error *e)
{
	size_t n;

	if (!json_array_length(at, &n, e))
		return false;
	if (n != 2)
		return json_fault(at, e, "must be [chunk, node]");
	struct json_place chunk = json_element(at, 0), node = json_element(at, 1);
	return json_get_int(&chunk, 0, CHUNKS_MAX - 1, &out->chunk, e) && json_get_int(&node, 0, nodes - 1, &out->node, e);
}

static bool read_placements(const struct json_place *custom, const char *key, int nodes, struct placement **list, size_t *n,
			    struct error *e)
{
	struct json_place at;

	if (!json_member_needed(custom, key, &at, e) || !json_array_length(&at, n, e))
		return false;
	if (*n == 0 || *n > PLACEMENTS_MAX)
		return json_fault(&at, e, "must list from 1 to %d places", PLACEMENTS_MAX);
	*list = new_array(struct placement, *n);
	for (size_t i = 0; i < *n; i++) {
		struct json_place place = json_element(&at, i);
		if (!read_placement(&place, nodes, &(*list)[i], e))
			return false;
	}
	qsort(*list, *n, sizeof **list, placement_order);
	for (size_t i = 1; i < *n; i++)
		if (placement_order(&(*list)[i - 1], &(*list)[i]) == 0)
			return json_fault(&at, e, "lists [%d, %d] twice", (*list)[i].chunk, (*list)[i].node);
	return true;
}

/* Every chunk from 0 to the largest must be in PRE, and every chunk of POST must be one of these. */
static bool check_chunks(const struct json_place *at, const struct placement *pre, size_t n_pre, const struct placement *post,
			 size_t n_post, struct error *e)
{
	int chunk = -1;

	for (size_t i = 0; i < n_pre; chunk = pre[i++].chunk)
		if (pre[i].chunk > chunk + 1)
			return json_fault(at, e, "chunk %d is missing from \"pre\"", chunk + 1);
	return post[n_post - 1].chunk <= chunk ||
	       json_fault(at, e, "chunk %d of \"post\" is missing from \"pre\"", post[n_post - 1].chunk);
}

/* The parts of a chunk of the file must be at the same nodes: does the list repeat with the period? */
static bool repeats(const struct placement *list, size_t n, int period, int cut)
{
	size_t each = n / (size_t)cut;

	if (n % (size_t)cut != 0)
		return false;
	for (size_t i = each; i < n; i++)
		if (list[i].node != list[i - each].node || list[i].chunk != list[i - each].chunk + period)
			return false;
	return true;
}

static bool check_cut(const struct json_place *at, const struct placement *pre, size_t n_pre, const struct placement *post,
		      size_t n_post, int cut, struct error *e)
{
	int chunks = pre[n_pre - 1].chunk + 1;

	if (chunks % cut != 0 || !repeats(pre, n_pre, chunks / cut, cut) || !repeats(post, n_post, chunks / cut, cut))
		return json_fault(at, e, "the C = %d parts of each chunk must be at the same nodes: chunk c and chunk c + G/C", cut);
	return true;
}

static int by_number(const void *va, const void *vb)
{
	const int *a = va, *b = vb;
	return (*a > *b) - (*a < *b);
}

/* Reads the order of one buffer: exactly the WANTED chunks, each once, with the parts of one chunk contiguous. */
static bool read_buffer(const struct json_place *at, const int *wanted, size_t n_wanted, int cut, int period, int *out,
			struct error *e)
{
	size_t n;

	if (!json_array_length(at, &n, e))
		return false;
	if (n != n_wanted)
		return json_fault(at, e, "must list the node's %zu chunks", n_wanted);
	for (size_t i = 0; i < n; i++) {
		struct json_place chunk = json_element(at, i);
		if (!json_get_int(&chunk, 0, CHUNKS_MAX - 1, &out[i], e))
			return false;
		if (out[i] != out[i - i % (size_t)cut] + (int)(i % (size_t)cut) * period)
			return json_fault(&chunk, e, "the parts of one chunk must be adjacent and in order");
	}
	int *sorted = copy_bytes(out, n * sizeof *out), *sought = copy_bytes(wanted, n * sizeof *wanted);
	qsort(sorted, n, sizeof *sorted, by_number);
	qsort(sought, n, sizeof *sought, by_number);
	bool same = memcmp(sorted, sought, n * sizeof *sorted) == 0;
	free(sorted);
	free(sought);
	return same || json_fault(at, e, "must list each of the node's chunks once");
}

static bool read_order(const struct json_place *custom, const char *key, const struct custom *c, const int *begin, int *order,
		       struct error *e)
{
	struct json_place at = json_member(custom, key);
	size_t n;

	if (!at.value)
		return true;
	if (!json_array_length(&at, &n, e))
		return false;
	if (n != (size_t)c->nodes)
		return json_fault(&at, e, "must have a list for each of the %d nodes", c->nodes);
	for (size_t i = 0; i < n; i++) {
		struct json_place node = json_element(&at, i);
		size_t length = (size_t)(begin[i + 1] - begin[i]);
		int *read = new_array(int, length);
		bool ok = read_buffer(&node, order + begin[i], length, custom_cut(c), custom_period(c), read, e);
		if (ok)
			memcpy(order + begin[i], read, length * sizeof *read);
		free(read);
		if (!ok)
			return false;
	}
	return true;
}

static bool read_custom(const struct json_place *at, int nodes, int cut, struct collective *out, struct error *e)
{
	struct placement *pre = NULL, *post = NULL;
	size_t n_pre = 0, n_post = 0;
	struct json_place combining = json_member(at, "combining");
	bool sums = false;

	if (!read_placements(at, "pre", nodes, &pre, &n_pre, e) || !read_placements(at, "post", nodes, &post, &n_post, e) ||
	    !check_chunks(at, pre, n_pre, post, n_post, e) || !check_cut(at, pre, n_pre, post, n_post, cut, e) ||
	    (combining.value && !json_get_bool(&combining, &sums, e))) {
		free(pre);
		free(post);
		return false;
	}
	struct custom *c = custom_new(nodes, cut, sums, pre, n_pre, post, n_post);
	*out = (struct collective){CUSTOM, 0, c};
	if (read_order(at, "inputs", c, c->inputs_begin, c->inputs, e) &&
	    read_order(at, "outputs", c, c->outputs_begin, c->outputs, e))
		return true;
	collective_free(out);
	return false;
}

static const struct collective_row *row_named(const char *name)
{
	for (int k = 0; k < COLLECTIVE_KINDS; k++)
		if (strcmp(collective_rows()[k].name, name) == 0)
			return &collective_rows()[k];
	return NULL;
}

/* "roots" instead of "root": the lists are generated and cut for C = CHUNKS. */
static bool read_roots(const struct json_place *at, enum collective_kind kind, int nodes, int chunks, struct collective *out,
		       struct error *e)
{
	struct collective whole;
	struct error fault = {0};
	size_t n;

	if (!json_array_length(at, &n, e))
		return false;
	if (n < 1 || n > (size_t)nodes)
		return json_fault(at, e, "must list from 1 to %d nodes", nodes);
	int *roots = new_array(int, n);
	bool ok = true;
	for (size_t i = 0; i < n && ok; i++) {
		struct json_place root = json_element(at, i);
		ok = json_get_int(&root, 0, nodes - 1, &roots[i], e);
	}
	if (ok && !collective_of_roots(kind, nodes, roots, (int)n, &whole, &fault))
		ok = json_fault(at, e, "%s", fault.what);
	else if (ok && !collective_check(&whole, nodes, chunks, &fault)) {
		ok = json_fault(at, e, "%s", fault.what);
		collective_free(&whole);
	} else if (ok) {
		*out = collective_scaled(&whole, chunks);
		collective_free(&whole);
	}
	free(roots);
	return ok;
}

bool collective_read(const struct json_place *at, int nodes, int chunks, struct collective *out, struct error *e)
{
	static const char *const plain[] = {"kind", NULL}, *const rooted[] = {"kind", "root", NULL};
	static const char *const several[] = {"kind", "roots", NULL};
	static const char *const custom[] = {"kind", "combining", "pre", "post", "inputs", "outputs", NULL};
	struct json_place kind, root, roots;
	const char *name;

	*out = (struct collective){0};
	if (!json_is_object(at->value))
		return json_fault(at, e, "must be an object");
	if (!json_member_needed(at, "kind", &kind, e) || !json_get_string(&kind, &name, e))
		return false;
	const struct collective_row *row = row_named(name);
	if (!row)
		return json_fault(&kind, e, "there is no collective \"%.64s\"", name);
	out->kind = (enum collective_kind)(row - collective_rows());
	if (out->kind == CUSTOM)
		return json_object_with(at, custom, e) && read_custom(at, nodes, chunks, out, e);
	if (!row->rooted)
		return json_object_with(at, plain, e);
	roots = json_member(at, "roots");
	if (roots.value)
		return json_object_with(at, several, e) && read_roots(&roots, out->kind, nodes, chunks, out, e);
	return json_object_with(at, rooted, e) && json_member_needed(at, "root", &root, e) &&
	       json_get_int(&root, 0, nodes - 1, &out->root, e);
}

static bool open_file(const char *path, int nodes, struct collective *out, struct error *e)
{
	static const char *const keys[] = {"format", "version", "name", "description", "nodes", "combining", "pre", "post",
					   "inputs", "outputs", NULL};
	struct json_document *d = json_document_open(path, e);
	if (!d)
		return false;
	struct json_place top = json_top(d), own = json_member(&top, "nodes");
	struct json_place name = json_member(&top, "name"), about = json_member(&top, "description");
	const char *words;
	int n = nodes;
	bool ok = json_object_with(&top, keys, e) && json_check_format(&top, "sccl-collective", e) &&
		  (!name.value || json_get_string(&name, &words, e)) && (!about.value || json_get_string(&about, &words, e)) &&
		  (!own.value || json_get_int(&own, 1, NODES_MAX, &n, e)) &&
		  (n == nodes || json_fault(&own, e, "is for %d nodes, but the topology has %d", n, nodes)) &&
		  read_custom(&top, nodes, 1, out, e);
	json_document_close(d);
	return ok;
}

/* As people type them: "AllReduce", "all_reduce", "all-to-all", and MPI's and NCCL's "bcast". NULL: none. */
static const struct collective_row *row_typed(const char *name)
{
	char letters[32];
	size_t n = 0;

	for (const char *c = name; *c; c++) {
		if (n + 1 == sizeof letters)
			return NULL;
		if (*c != '_' && *c != '-')
			letters[n++] = (char)tolower((unsigned char)*c);
	}
	letters[n] = '\0';
	return row_named(strcmp(letters, "bcast") == 0 ? "broadcast" : letters);
}

static bool refuse_name(const char *name, struct error *e)
{
	struct spelling s = spelling_new(name);

	for (int kind = 0; kind < CUSTOM; kind++)
		spelling_try(&s, collective_rows()[kind].name);
	const char *hint = spelling_hint(&s);
	error_set(e, ERROR_INPUT, name, "no such collective; %s", *hint ? hint : "give allgather, broadcast, gather, scatter, alltoall, reduce, "
		  "reducescatter, allreduce, scan or a file");
	spelling_free(&s);
	return false;
}

bool collective_open(const char *name, int nodes, int root, struct collective *out, struct error *e)
{
	size_t n = strlen(name);

	*out = (struct collective){0};
	if (strchr(name, '/') || (n > 5 && strcmp(name + n - 5, ".json") == 0))
		return open_file(name, nodes, out, e);
	const struct collective_row *row = row_typed(name);
	if (!row)
		return refuse_name(name, e);
	out->kind = (enum collective_kind)(row - collective_rows());
	if (out->kind == CUSTOM)
		return error_set(e, ERROR_INPUT, name, "a custom collective is given by its file, as in -c FILE.json");
	if (!row->rooted)
		return true;
	out->root = root;
	if (root < 0 || root >= nodes)
		return error_set(e, ERROR_INPUT, "--root", "there is no node %d: the nodes are 0 to %d", root, nodes - 1);
	return true;
}

static void write_placements(struct text *into, const char *key, const struct placement *list, size_t n, int indent)
{
	text_add(into, ",\n%*s\"%s\": [", indent + 2, "", key);
	for (size_t i = 0; i < n; i++)
		text_add(into, "%s[%d, %d]", i ? ", " : "", list[i].chunk, list[i].node);
	text_add(into, "]");
}

/* Only if it differs from the default order. */
static void write_order(struct text *into, const char *key, const struct custom *c, const struct placement *list, size_t n,
			const int *begin, const int *order, int indent)
{
	int *usual_begin, *usual;

	custom_default_order(list, n, c->nodes, custom_cut(c), &usual_begin, &usual);
	bool same = memcmp(usual, order, n * sizeof *usual) == 0;
	free(usual_begin);
	free(usual);
	if (same)
		return;
	text_add(into, ",\n%*s\"%s\": [", indent + 2, "", key);
	for (int node = 0; node < c->nodes; node++) {
		text_add(into, "%s[", node ? ", " : "");
		for (int i = begin[node]; i < begin[node + 1]; i++)
			text_add(into, "%s%d", i > begin[node] ? ", " : "", order[i]);
		text_add(into, "]");
	}
	text_add(into, "]");
}

void collective_write(const struct collective *k, struct text *into, int indent)
{
	const struct custom *c = k->custom;

	text_add(into, "{\"kind\": \"%s\"", collective_called(k));
	if (c && c->n_roots) {
		text_add(into, ", \"roots\": ");
		collective_add_roots_json(k, into);
		text_add(into, "}");
		return;
	}
	if (collective_row(k)->rooted)
		text_add(into, ", \"root\": %d", k->root);
	if (k->kind == CUSTOM) {
		if (c->combining)
			text_add(into, ", \"combining\": true");
		write_placements(into, "pre", c->pre, c->n_pre, indent);
		write_placements(into, "post", c->post, c->n_post, indent);
		write_order(into, "inputs", c, c->pre, c->n_pre, c->inputs_begin, c->inputs, indent);
		write_order(into, "outputs", c, c->post, c->n_post, c->outputs_begin, c->outputs, indent);
		text_add(into, "\n%*s", indent, "");
	}
	text_add(into, "}");
}
