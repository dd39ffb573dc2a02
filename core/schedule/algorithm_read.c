/* Reads an algorithm from JSON. Checks that it is well-formed; what it does is for core/verify/verify.h to check. */

#include "core/schedule/algorithm.h"

#include "core/schedule/algorithm_parts.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/machine/prices.h"
#include "core/schedule/symmetry.h"
#include "core/base/text.h"
#include "core/machine/topology.h"

#include <stdlib.h>
#include <string.h>

static bool read_send(const struct json_place *at, const struct algorithm *a, struct send *out, struct error *e)
{
	size_t n;

	if (!json_array_length(at, &n, e))
		return false;
	if (n != 3)
		return json_fault(at, e, "must be [chunk, src, dst]");
	struct json_place chunk = json_element(at, 0), src = json_element(at, 1), dst = json_element(at, 2);
	int last = a->topology->nodes - 1;
	return json_get_int(&chunk, 0, a->global_chunks - 1, &out->chunk, e) && json_get_int(&src, 0, last, &out->src, e) &&
	       json_get_int(&dst, 0, last, &out->dst, e);
}

static bool read_sends(const struct json_place *at, const struct algorithm *a, struct send **list, size_t *n,
		       struct error *e)
{
	if (!json_array_length(at, n, e))
		return false;
	*list = new_array(struct send, *n);
	for (size_t i = 0; i < *n; i++) {
		struct json_place send = json_element(at, i);
		if (!read_send(&send, a, &(*list)[i], e))
			return false;
	}
	return true;
}

static bool read_step(const struct json_place *at, const struct algorithm *a, struct step *s, struct error *e)
{
	static const char *const keys[] = {"rounds", "sends", "reduces", NULL};
	struct json_place rounds, sends, reduces = json_member(at, "reduces");

	if (!json_object_with(at, keys, e) || !json_member_needed(at, "rounds", &rounds, e) ||
	    !json_get_int(&rounds, 1, ROUNDS_MAX, &s->rounds, e) || !json_member_needed(at, "sends", &sends, e) ||
	    !read_sends(&sends, a, &s->sends, &s->n_sends, e) ||
	    (reduces.value && !read_sends(&reduces, a, &s->reduces, &s->n_reduces, e)))
		return false;
	step_sort(s);
	return true;
}

static bool read_steps(const struct json_place *top, struct algorithm *a, struct error *e)
{
	struct json_place steps;
	size_t n;
	int64_t rounds = 0;

	if (!json_member_needed(top, "steps", &steps, e) || !json_array_length(&steps, &n, e))
		return false;
	if (n < 1 || n > STEPS_MAX)
		return json_fault(&steps, e, "must have from 1 to %d steps, not %zu", STEPS_MAX, n);
	a->n_steps = n;
	a->steps = new_array(struct step, n);
	for (size_t i = 0; i < n; i++) {
		struct json_place step = json_element(&steps, i);
		if (!read_step(&step, a, &a->steps[i], e))
			return false;
		rounds += a->steps[i].rounds;
		if (rounds > ROUNDS_MAX)
			return json_fault(&step, e, "makes more than %d rounds in total", ROUNDS_MAX);
	}
	return true;
}

static bool read_cost(const struct json_place *top, const struct algorithm *a, struct error *e)
{
	static const char *const keys[] = {"steps", "rounds", "bandwidth", NULL};
	struct json_place cost, steps, rounds, bandwidth;
	int s, r;
	struct rational ratio;
	char right[RATIONAL_TEXT];

	if (!json_member_needed(top, "cost", &cost, e) || !json_object_with(&cost, keys, e) ||
	    !json_member_needed(&cost, "steps", &steps, e) || !json_get_int(&steps, 1, STEPS_MAX, &s, e) ||
	    !json_member_needed(&cost, "rounds", &rounds, e) || !json_get_int(&rounds, 1, ROUNDS_MAX, &r, e) ||
	    !json_member_needed(&cost, "bandwidth", &bandwidth, e) || !json_get_rational(&bandwidth, &ratio, e))
		return false;
	if (s != (int)a->n_steps)
		return json_fault(&steps, e, "is %d, but the schedule has %zu step%s", s, a->n_steps, plural((int64_t)a->n_steps));
	if (r != algorithm_rounds(a))
		return json_fault(&rounds, e, "is %d, but the schedule has %d round%s", r, algorithm_rounds(a), plural(algorithm_rounds(a)));
	return rational_compare(ratio, algorithm_bandwidth(a)) == 0 ||
	       json_fault(&bandwidth, e, "must be R/C = %s", rational_text(algorithm_bandwidth(a), right));
}

