/* A frontier as JSON: the file, and the single line that `pareto --json` prints. */

#include "synth/frontier/frontier_parts.h"

#include "core/base/text.h"
#include "core/machine/topology.h"

static void add_candidate(struct text *into, struct candidate c)
{
	text_add(into, "[%d, %d, %d]", c.chunks, c.steps, c.rounds);
}

/* "value", or "at_least" where it is not known whether some algorithm attains it. */
static void add_value(struct text *into, const struct step_value *v)
{
	char ratio[RATIONAL_TEXT];

	text_add(into, "\"%s\": \"%s\"", v->attained ? "value" : "at_least", rational_text(v->at_least, ratio));
}

static void add_step_value(struct text *into, const struct step_value *v)
{
	text_add(into, "{\"steps\": %d, ", v->steps);
	add_value(into, v);
	if (v->root >= 0)
		text_add(into, ", \"root\": %d", v->root);
	if (v->patterns)
		text_add(into, ", \"within\": \"%s\"", optimality_within_names[WITHIN_ONE_VALUE]);
	text_add(into, "}");
}

static void add_k(struct text *into, const struct frontier *f)
{
	if (f->k == WITHOUT_K)
		text_add(into, "\"k\": null");
	else
		text_add(into, "\"k\": %d", f->k);
}

