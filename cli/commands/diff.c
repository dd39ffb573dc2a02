/* `diff`: what distinguishes two algorithms, or two frontiers. Two lines a difference, as diff prints them: "-" of the
 * first file, "+" of the second. */

#include "cli/output/command.h"
#include "cli/output/colour.h"
#include "cli/arguments/shared.h"

#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"
#include "core/schedule/cost.h"
#include "synth/frontier/frontier.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct diff_options {
	bool json;
	struct operands files;
};

static const struct option_group groups[] = {
	OPTION_GROUP(json_rows, diff_options, json),
};

static const struct usage usage = {
	"Compares two algorithm files or two frontier files: machine, collective, cost, what is proved, and the sends of each step or the "
	"points of the frontier. What only the first has is printed after -, what only the second has after +. Names, versions and the "
	"order of sends do not count.\n\n"
	"Example: sccl-synth diff algorithms/dgx1/allgather/c6-s3-r7.json mine.json\v"
	"Exit status: 0 they are equal; 1 they differ; 2 a file cannot be read, or they are not of one kind.",
	USAGE_GROUPS(groups), .operands = "A B", .operands_at = offsetof(struct diff_options, files), .least = 2, .most = 2,
	.operands_wrong = "takes two files",
};

/* What is compared, and how many differences were printed. */
struct diffing {
	bool json;
	size_t n;
};

/* One difference, as a side of it: FIRST, or the second file. */
static void add_side(struct diffing *d, bool first, const char *what, const char *value)
{
	struct text line = {0};

	d->n++;
	if (d->json) {
		text_add(&line, "{\"what\": ");
		text_add_json_string(&line, what);
		text_add(&line, ", \"%s\": ", first ? "a" : "b");
		text_add_json_string(&line, value);
		text_add(&line, ", \"%s\": null}", first ? "b" : "a");
	} else
		text_add(&line, "%s%s %s: %s%s", colour_begin(stdout, first ? COLOUR_BAD : COLOUR_GOOD), first ? "-" : "+", what, printable(value),
			 colour_end(stdout));
	puts(line.bytes);
	text_free(&line);
}

/* Both sides, where they differ. */
static void compare(struct diffing *d, const char *what, const char *a, const char *b)
{
	struct text line = {0};

	if (strcmp(a, b) == 0)
		return;
	if (!d->json) {
		add_side(d, true, what, a);
		add_side(d, false, what, b);
		return;
	}
	d->n++;
	text_add(&line, "{\"what\": ");
	text_add_json_string(&line, what);
	text_add(&line, ", \"a\": ");
	text_add_json_string(&line, a);
	text_add(&line, ", \"b\": ");
	text_add_json_string(&line, b);
	text_add(&line, "}");
	puts(line.bytes);
	text_free(&line);
}

/* ---- machines and collectives, the same for both kinds of files ---- */

static void compare_machines(struct diffing *d, const struct topology *a, const struct topology *b)
{
	struct text one = {0}, other = {0};

	compare(d, "machine", a->name, b->name);
	if (strcmp(a->name, b->name) != 0)
		return;
	topology_write(a, &one, 0);
	topology_write(b, &other, 0);
	if (strcmp(one.bytes, other.bytes) != 0)
		compare(d, "machine", "its links, or what describes it", "others of that name");
	text_free(&one);
	text_free(&other);
}

static void compare_collectives(struct diffing *d, const struct collective *a, const struct collective *b)
{
	struct text one = {0}, other = {0};

	text_add(&one, "%s", collective_called(a));
	text_add(&other, "%s", collective_called(b));
	options_add_roots(a, &one);
	options_add_roots(b, &other);
	compare(d, "collective", one.bytes, other.bytes);
	if (strcmp(one.bytes, other.bytes) == 0 && !collective_same(a, b))
		compare(d, "collective", "its placements", "others of that name");
	text_free(&one);
	text_free(&other);
}

/* ---- algorithms ---- */

static void add_cost(const struct algorithm *a, struct text *into)
{
	char ratio[RATIONAL_TEXT];

	text_add(into, "(%d,%zu,%d), R/C = %s", a->chunks, a->n_steps, algorithm_rounds(a), rational_text(algorithm_bandwidth(a), ratio));
}

static void add_proof(const struct algorithm *a, struct text *into)
{
	const struct optimality *o = &a->optimality;

	text_add(into, "%s", optimality_class_names[o->class]);
	if (o->proof != PROOF_NONE)
		text_add(into, ", by %s, within %s", optimality_proof_names[o->proof], optimality_within_names[o->within]);
}

static int send_order(const struct send *a, const struct send *b)
{
	const int one[] = {a->chunk, a->src, a->dst}, other[] = {b->chunk, b->src, b->dst};

	for (int i = 0; i < 3; i++)
		if (one[i] != other[i])
			return one[i] < other[i] ? -1 : 1;
	return 0;
}

static void add_send(struct diffing *d, bool first, size_t step, const char *verb, const struct send *x)
{
	char what[64], value[96];

	snprintf(what, sizeof what, "step %zu", step + 1);
	snprintf(value, sizeof value, "%s chunk %d from %d to %d", verb, x->chunk, x->src, x->dst);
	add_side(d, first, what, value);
}

/* Both lists are sorted. */
static void compare_sends(struct diffing *d, size_t step, const char *verb, const struct send *a, size_t n_a, const struct send *b, size_t n_b)
{
	size_t i = 0, k = 0;

	while ((i < n_a || k < n_b) && !ferror(stdout)) {
		int order = i == n_a ? 1 : k == n_b ? -1 : send_order(&a[i], &b[k]);
		if (order < 0)
			add_send(d, true, step, verb, &a[i]);
		if (order > 0)
			add_send(d, false, step, verb, &b[k]);
		i += order <= 0;
		k += order >= 0;
	}
}

