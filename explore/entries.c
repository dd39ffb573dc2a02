/*
 * What each method gives for a machine and a collective, or why it gives nothing. The frontier (`smt`) and the trees
 * have functions of their own; every other method is called through the table of methods. A method's refusal is kept as
 * text.
 */

#include "explore/explore.h"
#include "explore/frontiers.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"
#include "core/verify/verify.h"
#include "synth/builder/method.h"
#include "synth/trees/forest_solve.h"

#include <stdlib.h>
#include <string.h>

/* What every method is asked. */
struct entry_question {
	const struct explore_options *options;
	const struct topology *topology;
	const struct collective *collective;
	struct row *row;
};

/* Algorithms of large machines are not kept: they would fill the memory. */
static bool is_small(const struct algorithm *a)
{
	enum { SENDS_KEPT = 1 << 20 };
	size_t sends = 0;

	for (size_t s = 0; s < a->n_steps; s++)
		sends += a->steps[s].n_sends + a->steps[s].n_reduces;
	return sends <= SENDS_KEPT;
}

static void add_entry(const struct entry_question *q, const char *method, const struct algorithm *a, bool kept)
{
	struct row *row = q->row;

	row->entries = grown(row->entries, &row->entries_capacity, row->n_entries + 1, sizeof *row->entries);
	row->entries[row->n_entries++] = (struct entry){
		.method = method, .chunks = a->chunks, .steps = (int)a->n_steps, .rounds = algorithm_rounds(a),
		.bandwidth = algorithm_bandwidth(a), .class = a->optimality.class, .proof = a->optimality.proof,
		.within = a->optimality.within, .kept = kept,
		.algorithm = q->options->keeps && is_small(a) ? algorithm_copy(a) : NULL,
	};
}

static struct frontier *find_frontier(const struct entry_question *q, struct error *e)
{
	const struct frontier_request r = {q->topology, q->collective, &q->options->search, q->options->shown,
					 q->options->doubt, NULL, NULL};

	return frontier_find(&r, &q->row->searched.from_catalog, e);
}

static bool ask_frontier(const struct entry_question *q, const char *name, struct error *e)
{
	struct frontier *f = find_frontier(q, e);

	if (!f)
		return false;
	for (size_t i = 0; i < f->n_points; i++)
		add_entry(q, name, f->points[i], false);
	q->row->searched.done = true;
	q->row->searched.ended = f->ended;
	q->row->searched.n_open = f->n_open + (f->composed ? f->composed->n_open : 0);
	bool any = f->n_points > 0;
	frontier_free(f);
	return any || error_set(e, ERROR_LIMIT, name, "found nothing within its limits");
}

static bool ask_trees(const struct entry_question *q, const char *name, struct error *e)
{
	struct forest_answer answer;

	if (!forest_solve(q->topology, q->collective, 0, true, &answer, e))
		return false;
	add_entry(q, name, answer.algorithm, false);
	forest_answer_free(&answer);
	return true;
}

static bool ask_method(const struct entry_question *q, const char *name, struct error *e)
{
	const struct method_options options = {0};
	struct text report = {0};
	const struct method *m = method_find(name, e);
	struct algorithm *a = m ? method_build(m, q->topology, q->collective, &options, &report, e) : NULL;

	if (a)
		add_entry(q, m->name, a, false);
	text_free(&report);
	algorithm_free(a);
	return a;
}

/* Methods that are not in the table of methods, with their own functions. */
static const struct {
	const char *name;
	bool (*ask)(const struct entry_question *q, const char *name, struct error *e);
	unsigned serves; /* 1u << kind */
} own[] = {
	{"smt", ask_frontier, ~0u},
	{"trees", ask_trees, 1u << ALLGATHER | 1u << REDUCESCATTER | 1u << ALLREDUCE | 1u << BROADCAST | 1u << REDUCE},
};
enum { OWN = sizeof own / sizeof *own, METHODS_MOST = 64 };

static bool serves(size_t i, const char *name, enum collective_kind kind)
{
	struct error ignored = {0};

	if (i < OWN)
		return own[i].serves >> kind & 1;
	const struct method *m = method_find(name, &ignored);
	return m && method_serves(m, kind);
}

const char *const *explore_methods(size_t *n)
{
	static const char *names[METHODS_MOST];
	size_t n_table;
	const struct method *table = methods_all(&n_table);

	*n = 0;
	for (size_t i = 0; i < OWN; i++)
		names[(*n)++] = own[i].name;
	for (size_t i = 0; i < n_table && *n < METHODS_MOST; i++)
		names[(*n)++] = table[i].name;
	return names;
}

bool explore_methods_read(const char *list, bool **chosen, struct error *e)
{
	size_t n;
	const char *const *names = explore_methods(&n);
	bool all = strcmp(list, "all") == 0;

	*chosen = new_array(bool, n);
	for (size_t i = 0; i < n; i++)
		(*chosen)[i] = all;
	for (const char *s = list; !all; s++) {
		size_t length = strcspn(s, ","), found = n;
		for (size_t i = 0; i < n; i++)
			if (strlen(names[i]) == length && strncmp(names[i], s, length) == 0)
				found = i;
		if (found == n)
			return error_set(e, ERROR_INPUT, "--method", "there is no method \"%.*s\"; sccl-synth explore --help lists them",
					 (int)(length < 64 ? length : 64), s);
		(*chosen)[found] = true;
		s += length;
		if (!*s)
			break;
	}
	return true;
}

static void add_refusal(struct row *row, const char *method, bool other_kind, const struct error *e)
{
	row->refusals = grown(row->refusals, &row->refusals_capacity, row->n_refusals + 1, sizeof *row->refusals);
	row->refusals[row->n_refusals++] = (struct method_refusal){method, copy_string(e->what), other_kind};
}

static bool is_there(const struct row *row, const struct entry *old)
{
	for (size_t i = 0; i < row->n_entries; i++)
		if (row->entries[i].chunks == old->chunks && row->entries[i].steps == old->steps && row->entries[i].rounds == old->rounds)
			return true;
	return false;
}

/*
 * Adds an algorithm of the machine before its link was changed if it still verifies on the changed one: a method may do
 * worse with an additional link, but a user need not. Proofs of its optimality held for the other machine and are
 * dropped.
 */
static void keep(const struct entry_question *q, const struct entry *old)
{
	struct algorithm *a = algorithm_copy(old->algorithm);

	topology_free(a->topology);
	a->topology = topology_copy(q->topology);
	free(a->optimality.refuted);
	a->optimality = (struct optimality){0};
	a->has_bounds = false;
	if (algorithm_verify(a).fault == FAULT_NONE)
		add_entry(q, old->method, a, true);
	algorithm_free(a);
}

bool explore_entries(const struct explore_options *o, const struct topology *t, const struct collective *k, const struct row *before,
		     struct row *row, struct error *e)
{
	const struct entry_question q = {o, t, k, row};
	size_t n;
	const char *const *names = explore_methods(&n);

	for (size_t i = 0; i < n; i++) {
		struct error why = {0};
		if (o->chosen[i] && o->trying)
			o->trying(o->search.context, names[i]);
		if (!o->chosen[i] || (i < OWN ? own[i].ask : ask_method)(&q, names[i], &why))
			continue;
		if (why.kind == ERROR_SYSTEM) {
			*e = why;
			return false;
		}
		add_refusal(row, names[i], !serves(i, names[i], k->kind), &why);
	}
	for (size_t i = 0; before && i < before->n_entries; i++)
		if (before->entries[i].algorithm && !is_there(row, &before->entries[i]))
			keep(&q, &before->entries[i]);
	return true;
}