/* If an allreduce was searched directly, each point states the class that its claims refer to. */
static void add_point(struct text *into, const struct frontier *f, const struct algorithm *a, const char *file)
{
	char bandwidth[RATIONAL_TEXT];

	text_add(into, "{\"chunks\": %d, \"steps\": %zu, \"rounds\": %d, \"bandwidth\": \"%s\", \"class\": \"%s\", ",
		 a->chunks, a->n_steps, algorithm_rounds(a), rational_text(algorithm_bandwidth(a), bandwidth),
		 optimality_class_names[a->optimality.class]);
	if (a->optimality.proof == PROOF_NONE)
		text_add(into, "\"proof\": null");
	else
		text_add(into, "\"proof\": \"%s\"", optimality_proof_names[a->optimality.proof]);
	if (f->within == WITHIN_ONE_VALUE)
		text_add(into, ", \"within\": \"%s\"", optimality_within_names[a->optimality.within]);
	const struct step_value *v = frontier_value_of(f, a);
	if (v) {
		text_add(into, ", ");
		add_value(into, v);
	}
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

static void add_class(struct text *into, const struct frontier *f)
{
	char bound[RATIONAL_TEXT];

	add_k(into, f);
	text_add(into, ", \"bounds\": {\"steps\": %d, \"bandwidth\": \"%s\"}, \"ended\": \"%s\", \"points\": [", f->bound_steps,
		 rational_text(f->bound_bandwidth, bound), frontier_end_names[f->ended]);
	for (size_t i = 0; i < f->n_points; i++) {
		text_add(into, "%s", i ? ", " : "");
		add_point(into, f, f->points[i], f->files[i]);
	}
	text_add(into, "], ");
	if (f->k == WITHOUT_K) {
		text_add(into, "\"values\": [");
		for (size_t i = 0; i < f->values.n; i++) {
			text_add(into, "%s", i ? ", " : "");
			add_step_value(into, &f->values.of[i]);
		}
		text_add(into, "], ");
	}
	text_add(into, "\"refuted\": ");
	add_list(into, f->refuted, f->n_refuted);
	text_add(into, ", \"open\": ");
	add_list(into, f->open, f->n_open);
}

void frontier_json(const struct frontier *f, struct text *into)
{
	text_add(into, "{\"topology\": ");
	text_add_json_string(into, f->topology->name);
	text_add(into, ", \"collective\": \"%s\", \"root\": ", collective_called(&f->collective));
	collective_add_roots_json(&f->collective, into);
	if (f->within != WITHIN_ALL)
		text_add(into, ", \"within\": \"%s\"", optimality_within_names[f->within]);
	if (f->constraints.pipeline)
		text_add(into, ", \"pipeline\": %d", f->constraints.pipeline);
	if (f->constraints.is_short)
		text_add(into, ", \"extra_memory\": %d", f->constraints.extra_memory);
	text_add(into, ", ");
	add_class(into, f);
	if (f->composed) {
		text_add(into, ", \"composition\": {");
		add_class(into, f->composed);
		text_add(into, "}");
	}
	text_add(into, "}\n");
}

/* A member of an object, indented by INDENT. One line per step count, so that a catalog diffs well. */
static void write_list(struct text *into, int indent, const char *key, const struct candidate *list, size_t n)
{
	text_add(into, "%*s\"%s\": [", indent, "", key);
	for (size_t i = 0; i < n; i++) {
		bool new_line = i == 0 || list[i].steps != list[i - 1].steps;
		text_add(into, "%s", i ? "," : "");
		if (new_line)
			text_add(into, "\n%*s", indent + 2, "");
		else
			text_add(into, " ");
		add_candidate(into, list[i]);
	}
	if (n)
		text_add(into, "\n%*s", indent, "");
	text_add(into, "]");
}

static void write_values(struct text *into, int indent, const struct step_values *l)
{
	text_add(into, "%*s\"values\": [", indent, "");
	for (size_t i = 0; i < l->n; i++) {
		text_add(into, "%s\n%*s", i ? "," : "", indent + 2, "");
		add_step_value(into, &l->of[i]);
	}
	if (l->n)
		text_add(into, "\n%*s", indent, "");
	text_add(into, "],\n");
}

/* What was searched and found in one class: members of an object, indented by INDENT. */
static void write_class(struct text *into, int indent, const struct frontier *f)
{
	char bound[RATIONAL_TEXT];

	text_add(into, "%*s", indent, "");
	add_k(into, f);
	text_add(into, ",\n%*s\"last_steps\": %d,\n", indent, "", f->last_steps);
	if (f->max_chunks)
		text_add(into, "%*s\"max_chunks\": %d,\n", indent, "", f->max_chunks);
	text_add(into, "%*s\"bounds\": {\"steps\": %d, \"bandwidth\": \"%s\"},\n", indent, "", f->bound_steps,
		 rational_text(f->bound_bandwidth, bound));
	text_add(into, "%*s\"ended\": \"%s\",\n%*s\"points\": [", indent, "", frontier_end_names[f->ended], indent, "");
	for (size_t i = 0; i < f->n_points; i++) {
		text_add(into, "%s\n%*s", i ? "," : "", indent + 2, "");
		add_point(into, f, f->points[i], f->files[i] ? base_name(f->files[i]) : NULL);
	}
	if (f->n_points)
		text_add(into, "\n%*s", indent, "");
	text_add(into, "],\n");
	if (f->k == WITHOUT_K)
		write_values(into, indent, &f->values);
	write_list(into, indent, "refuted", f->refuted, f->n_refuted);
	text_add(into, ",\n");
	write_list(into, indent, "open", f->open, f->n_open);
}

/* Only the name if the points' files contain the machine and no other machine has that name. */
static void write_machine(struct text *into, const struct frontier *f)
{
	bool held = f->n_points || (f->composed && f->composed->n_points);

	if (held && !topology_has_anothers_name(f->topology))
		text_add_json_string(into, f->topology->name);
	else
		topology_write(f->topology, into, 2);
}

void frontier_write(const struct frontier *f, struct text *into)
{
	text_add(into, "{\n  \"format\": \"sccl-frontier\",\n  \"version\": 1,\n  \"topology\": ");
	write_machine(into, f);
	text_add(into, ",\n  \"nodes\": %d,\n  \"collective\": ", f->topology->nodes);
	collective_write(&f->collective, into, 2);
	text_add(into, ",\n  \"within\": \"%s\",\n", optimality_within_names[f->within]);
	if (f->constraints.pipeline)
		text_add(into, "  \"pipeline\": %d,\n", f->constraints.pipeline);
	if (f->constraints.is_short)
		text_add(into, "  \"extra_memory\": %d,\n", f->constraints.extra_memory);
	write_class(into, 2, f);
	if (f->composed) {
		text_add(into, ",\n  \"composition\": {\n");
		write_class(into, 4, f->composed);
		text_add(into, "\n  }");
	}
	text_add(into, "\n}\n");
}
