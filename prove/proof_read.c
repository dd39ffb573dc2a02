/* Reads the structure of a proof from JSON. The contents are verified in check.c. */

#include "prove/proof.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"
#include "prove/cut.h"
#include "prove/program.h"
#include "prove/timed.h"

#include <stdlib.h>
#include <string.h>

static bool read_candidate(const struct json_place *at, struct candidate *out, struct error *e)
{
	int *const into[] = {&out->chunks, &out->steps, &out->rounds};
	size_t n;

	if (!json_array_length(at, &n, e))
		return false;
	if (n != 3)
		return json_fault(at, e, "must be [C, S, R]");
	for (size_t i = 0; i < n; i++) {
		struct json_place number = json_element(at, i);
		if (!json_get_int(&number, 1, CHUNKS_MAX, into[i], e))
			return false;
	}
	return true;
}

static bool read_candidate_of(const struct json_place *of, const char *key, struct candidate *out, struct error *e)
{
	struct json_place at;
	return json_member_needed(of, key, &at, e) && read_candidate(&at, out, e);
}

static bool read_word(const struct json_place *at, const char *const *words, int n, int *out, struct error *e)
{
	const char *word;

	if (!json_get_string(at, &word, e))
		return false;
	for (*out = 0; *out < n; ++*out)
		if (strcmp(word, words[*out]) == 0)
			return true;
	return json_fault(at, e, "\"%.64s\" is not a reason", word);
}

static bool read_refusal(const struct json_place *at, int nodes, bool composed, struct refusal *r, struct error *e)
{
	static const char *const plain[] = {"candidate", "by", NULL}, *const implied[] = {"candidate", "by", "from", NULL};
	static const char *const traced[] = {"candidate", "by", "formula", "order", "trace", NULL};
	struct json_place by;
	int word;
	bool has_recipe;

	if (!json_member_needed(at, "by", &by, e) || !read_word(&by, refused_by_names, BY_HALVES + 1, &word, e))
		return false;
	r->by = (enum refused_by)word;
	if (composed != (r->by == BY_HALVES))
		return json_fault(&by, e, composed ? "must be \"halves\" for a composition" : "is only for compositions");
	has_recipe = r->by == BY_TRACE || r->by == BY_SHARE;
	if (!json_object_with(at, has_recipe ? traced : r->by == BY_IMPLIED ? implied : plain, e) ||
	    !read_candidate_of(at, "candidate", &r->candidate, e))
		return false;
	if (r->by == BY_IMPLIED)
		return read_candidate_of(at, "from", &r->from, e);
	if (!has_recipe)
		return true;
	r->recipe = new(struct recipe);
	return recipe_read(at, nodes, r->recipe, e);
}

static bool read_refusals(const struct json_place *of, int nodes, bool composed, struct refusal **list, size_t *n,
			  size_t *capacity, struct error *e)
{
	struct json_place at;
	size_t length;

	if (!json_member_needed(of, "refuted", &at, e) || !json_array_length(&at, &length, e))
		return false;
	for (size_t i = 0; i < length; i++) {
		struct json_place one = json_element(&at, i);
		refusal_add(list, n, capacity, (struct refusal){.by = BY_STEPS});
		if (!read_refusal(&one, nodes, composed, &(*list)[i], e))
			return false;
	}
	return true;
}

static bool read_side(const struct json_place *at, int nodes, struct side *s, struct error *e)
{
	static const char *const keys[] = {"steps", "bandwidth", "in_steps", "programs", NULL};
	struct json_place bounds, steps, bandwidth;

	return json_member_needed(at, "bounds", &bounds, e) && json_object_with(&bounds, keys, e) &&
	       json_member_needed(&bounds, "steps", &steps, e) && json_get_int(&steps, 0, STEPS_MAX, &s->steps, e) &&
	       json_member_needed(&bounds, "bandwidth", &bandwidth, e) && cut_read(&bandwidth, nodes, &s->cut, e) &&
	       timed_read(&bounds, nodes, s, e) && step_programs_read(&bounds, nodes, s, e) &&
	       read_refusals(at, nodes, false, &s->refused, &s->n_refused, &s->capacity, e);
}

