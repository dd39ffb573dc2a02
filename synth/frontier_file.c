/* A frontier as JSON: the file, the one line for a machine to read, and the judge of the file. */

#include "synth/frontier.h"

#include "core/error.h"
#include "core/file.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/text.h"
#include "core/topology.h"
#include "core/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static void add_candidate(struct text *into, struct candidate c)
{
	text_add(into, "[%d, %d, %d]", c.chunks, c.steps, c.rounds);
}

static void add_point(struct text *into, const struct algorithm *a, const char *file)
{
	char bandwidth[RATIONAL_TEXT];

	text_add(into, "{\"chunks\": %d, \"steps\": %zu, \"rounds\": %d, \"bandwidth\": \"%s\", \"class\": \"%s\", ",
		 a->chunks, a->n_steps, algorithm_rounds(a), rational_text(algorithm_bandwidth(a), bandwidth),
		 optimality_class_names[a->optimality.class]);
	if (a->optimality.proof == PROOF_NONE)
		text_add(into, "\"proof\": null");
	else
		text_add(into, "\"proof\": \"%s\"", optimality_proof_names[a->optimality.proof]);
	text_add(into, ", \"file\": ");
	if (file)
		text_add_json_string(into, file);
	else
		text_add(into, "null");
	text_add(into, "}");
}

static void add_list(struct text *into, const struct candidate *list, size_t n)
{
	text_add(into, "[");
	for (size_t i = 0; i < n; i++) {
		text_add(into, "%s", i ? ", " : "");
		add_candidate(into, list[i]);
	}
	text_add(into, "]");
}

void frontier_json(const struct frontier *f, struct text *into)
{
	char bound[RATIONAL_TEXT];

	text_add(into, "{\"topology\": ");
	text_add_json_string(into, f->topology->name);
	text_add(into, ", \"collective\": \"%s\", \"root\": ", collective_name(&f->collective));
	if (collective_row(&f->collective)->rooted)
		text_add(into, "%d", f->collective.root);
	else
		text_add(into, "null");
	text_add(into, ", \"k\": %d, \"bounds\": {\"steps\": %d, \"bandwidth\": \"%s\"}, \"ended\": \"%s\", \"points\": [", f->k,
		 f->bound_steps, rational_text(f->bound_bandwidth, bound), frontier_end_names[f->ended]);
	for (size_t i = 0; i < f->n_points; i++) {
		text_add(into, "%s", i ? ", " : "");
		add_point(into, f->points[i], f->files[i]);
	}
	text_add(into, "], \"refuted\": ");
	add_list(into, f->refuted, f->n_refuted);
	text_add(into, ", \"open\": ");
	add_list(into, f->open, f->n_open);
	text_add(into, "}\n");
}

/* One step count a line, so that a catalog diffs well. */
static void write_list(struct text *into, const char *key, const struct candidate *list, size_t n)
{
	text_add(into, "  \"%s\": [", key);
	for (size_t i = 0; i < n; i++) {
		bool new_line = i == 0 || list[i].steps != list[i - 1].steps;
		text_add(into, "%s%s", i ? "," : "", new_line ? "\n    " : " ");
		add_candidate(into, list[i]);
	}
	text_add(into, n ? "\n  ]" : "]");
}

void frontier_write(const struct frontier *f, struct text *into)
{
	char bound[RATIONAL_TEXT];

	text_add(into, "{\n  \"format\": \"sccl-frontier\",\n  \"version\": 1,\n  \"topology\": ");
	text_add_json_string(into, f->topology->name);
	text_add(into, ",\n  \"nodes\": %d,\n  \"collective\": ", f->topology->nodes);
	collective_write(&f->collective, into, 2);
	text_add(into, ",\n  \"within\": \"%s\",\n  \"k\": %d,\n  \"last_steps\": %d,\n",
		 optimality_within_names[f->collective.kind == ALLREDUCE ? WITHIN_COMPOSITION : WITHIN_ALL], f->k, f->last_steps);
	if (f->max_chunks)
		text_add(into, "  \"max_chunks\": %d,\n", f->max_chunks);
	text_add(into, "  \"bounds\": {\"steps\": %d, \"bandwidth\": \"%s\"},\n  \"ended\": \"%s\",\n  \"points\": [", f->bound_steps,
		 rational_text(f->bound_bandwidth, bound), frontier_end_names[f->ended]);
	for (size_t i = 0; i < f->n_points; i++) {
		text_add(into, "%s\n    ", i ? "," : "");
		add_point(into, f->points[i], f->files[i] ? base_name(f->files[i]) : NULL);
	}
	text_add(into, f->n_points ? "\n  ],\n" : "],\n");
	write_list(into, "refuted", f->refuted, f->n_refuted);
	text_add(into, ",\n");
	write_list(into, "open", f->open, f->n_open);
	text_add(into, "\n}\n");
}

