/*
 * Reads a frontier file together with the algorithms of its points, and compares what both state about them. Whether it
 * is true is decided by frontier_judge.
 */

#include "synth/frontier/frontier_parts.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A point's file is a base name: a frontier file cannot refer to another folder. */
static bool read_point_file(const struct json_place *at, const char *path, char **out, struct error *e)
{
	const char *name;
	if (!json_get_string(at, &name, e))
		return false;
	if (!file_is_beside(name))
		return json_fault(at, e, "must be the name of a file in the same folder");
	struct text beside = {0};
	text_add(&beside, "%.*s%s", (int)(base_name(path) - path), path, name);
	*out = text_take(&beside);
	return true;
}

/* Does the frontier state the same WORD as the algorithm's own FILE? NULL stands for null. */
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
	return (word && strcmp(said, word) == 0) || json_fault(&at, e, "contradicts %s, which has %s", base_name(file), word ? word : "null");
}

/* An algorithm that claims nothing does not state its class: the frontier tells which class the point came from. */
static void take_class(const struct json_place *at, const struct frontier *f, struct algorithm *a)
{
	struct json_place within = json_member(at, "within");
	const char *said = json_string_value(within.value);

	if (f->within == WITHIN_ONE_VALUE && a->optimality.proof == PROOF_NONE && said &&
	    strcmp(said, optimality_within_names[WITHIN_COMPOSITION]) == 0)
		a->optimality.within = WITHIN_COMPOSITION;
}

static bool same_claims(const struct json_place *at, const struct frontier *f, const struct algorithm *a, const char *file,
			struct error *e)
{
	const struct optimality *o = &a->optimality;
	char bandwidth[RATIONAL_TEXT];

	if (f->within != WITHIN_ONE_VALUE && json_member(at, "within").value)
		return json_fault(at, e, "\"within\" is only for the points of an allreduce that was searched for directly");
	return (f->within != WITHIN_ONE_VALUE || same_word(at, "within", optimality_within_names[o->within], file, e)) &&
	       same_word(at, "bandwidth", rational_text(algorithm_bandwidth(a), bandwidth), file, e) &&
	       same_word(at, "class", optimality_class_names[o->class], file, e) &&
	       same_word(at, "proof", o->proof == PROOF_NONE ? NULL : optimality_proof_names[o->proof], file, e);
}