static bool read_halves(const struct json_place *of, struct proof *p, struct error *e)
{
	static const char *const keys[] = {"collective", "bounds", "refuted", NULL};
	struct json_place halves, name;
	const char *s;
	size_t n;

	if (!json_member_needed(of, "halves", &halves, e) || !json_array_length(&halves, &n, e))
		return false;
	if (n != SIDES_MAX - SCATTERS)
		return json_fault(&halves, e, "must be a reducescatter and an allgather");
	for (size_t i = 0; i < n; i++) {
		struct json_place half = json_element(&halves, i);
		struct side *side = &p->sides[SCATTERS + i];
		if (!json_object_with(&half, keys, e) || !json_member_needed(&half, "collective", &name, e) ||
		    !json_get_string(&name, &s, e))
			return false;
		if (strcmp(s, collective_name(&side->collective)) != 0)
			return json_fault(&name, e, "must be \"%s\"", collective_name(&side->collective));
		if (!read_side(&half, p->topology->nodes, side, e))
			return false;
	}
	return true;
}

static bool read_composition(const struct json_place *top, struct proof *p, struct error *e)
{
	static const char *const keys[] = {"halves", "refuted", NULL};
	struct json_place at = json_member(top, "composition");

	if (p->n_sides == 1)
		return !at.value || json_fault(&at, e, "is only for an allreduce");
	return json_member_needed(top, "composition", &at, e) && json_object_with(&at, keys, e) && read_halves(&at, p, e) &&
	       read_refusals(&at, p->topology->nodes, true, &p->refused, &p->n_refused, &p->capacity, e);
}

static bool read_point(const struct json_place *at, struct point *out, struct error *e)
{
	static const char *const keys[] = {"point", "by", NULL};
	struct json_place by;
	size_t n;

	if (!json_object_with(at, keys, e) || !read_candidate_of(at, "point", &out->candidate, e) ||
	    !json_member_needed(at, "by", &by, e) || !json_array_length(&by, &n, e))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct json_place word = json_element(&by, i);
		int bit;
		if (!read_word(&word, point_by_names, POINT_BY_KINDS, &bit, e))
			return false;
		out->by |= 1u << bit;
	}
	return true;
}

static bool read_points(const struct json_place *top, struct proof *p, struct error *e)
{
	struct json_place points;
	size_t n;

	if (!json_member_needed(top, "points", &points, e) || !json_array_length(&points, &n, e))
		return false;
	if (n && !p->frontier)
		return json_fault(&points, e, "belong to a frontier, but \"frontier\" names none");
	p->points = new_array(struct point, n);
	while (p->n_points < n) {
		struct json_place point = json_element(&points, p->n_points);
		if (!read_point(&point, &p->points[p->n_points++], e))
			return false;
	}
	return true;
}

static struct proof *read_subject(const struct json_place *top, struct error *e)
{
	struct json_place topology, collective;
	struct collective k = {0};
	struct proof *p = NULL;

	if (!json_member_needed(top, "topology", &topology, e) || !json_member_needed(top, "collective", &collective, e))
		return NULL;
	struct topology *t = topology_read(&topology, e);
	if (t && collective_read(&collective, t->nodes, 1, &k, e))
		p = proof_new(t, &k);
	collective_free(&k);
	topology_free(t);
	return p;
}

static bool read_rest(const struct json_place *top, struct proof *p, struct error *e)
{
	struct json_place frontier = json_member(top, "frontier"), formulas;
	const char *name;
	int version;

	if (frontier.value) {
		if (!json_get_string(&frontier, &name, e))
			return false;
		if (!file_is_beside(name))
			return json_fault(&frontier, e, "must be the name of a file in the same folder");
		p->frontier = copy_string(name);
	}
	if (!json_member_needed(top, "formulas", &formulas, e) || !json_get_int(&formulas, CNF_VERSION, CNF_VERSION, &version, e) ||
	    !read_points(top, p, e))
		return false;
	return read_side(top, p->topology->nodes, &p->sides[WHOLE], e) && read_composition(top, p, e);
}

struct proof *proof_read(const struct json_document *d, struct error *e)
{
	static const char *const keys[] = {"format", "version", "formulas", "frontier", "collective", "topology", "points",
					   "bounds", "refuted", "composition", NULL};
	struct json_place top = json_top(d);

	if (json_is_object(top.value) && !json_check_format(&top, "sccl-proof", e))
		return NULL;
	struct proof *p = json_object_with(&top, keys, e) ? read_subject(&top, e) : NULL;
	if (p && read_rest(&top, p, e))
		return p;
	proof_free(p);
	return NULL;
}

struct proof *proof_open(const char *path, struct error *e)
{
	struct json_document *d = json_document_open(path, e);
	struct proof *p = d ? proof_read(d, e) : NULL;
	json_document_close(d);
	return p;
}