/* A point's file is a base name: nothing in a frontier file leads elsewhere. */
static bool read_point_file(const struct json_place *at, const char *path, char **out, struct error *e)
{
	const char *name;
	if (!json_get_string(at, &name, e))
		return false;
	if (!*name || strchr(name, '/') || name[0] == '.')
		return json_fault(at, e, "must be the name of a file beside this one");
	struct text beside = {0};
	text_add(&beside, "%.*s%s", (int)(base_name(path) - path), path, name);
	*out = text_take(&beside);
	return true;
}

/* FILE's own claim, in the frontier's words; NULL stands for null. */
static bool same_word(const struct json_place *of, const char *key, const char *word, const char *file, struct error *e)
{
	struct json_place at;
	const char *said;

	if (!json_member_needed(of, key, &at, e))
		return false;
	if (!word && json_is_null(at.value))
		return true;
	if (!json_get_string(&at, &said, e))
		return false;
	return (word && strcmp(said, word) == 0) || json_fault(&at, e, "%s says otherwise: %s", base_name(file), word ? word : "null");
}

static bool same_claims(const struct json_place *at, const struct algorithm *a, const char *file, struct error *e)
{
	const struct optimality *o = &a->optimality;
	char bandwidth[RATIONAL_TEXT];

	return same_word(at, "bandwidth", rational_text(algorithm_bandwidth(a), bandwidth), file, e) &&
	       same_word(at, "class", optimality_class_names[o->class], file, e) &&
	       same_word(at, "proof", o->proof == PROOF_NONE ? NULL : optimality_proof_names[o->proof], file, e);
}

static bool read_point(const struct json_place *at, const char *path, struct frontier *f, struct error *e)
{
	static const char *const keys[] = {"chunks", "steps", "rounds", "bandwidth", "class", "proof", "file", NULL};
	struct json_place chunks, steps, rounds, file;
	struct candidate c;
	char *beside = NULL;

	if (!json_object_with(at, keys, e) || !json_member_needed(at, "chunks", &chunks, e) ||
	    !json_member_needed(at, "steps", &steps, e) || !json_member_needed(at, "rounds", &rounds, e) ||
	    !json_member_needed(at, "file", &file, e) || !json_get_int(&chunks, 1, CHUNKS_MAX, &c.chunks, e) ||
	    !json_get_int(&steps, 1, STEPS_MAX, &c.steps, e) || !json_get_int(&rounds, 1, ROUNDS_MAX, &c.rounds, e) ||
	    !read_point_file(&file, path, &beside, e))
		return false;
	struct algorithm *a = algorithm_open(beside, e);
	if (a && (a->chunks != c.chunks || (int)a->n_steps != c.steps || algorithm_rounds(a) != c.rounds))
		json_fault(at, e, "%s has another cost", base_name(beside));
	else if (a)
		same_claims(at, a, beside, e);
	if (a)
		frontier_add(f, a), f->files[f->n_points - 1] = beside;
	else
		free(beside);
	return e->kind == ERROR_NONE;
}

static bool read_lists(const struct json_place *top, const char *path, struct frontier *f, struct error *e)
{
	struct json_place points, refuted, open;
	size_t n;

	if (!json_member_needed(top, "points", &points, e) || !json_member_needed(top, "refuted", &refuted, e) ||
	    !json_member_needed(top, "open", &open, e) || !json_array_length(&points, &n, e))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct json_place point = json_element(&points, i);
		if (!read_point(&point, path, f, e))
			return false;
	}
	return candidates_read(&refuted, &f->refuted, &f->n_refuted, e) && candidates_read(&open, &f->open, &f->n_open, e);
}