static bool read_point(const struct json_place *at, const char *path, struct frontier *f, struct error *e)
{
	static const char *const keys[] = {"chunks", "steps", "rounds", "bandwidth", "class", "proof", "within", "value", "at_least", "file", NULL};
	struct json_place chunks, steps, rounds, file;
	struct candidate c;
	char *beside = NULL;

	if (!json_object_with(at, keys, e) || !json_member_needed(at, "chunks", &chunks, e) ||
	    !json_member_needed(at, "steps", &steps, e) || !json_member_needed(at, "rounds", &rounds, e) ||
	    !json_member_needed(at, "file", &file, e) || !json_get_int(&chunks, 1, CHUNKS_MAX, &c.chunks, e) ||
	    !json_get_int(&steps, 1, STEPS_MAX, &c.steps, e) || !json_get_int(&rounds, 1, ROUNDS_MAX, &c.rounds, e) ||
	    !read_point_file(&file, path, &beside, e))
		return false;
	struct algorithm *a = algorithm_open_compact(beside, e);
	if (a && (a->chunks != c.chunks || (int)a->n_steps != c.steps || algorithm_rounds(a) != c.rounds))
		json_fault(at, e, "%s has a different cost", base_name(beside));
	else if (a) {
		take_class(at, f, a);
		same_claims(at, f, a, beside, e);
	}
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

/* The class that was searched: for an allreduce one of two, of which the wider may contain the other. */
static bool read_within(const struct json_place *top, struct frontier *f, struct error *e)
{
	struct json_place at, composed = json_member(top, "composition");
	const char *said;

	if (!json_member_needed(top, "within", &at, e) || !json_get_string(&at, &said, e))
		return false;
	f->within = f->collective.kind == SCAN ? WITHIN_ONE_VALUE
		    : f->collective.kind != ALLREDUCE ? WITHIN_ALL
		    : strcmp(said, optimality_within_names[WITHIN_ONE_VALUE]) == 0 ? WITHIN_ONE_VALUE
										  : WITHIN_COMPOSITION;
	if (strcmp(said, optimality_within_names[f->within]) != 0)
		return json_fault(&at, e, "must be \"%s\"%s", optimality_within_names[f->within],
				  f->collective.kind == ALLREDUCE ? " or \"one-value\"" : "");
	return !composed.value || (f->collective.kind == ALLREDUCE && f->within == WITHIN_ONE_VALUE) ||
	       json_fault(&composed, e, "is only for an allreduce that was also searched for directly");
}

static bool read_end(const struct json_place *top, struct frontier *f, struct error *e)
{
	struct json_place at;
	const char *said;

	if (!json_member_needed(top, "ended", &at, e) || !json_get_string(&at, &said, e))
		return false;
	f->ended = f->n_open ? ENDED_LIMIT : frontier_at_bound(f) ? ENDED_BOUND : ENDED_STEPS;
	if (f->k == WITHOUT_K && f->ended == ENDED_STEPS && strcmp(said, frontier_end_names[ENDED_TIME]) == 0)
		f->ended = ENDED_TIME;
	return strcmp(said, frontier_end_names[f->ended]) == 0 ||
	       json_fault(&at, e, "must be \"%s\", as its points and open candidates imply", frontier_end_names[f->ended]);
}

static bool read_k(const struct json_place *at, int *k, struct error *e)
{
	if (!json_is_null(at->value))
		return json_get_int(at, 0, CLASS_K_MAX, k, e);
	*k = WITHOUT_K;
	return true;
}

/* "value" or "at_least" of OF, one of them; *FOUND is its place. */
static bool read_value(const struct json_place *of, struct rational *out, bool *attained, struct json_place *found, struct error *e)
{
	struct json_place value = json_member(of, "value"), at_least = json_member(of, "at_least");

	if (!value.value == !at_least.value)
		return json_fault(of, e, "must have either \"value\" or \"at_least\"");
	*attained = value.value != NULL;
	*found = *attained ? value : at_least;
	if (!json_get_rational(found, out, e))
		return false;
	return out->num >= 0 || json_fault(found, e, "must not be negative");
}

/* "within" of a value: patterns show it. */
static bool read_patterns(const struct json_place *at, const struct frontier *f, struct step_value *v, struct error *e)
{
	const char *said;

	v->patterns = at->value != NULL;
	if (!v->patterns)
		return true;
	if (!json_get_string(at, &said, e))
		return false;
	return (f->collective.kind == ALLREDUCE && f->within == WITHIN_ONE_VALUE && v->root < 0 &&
		strcmp(said, optimality_within_names[WITHIN_ONE_VALUE]) == 0) ||
	       json_fault(at, e, "must be \"one-value\", of an allreduce that was searched for directly, without a root");
}

static bool read_step_value(const struct json_place *at, int nodes, struct frontier *f, int steps, struct error *e)
{
	static const char *const keys[] = {"steps", "value", "at_least", "root", "within", NULL};
	struct json_place count, ratio, root = json_member(at, "root"), within = json_member(at, "within");
	struct step_value v = {.root = -1};

	if (!json_object_with(at, keys, e) || !json_member_needed(at, "steps", &count, e) ||
	    !json_get_int(&count, steps, steps, &v.steps, e) || !read_value(at, &v.at_least, &v.attained, &ratio, e) ||
	    (root.value && !json_get_int(&root, 0, nodes - 1, &v.root, e)))
		return false;
	if (root.value && (f->collective.kind != ALLREDUCE || f->within != WITHIN_ONE_VALUE))
		return json_fault(&root, e, "is only for an allreduce that was searched for directly");
	if (!read_patterns(&within, f, &v, e))
		return false;
	if (f->values.n && rational_compare(f->values.of[f->values.n - 1].at_least, v.at_least) < 0)
		return json_fault(&ratio, e, "must not be above that of fewer steps");
	step_values_add(&f->values, v);
	return true;
}

/* A point repeats the value of its step count. */
static bool same_values(const struct json_place *top, struct frontier *f, struct error *e)
{
	struct json_place points = json_member(top, "points"), ratio;
	struct rational said;
	bool attained;

	for (size_t i = 0; i < f->n_points; i++) {
		const struct step_value *v = frontier_value_of(f, f->points[i]);
		struct json_place point = json_element(&points, i);
		if (!v && (json_member(&point, "value").value || json_member(&point, "at_least").value))
			return json_fault(&point, e, "has a value, but its number of steps has none");
		if (!v)
			continue;
		if (!read_value(&point, &said, &attained, &ratio, e))
			return false;
		if (attained != v->attained || rational_compare(said, v->at_least) != 0)
			return json_fault(&ratio, e, "contradicts the value of %zu steps", f->points[i]->n_steps);
	}
	return true;
}

/* Without k: a value for each number of steps that was searched. With one: none. */
static bool read_values(const struct json_place *top, int nodes, struct frontier *f, struct error *e)
{
	struct json_place values = json_member(top, "values");
	size_t n = 0;

	if (f->k != WITHOUT_K)
		return !values.value || json_fault(&values, e, "are only for a frontier whose \"k\" is null");
	if (f->n_refuted || f->n_open)
		return json_fault(top, e, "lists candidates, but its \"k\" is null");
	if (!json_member_needed(top, "values", &values, e) || !json_array_length(&values, &n, e))
		return false;
	int first = frontier_first_steps(f);
	if (n != (size_t)(f->last_steps >= first ? f->last_steps - first + 1 : 0))
		return json_fault(&values, e, "must be those of all steps from the bound to \"last_steps\"");
	for (size_t i = 0; i < n; i++) {
		struct json_place one = json_element(&values, i);
		if (!read_step_value(&one, nodes, f, first + (int)i, e))
			return false;
	}
	return true;
}

/* The members of one class; the collective and the class are known. */
static bool read_class(const struct json_place *top, const char *path, int nodes, struct frontier *f, struct error *e)
{
	struct json_place k, last, max = json_member(top, "max_chunks");

	if (!json_member_needed(top, "k", &k, e) || !read_k(&k, &f->k, e) ||
	    !json_member_needed(top, "last_steps", &last, e) || !json_get_int(&last, 0, STEPS_MAX, &f->last_steps, e) ||
	    (max.value && !json_get_int(&max, 1, CHUNKS_MAX, &f->max_chunks, e)) || !read_bounds(top, f, e))
		return false;
	if (f->last_steps > f->bound_steps + CLASS_K_MAX || f->last_steps < f->bound_steps - 1)
		return json_fault(&last, e, "must be from 1 below to %d above the step bound", CLASS_K_MAX);
	f->unit = f->within == WITHIN_ONE_VALUE ? 1 : collective_unit(&f->collective, nodes);
	return read_lists(top, path, f, e) && read_values(top, nodes, f, e) && read_end(top, f, e);
}

static bool read_composed(const struct json_place *top, const char *path, int nodes, struct frontier *f, struct error *e)
{
	static const char *const keys[] = {"k", "last_steps", "max_chunks", "bounds", "ended", "points", "values", "refuted", "open", NULL};
	struct json_place composed = json_member(top, "composition");

	if (!composed.value)
		return true;
	f->composed = new(struct frontier);
	f->composed->collective = collective_copy(&f->collective);
	f->composed->within = WITHIN_COMPOSITION;
	return json_object_with(&composed, keys, e) && read_class(&composed, path, nodes, f->composed, e) &&
	       same_values(&composed, f->composed, e);
}

/* The machine in full, or by name: then it is taken from the points' files, or looked up if there are no points. */
static struct topology *machine_of(const struct json_place *at, const struct frontier *f, struct error *e)
{
	const struct frontier *with = f->n_points || !f->composed ? f : f->composed;
	const char *name;

	if (json_is_object(at->value))
		return topology_read(at, e);
	if (!json_get_string(at, &name, e))
		return NULL;
	struct topology *t = with->n_points ? topology_copy(with->points[0]->topology) : topology_open_named(name, e);
	if (t && strcmp(t->name, name) != 0)
		json_fault(at, e, "the machine is called \"%.64s\"", t->name);
	else if (!t || !with->n_points || !topology_has_anothers_name(t))
		return t;
	else
		json_fault(at, e, "the points are for another machine than the one of this name");
	topology_free(t);
	return NULL;
}

static bool read_machine(const struct json_place *top, int nodes, struct frontier *f, struct error *e)
{
	struct json_place at, count = json_member(top, "nodes");

	if (!json_member_needed(top, "topology", &at, e) || !(f->topology = machine_of(&at, f, e)))
		return false;
	if (f->topology->nodes != nodes)
		return json_fault(&count, e, "the machine has %d nodes", f->topology->nodes);
	if (f->composed)
		f->composed->topology = topology_copy(f->topology);
	return true;
}

static bool read_frontier(const struct json_place *top, const char *path, struct frontier *f, struct error *e)
{
	static const char *const keys[] = {"format", "version", "topology", "nodes", "collective", "within", "pipeline", "extra_memory", "k", "last_steps",
					   "max_chunks", "bounds", "ended", "points", "values", "refuted", "open", "composition", NULL};
	struct json_place nodes, collective;
	int n_nodes;

	/* The format first, so that an algorithm given in place of a frontier is reported as such. */
	return (!json_is_object(top->value) || json_check_format(top, "sccl-frontier", e)) && json_object_with(top, keys, e) &&
	       json_member_needed(top, "nodes", &nodes, e) && json_get_int(&nodes, 1, NODES_MAX, &n_nodes, e) &&
	       json_member_needed(top, "collective", &collective, e) &&
	       collective_read(&collective, n_nodes, 1, &f->collective, e) && read_within(top, f, e) &&
	       constraints_read(top, &f->collective, &f->constraints, e) && read_class(top, path, n_nodes, f, e) &&
	       read_composed(top, path, n_nodes, f, e) && same_values(top, f, e) && read_machine(top, n_nodes, f, e);
}

struct frontier *frontier_open(const char *path, struct error *e)
{
	struct json_document *d = json_document_open(path, e);
	if (!d)
		return NULL;

	struct frontier *f = new(struct frontier);
	struct json_place top = json_top(d);
	if (!read_frontier(&top, path, f, e)) {
		frontier_free(f);
		f = NULL;
	}
	json_document_close(d);
	return f;
}