static bool read_bounds(const struct json_place *top, struct algorithm *a, struct error *e)
{
	static const char *const keys[] = {"steps", "bandwidth", "prices", "limit_prices", NULL};
	struct json_place bounds = json_member(top, "bounds"), steps, bandwidth;

	if (!bounds.value)
		return true;
	a->has_bounds = true;
	return json_object_with(&bounds, keys, e) && json_member_needed(&bounds, "steps", &steps, e) &&
	       json_member_needed(&bounds, "bandwidth", &bandwidth, e) &&
	       json_get_int(&steps, 0, STEPS_MAX, &a->bound_steps, e) &&
	       json_get_rational(&bandwidth, &a->bound_bandwidth, e) &&
	       prices_read(&bounds, a->topology->nodes, &a->bound_prices, &a->n_bound_prices, e) &&
	       (a->n_bound_prices == 0 || collective_takes_prices(&a->collective) ||
		json_fault(&bounds, e, "prices prove no bound for %s", collective_called(&a->collective)));
}

static bool read_word(const struct json_place *at, const char *key, const char *const *words, int n, int *out,
		      struct error *e)
{
	struct json_place member = json_member(at, key);
	const char *word;

	if (!member.value)
		return true;
	if (!json_get_string(&member, &word, e))
		return false;
	for (*out = 0; *out < n; ++*out)
		if (strcmp(words[*out], word) == 0)
			return true;
	return json_fault(&member, e, "there is no %s \"%.64s\"", key, word);
}

bool candidates_read(const struct json_place *at, struct candidate **list, size_t *n, struct error *e)
{
	size_t three;

	if (!json_array_length(at, n, e))
		return false;
	*list = new_array(struct candidate, *n);
	for (size_t i = 0; i < *n; i++) {
		struct json_place triple = json_element(at, i);
		int *const into[] = {&(*list)[i].chunks, &(*list)[i].steps, &(*list)[i].rounds};
		if (!json_array_length(&triple, &three, e))
			return false;
		if (three != 3)
			return json_fault(&triple, e, "must be [C, S, R]");
		for (size_t j = 0; j < three; j++) {
			struct json_place number = json_element(&triple, j);
			if (!json_get_int(&number, 1, CHUNKS_MAX, into[j], e))
				return false;
		}
	}
	return true;
}

static bool read_optimality(const struct json_place *top, struct algorithm *a, struct error *e)
{
	static const char *const keys[] = {"class", "proof", "within", "class_k", "refuted", NULL};
	struct json_place at = json_member(top, "optimality"), class, k, refuted;
	struct optimality *o = &a->optimality;
	int words[3] = {CLASS_NONE, PROOF_NONE, WITHIN_ALL};

	if (!at.value)
		return true;
	if (!json_object_with(&at, keys, e) || !json_member_needed(&at, "class", &class, e) ||
	    !read_word(&at, "class", optimality_class_names, 5, &words[0], e) ||
	    !read_word(&at, "proof", optimality_proof_names, PROOFS, &words[1], e) ||
	    !read_word(&at, "within", optimality_within_names, 3, &words[2], e))
		return false;
	o->class = (enum optimality_class)words[0];
	o->proof = (enum optimality_proof)words[1];
	o->within = (enum optimality_within)words[2];
	k = json_member(&at, "class_k");
	refuted = json_member(&at, "refuted");
	if (o->class == CLASS_NONE ? json_member(&at, "proof").value != NULL : o->proof == PROOF_NONE)
		return json_fault(&at, e, "a class other than \"none\" needs a proof, \"bound\", \"exhausted\" or \"program\", and \"none\" takes none");
	if (o->proof != PROOF_EXHAUSTED)
		return (!k.value && !refuted.value) ||
		       json_fault(k.value ? &k : &refuted, e, "is only for the proof \"exhausted\"");
	return json_member_needed(&at, "class_k", &k, e) && json_get_int(&k, 0, ROUNDS_MAX, &o->class_k, e) &&
	       json_member_needed(&at, "refuted", &refuted, e) && candidates_read(&refuted, &o->refuted, &o->n_refuted, e);
}

static bool read_made_by(const struct json_place *top, struct algorithm *a, struct error *e)
{
	static const char *const keys[] = {"method", "version", NULL};
	struct json_place at = json_member(top, "made_by"), method, version;
	const char *m, *v;

	if (!at.value)
		return true;
	if (!json_object_with(&at, keys, e) || !json_member_needed(&at, "method", &method, e) ||
	    !json_member_needed(&at, "version", &version, e) || !json_get_string(&method, &m, e) ||
	    !json_get_string(&version, &v, e))
		return false;
	a->method = copy_string(m);
	a->version = copy_string(v);
	return true;
}