static bool read_bounds(const struct json_place *top, struct frontier *f, struct error *e)
{
	static const char *const keys[] = {"steps", "bandwidth", NULL};
	struct json_place bounds, steps, bandwidth;

	if (!json_member_needed(top, "bounds", &bounds, e) || !json_object_with(&bounds, keys, e) ||
	    !json_member_needed(&bounds, "steps", &steps, e) || !json_member_needed(&bounds, "bandwidth", &bandwidth, e) ||
	    !json_get_int(&steps, 0, STEPS_MAX, &f->bound_steps, e) ||
	    !json_get_rational(&bandwidth, &f->bound_bandwidth, e))
		return false;
	if (f->bound_bandwidth.num < 0 || f->bound_bandwidth.num > INT32_MAX || f->bound_bandwidth.den > INT32_MAX)
		return json_fault(&bandwidth, e, "must be a ratio of numbers from 0 to %d", INT32_MAX);
	return true;
}

static bool same_machine(const struct json_place *top, int nodes, const struct frontier *f, struct error *e)
{
	const struct topology *first = f->n_points ? f->points[0]->topology : NULL;
	struct text machine = {0};
	bool ok = true;

	if (first)
		topology_write(first, &machine, 0);
	for (size_t i = 0; i < f->n_points && ok; i++) {
		const struct topology *t = f->points[i]->topology;
		struct text other = {0};
		topology_write(t, &other, 0);
		ok = same_word(top, "topology", t->name, f->files[i], e) &&
		     ((t->nodes == nodes && strcmp(machine.bytes, other.bytes) == 0) ||
		      json_fault(top, e, "%s is for another machine", base_name(f->files[i])));
		text_free(&other);
	}
	text_free(&machine);
	return ok;
}

static bool read_end(const struct json_place *top, struct frontier *f, struct error *e)
{
	struct json_place at;
	const char *said;
	const char *within = optimality_within_names[f->collective.kind == ALLREDUCE ? WITHIN_COMPOSITION : WITHIN_ALL];

	if (!json_member_needed(top, "within", &at, e) || !json_get_string(&at, &said, e))
		return false;
	if (strcmp(said, within) != 0)
		return json_fault(&at, e, "must be \"%s\"", within);
	if (!json_member_needed(top, "ended", &at, e) || !json_get_string(&at, &said, e))
		return false;
	f->ended = f->n_open ? ENDED_LIMIT : frontier_at_bound(f) ? ENDED_BOUND : ENDED_STEPS;
	return strcmp(said, frontier_end_names[f->ended]) == 0 ||
	       json_fault(&at, e, "must be \"%s\", by its points and what is open", frontier_end_names[f->ended]);
}

static bool read_frontier(const struct json_place *top, const char *path, struct frontier *f, struct error *e)
{
	static const char *const keys[] = {"format", "version", "topology", "nodes", "collective", "within", "k", "last_steps",
					   "max_chunks", "bounds", "ended", "points", "refuted", "open", NULL};
	struct json_place nodes, collective, k, last, max = json_member(top, "max_chunks");
	int n_nodes;

	if (!json_object_with(top, keys, e) || !json_check_format(top, "sccl-frontier", e) ||
	    !json_member_needed(top, "nodes", &nodes, e) || !json_get_int(&nodes, 1, NODES_MAX, &n_nodes, e) ||
	    !json_member_needed(top, "collective", &collective, e) || !collective_read(&collective, n_nodes, 1, &f->collective, e) ||
	    !json_member_needed(top, "k", &k, e) || !json_get_int(&k, 0, CLASS_K_MAX, &f->k, e) ||
	    !json_member_needed(top, "last_steps", &last, e) || !json_get_int(&last, 0, STEPS_MAX, &f->last_steps, e) ||
	    (max.value && !json_get_int(&max, 1, CHUNKS_MAX, &f->max_chunks, e)) || !read_bounds(top, f, e))
		return false;
	if (f->last_steps > f->bound_steps + CLASS_K_MAX)
		return json_fault(&last, e, "must be at most %d above the step bound", CLASS_K_MAX);
	f->unit = collective_unit(&f->collective, n_nodes);
	return read_lists(top, path, f, e) && same_machine(top, n_nodes, f, e) && read_end(top, f, e);
}