static void compare_steps(struct diffing *d, const struct algorithm *a, const struct algorithm *b)
{
	static const struct step none = {0};
	size_t n = a->n_steps > b->n_steps ? a->n_steps : b->n_steps;

	for (size_t s = 0; s < n; s++) {
		const struct step *x = s < a->n_steps ? &a->steps[s] : &none, *y = s < b->n_steps ? &b->steps[s] : &none;
		char what[64], one[32], other[32];
		snprintf(what, sizeof what, "rounds of step %zu", s + 1);
		snprintf(one, sizeof one, "%d", x->rounds);
		snprintf(other, sizeof other, "%d", y->rounds);
		compare(d, what, one, other);
		compare_sends(d, s, "copies", x->sends, x->n_sends, y->sends, y->n_sends);
		compare_sends(d, s, "adds", x->reduces, x->n_reduces, y->reduces, y->n_reduces);
	}
}

static void compare_algorithms(struct diffing *d, const struct algorithm *a, const struct algorithm *b)
{
	struct text one = {0}, other = {0};

	compare_machines(d, a->topology, b->topology);
	compare_collectives(d, &a->collective, &b->collective);
	add_cost(a, &one);
	add_cost(b, &other);
	compare(d, "cost", one.bytes, other.bytes);
	one.length = other.length = 0;
	add_proof(a, &one);
	add_proof(b, &other);
	compare(d, "proved", one.bytes, other.bytes);
	text_free(&one);
	text_free(&other);
	compare_steps(d, a, b);
}

/* ---- frontiers ---- */

static bool has_point(const struct frontier *f, const struct algorithm *point)
{
	for (size_t i = 0; i < f->n_points; i++)
		if (f->points[i]->n_steps == point->n_steps &&
		    rational_compare(algorithm_bandwidth(f->points[i]), algorithm_bandwidth(point)) == 0)
			return true;
	return false;
}

/* The points of A that B lacks. */
static void list_points(struct diffing *d, bool first, const struct frontier *a, const struct frontier *b)
{
	for (size_t i = 0; i < a->n_points; i++) {
		struct text cost = {0};
		if (has_point(b, a->points[i]))
			continue;
		add_cost(a->points[i], &cost);
		add_side(d, first, "point", cost.bytes);
		text_free(&cost);
	}
}

static void compare_frontiers(struct diffing *d, const struct frontier *a, const struct frontier *b)
{
	char one[64], other[64], ratio[RATIONAL_TEXT];

	compare_machines(d, a->topology, b->topology);
	compare_collectives(d, &a->collective, &b->collective);
	snprintf(one, sizeof one, "S >= %d, R/C >= %s", a->bound_steps, rational_text(a->bound_bandwidth, ratio));
	snprintf(other, sizeof other, "S >= %d, R/C >= %s", b->bound_steps, rational_text(b->bound_bandwidth, ratio));
	compare(d, "bounds", one, other);
	list_points(d, true, a, b);
	list_points(d, false, b, a);
	compare(d, "the search ended", frontier_end_names[a->ended], frontier_end_names[b->ended]);
	snprintf(one, sizeof one, "%zu", a->n_open);
	snprintf(other, sizeof other, "%zu", b->n_open);
	compare(d, "candidates left open", one, other);
}

/* ---- files ---- */

static bool is_frontier(const struct json_document *d)
{
	const char *format = json_string_value(json_object_get(d->root, "format"));
	return format && strcmp(format, "sccl-frontier") == 0;
}

static bool diff_frontiers(struct diffing *d, char **files, struct error *e)
{
	struct frontier *a = frontier_open(files[0], e), *b = a ? frontier_open(files[1], e) : NULL;

	if (b)
		compare_frontiers(d, a, b);
	frontier_free(a);
	frontier_free(b);
	return b != NULL;
}

/* From what was read, as a file may be a pipe. */
static bool diff_algorithms(struct diffing *d, struct json_document *const *read, struct error *e)
{
	struct algorithm *a = algorithm_read(read[0], e), *b = a && algorithm_expand(a, e) ? algorithm_read(read[1], e) : NULL;

	if (b && !algorithm_expand(b, e)) {
		algorithm_free(b);
		b = NULL;
	}
	if (b)
		compare_algorithms(d, a, b);
	algorithm_free(a);
	algorithm_free(b);
	return b != NULL;
}

static bool diff(struct diffing *d, char **files, struct error *e)
{
	struct json_document *read[2] = {json_document_open(files[0], e), NULL};
	bool ok = false;

	read[1] = read[0] ? json_document_open(files[1], e) : NULL;
	if (read[1]) {
		bool first = is_frontier(read[0]), second = is_frontier(read[1]);
		if (first != second)
			error_set(e, ERROR_INPUT, files[1], "is %s, but %.200s is not", second ? "a frontier" : "no frontier", files[0]);
		else
			ok = first ? diff_frontiers(d, files, e) : diff_algorithms(d, read, e);
	}
	json_document_close(read[0]);
	json_document_close(read[1]);
	return ok;
}

int cmd_diff(int argc, char **argv)
{
	struct error e = {0};
	struct diff_options o = {0};

	if (!options_read(argc, argv, &usage, &o, &e))
		return fail(&e);
	struct diffing d = {.json = o.json};
	if (!diff(&d, o.files.at, &e))
		return fail(&e);
	return d.n ? STATUS_NO : STATUS_DONE;
}