/* What the schedule is for: topology, collective and chunks. */
static bool read_subject(const struct json_place *top, struct algorithm *a, struct error *e)
{
	struct json_place name, topology, collective, chunks, global_chunks;
	const char *s;
	int g;

	if (!json_member_needed(top, "name", &name, e) || !json_get_string(&name, &s, e) ||
	    !json_member_needed(top, "collective", &collective, e) || !json_member_needed(top, "chunks", &chunks, e) ||
	    !json_get_int(&chunks, 1, CHUNKS_MAX, &a->chunks, e) ||
	    !json_member_needed(top, "global_chunks", &global_chunks, e) ||
	    !json_get_int(&global_chunks, 1, CHUNKS_MAX, &g, e) || !json_member_needed(top, "topology", &topology, e))
		return false;
	a->name = copy_string(s);
	a->topology = topology_read(&topology, e);
	if (!a->topology || !collective_read(&collective, a->topology->nodes, a->chunks, &a->collective, e))
		return false;
	struct error fault = {0};
	if (!collective_check(&a->collective, a->topology->nodes, a->chunks, &fault))
		return json_fault(&chunks, e, "%s", fault.what);
	a->global_chunks = collective_global_chunks(&a->collective, a->topology->nodes, a->chunks);
	return g == a->global_chunks ||
	       json_fault(&global_chunks, e, "is %d, but C = %d of %s on %d node%s makes %d", g, a->chunks, collective_name(&a->collective),
			  a->topology->nodes, plural(a->topology->nodes), a->global_chunks);
}

bool constraints_read(const struct json_place *top, const struct collective *k, struct schedule_constraints *out, struct error *e)
{
	struct json_place pipeline = json_member(top, "pipeline"), memory = json_member(top, "extra_memory");
	struct error fault = {0};

	if (pipeline.value && !json_get_int(&pipeline, 1, STEPS_MAX, &out->pipeline, e))
		return false;
	out->is_short = memory.value != NULL;
	if (memory.value && !json_get_int(&memory, 0, CHUNKS_MAX, &out->extra_memory, e))
		return false;
	return constraints_check(out, k, &fault) || json_fault(&memory, e, "%s", fault.what);
}

static bool read_constraints(const struct json_place *top, struct algorithm *a, struct error *e)
{
	struct json_place symmetry = json_member(top, "symmetry");

	if (!constraints_read(top, &a->collective, &a->constraints, e))
		return false;
	return !symmetry.value || !constraints_any(&a->constraints) ||
	       json_fault(&symmetry, e, "is not allowed in an algorithm with \"%s\"", a->constraints.pipeline ? "pipeline" : "extra_memory");
}

static bool read_all(const struct json_place *top, struct algorithm *a, struct error *e)
{
	static const char *const keys[] = {"format", "version", "name", "collective", "chunks", "global_chunks", "pipeline",
					   "extra_memory", "symmetry", "topology", "steps", "cost", "bounds", "optimality", "made_by", NULL};
	struct json_place symmetry = json_member(top, "symmetry");

	/* The format first, so that a file of another format, such as a frontier, gives a clear error. */
	if (json_is_object(top->value) && !json_check_format(top, "sccl-algorithm", e))
		return false;
	return json_object_with(top, keys, e) && read_subject(top, a, e) && read_constraints(top, a, e) &&
	       read_steps(top, a, e) && read_cost(top, a, e) && (!symmetry.value || symmetry_read(&symmetry, &a->collective, a->topology->nodes, a->global_chunks, &a->symmetry, e)) &&
	       read_bounds(top, a, e) && read_optimality(top, a, e) && read_made_by(top, a, e);
}

struct algorithm *algorithm_read(const struct json_document *d, struct error *e)
{
	struct json_place top = json_top(d);
	struct algorithm *a = new(struct algorithm);

	if (read_all(&top, a, e))
		return a;
	algorithm_free(a);
	return NULL;
}

struct algorithm *algorithm_open_compact(const char *path, struct error *e)
{
	struct json_document *d = json_document_open(path, e);
	struct algorithm *a = d ? algorithm_read(d, e) : NULL;
	json_document_close(d);
	return a;
}

struct algorithm *algorithm_open_up_to(const char *path, size_t most, struct error *e)
{
	struct algorithm *a = algorithm_open_compact(path, e);

	if (!a || algorithm_expand_up_to(a, most, e))
		return a;
	algorithm_free(a);
	return NULL;
}

struct algorithm *algorithm_open(const char *path, struct error *e)
{
	return algorithm_open_up_to(path, EXPANDED_MAX, e);
}