static bool same_candidates(const struct candidate *a, size_t n_a, const struct candidate *b, size_t n_b)
{
	return n_a == n_b && (n_a == 0 || memcmp(a, b, n_a * sizeof *a) == 0);
}

struct claims {
	const struct candidate *open;
	size_t n_open;
};

static bool is_not_open(const void *context, struct candidate c)
{
	const struct claims *claims = context;
	for (size_t i = 0; i < claims->n_open; i++)
		if (memcmp(&claims->open[i], &c, sizeof c) == 0)
			return false;
	return true;
}

/* What the file lists must be exactly what the class holds: the lists are made anew from the points. */
static bool judge_lists(struct frontier *f, char *why, size_t size)
{
	struct candidate *refuted = f->refuted, *open = f->open;
	size_t n_refuted = f->n_refuted, n_open = f->n_open;
	struct claims claims = {open, n_open};

	f->refuted = f->open = NULL;
	f->n_refuted = f->n_open = 0;
	bool ok = frontier_class_size(f, f->last_steps) == n_refuted + n_open;
	if (ok)
		frontier_settle(f, f->last_steps, is_not_open, &claims);
	ok = ok && same_candidates(refuted, n_refuted, f->refuted, f->n_refuted) &&
		  same_candidates(open, n_open, f->open, f->n_open);
	free(refuted);
	free(open);
	if (!ok)
		snprintf(why, size, "refuted and open are not all candidates of the class that would beat the points");
	return ok;
}

static bool judge_points(const struct frontier *f, char *why, size_t size)
{
	for (size_t i = 0; i < f->n_points; i++) {
		const struct algorithm *a = f->points[i];
		struct verdict v = algorithm_verify(a);
		if (v.fault != FAULT_NONE) {
			snprintf(why, size, "%s: %.200s", base_name(f->files[i]), v.why);
			return false;
		}
		if (a->collective.kind != f->collective.kind || a->collective.root != f->collective.root ||
		    !a->has_bounds || a->bound_steps != f->bound_steps ||
		    rational_compare(a->bound_bandwidth, f->bound_bandwidth) != 0) {
			snprintf(why, size, "%s is of another collective or has other bounds", base_name(f->files[i]));
			return false;
		}
		if (i && (a->n_steps <= f->points[i - 1]->n_steps ||
			  rational_compare(algorithm_bandwidth(a), algorithm_bandwidth(f->points[i - 1])) >= 0)) {
			snprintf(why, size, "%s does not improve on the point before it", base_name(f->files[i]));
			return false;
		}
	}
	return true;
}

/* A point is exhausted only where nothing that would beat it is open. */
static bool judge_exhausted(const struct frontier *f, char *why, size_t size)
{
	for (size_t i = 0; i < f->n_points; i++)
		for (size_t j = 0; j < f->n_open && f->points[i]->optimality.proof == PROOF_EXHAUSTED; j++)
			if (f->open[j].steps <= (int)f->points[i]->n_steps &&
			    rational_compare(candidate_bandwidth(f->open[j]), algorithm_bandwidth(f->points[i])) <= 0) {
				snprintf(why, size, "%s is said to be exhausted, and (%d,%d,%d) is open", base_name(f->files[i]),
					 f->open[j].chunks, f->open[j].steps, f->open[j].rounds);
				return false;
			}
	return true;
}

bool frontier_verify(const char *path, char *why, size_t size, struct error *e)
{
	struct json_document *d = json_document_open(path, e);
	if (!d)
		return false;

	struct frontier *f = new(struct frontier);
	struct json_place top = json_top(d);
	why[0] = '\0';
	bool ok = read_frontier(&top, path, f, e) && judge_points(f, why, size) && judge_exhausted(f, why, size) &&
		  judge_lists(f, why, size);
	json_document_close(d);
	frontier_free(f);
	return ok;
}
