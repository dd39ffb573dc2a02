/*
 * Chooses the folds that are tried for an instance, and tries them under conflict limits that depend on its size
 * (docs/concepts/symmetry.md).
 */

#include "encode/fold/folds.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "encode/cnf/decode.h"
#include "encode/cnf/measure.h"
#include "encode/cnf/plan.h"
#include "core/symmetry/automorphism_samples.h"

#include <stdlib.h>

static void drop(struct folded *k)
{
	plan_free(k->plan);
	fold_free(k->fold);
	free(k->instance);
}

/*
 * Adds a fold of the instance with CHUNKS chunks: by automorphism T, or if that is NULL by a group that fixes no node.
 * Skips it if there is none, or if its plan is impossible or too large.
 */
static void add(struct folds *f, const struct instance *i, const struct automorphism *t, int chunks)
{
	struct folded k = {.instance = copy_bytes(i, sizeof *i)};

	k.instance->chunks = chunks;
	k.instance->global_chunks = collective_row(&i->collective)->global_chunks(&i->collective, i->network->nodes, chunks);
	k.fold = t ? fold_by(k.instance, t) : fold_new(k.instance);
	k.plan = k.fold ? plan_new(k.instance, k.fold) : NULL;
	if (k.plan && !k.plan->impossible && !k.plan->too_large && !measure_is_too_large(k.plan))
		f->all[f->n++] = k;
	else
		drop(&k);
}

static int by_left_then_order(const void *va, const void *vb)
{
	const struct automorphism *a = va, *b = vb;
	if (a->left != b->left)
		return a->left < b->left ? -1 : 1;
	return (a->order < b->order) - (a->order > b->order);
}

static int by_order(const void *va, const void *vb)
{
	const struct automorphism *a = va, *b = vb;
	return (a->order < b->order) - (a->order > b->order);
}

static void add_cyclic(struct folds *f, const struct instance *i)
{
	enum { MOST = 64, AUTOMORPHISM_SAMPLES = FOLDS_MAX / 2 };
	bool rooted = collective_row(&i->collective)->rooted;
	struct automorphism_samples t = automorphism_samples_new(i->network, rooted ? i->collective.root : -1, i->chunks < MOST ? i->chunks : MOST);
	size_t n = t.n < AUTOMORPHISM_SAMPLES ? t.n : AUTOMORPHISM_SAMPLES;

	if (t.n > 0) {
		qsort(t.all, t.n, sizeof *t.all, by_left_then_order);
		qsort(t.all, n, sizeof *t.all, by_order);
	}
	for (size_t k = 0; k < n; k++) {
		int over = i->chunks % t.all[k].order;
		if (over && i->chunks < CHUNKS_MAX / i->network->nodes - t.all[k].order)
			add(f, i, &t.all[k], i->chunks + t.all[k].order - over);
		add(f, i, &t.all[k], i->chunks);
	}
	automorphism_samples_free(&t);
}

struct folds folds_new(const struct instance *i)
{
	enum { EDGES_MAX = 100000 }; /* of machines that are searched for automorphisms */
	struct folds f = {0};

	if (i->constraints.is_short || !fold_applies(i))
		return f;
	add(&f, i, NULL, i->chunks);
	f.are_cyclic = f.n == 0;
	if (f.are_cyclic && i->network->n_edges <= EDGES_MAX)
		add_cyclic(&f, i);
	return f;
}

void folds_drop(struct folds *f, size_t which)
{
	drop(&f->all[which]);
	f->n--;
	for (size_t k = which; k < f->n; k++)
		f->all[k] = f->all[k + 1];
}

void folds_free(struct folds *f)
{
	for (size_t k = 0; k < f->n; k++)
		drop(&f->all[k]);
	f->n = 0;
}

/*
 * Conflicts per folded question, by the instance's sends over time: `acting_freely` for the single question of a group
 * that fixes no node, `cyclic` for those of single automorphisms, of which there are many.
 */
static const struct {
	double sends;
	int acting_freely, cyclic;
} efforts[] = {
	{50000, 3000000, 40000},
	{5000, 4000, 4000},
	{2000, 0, 1000},
};

static int effort(const struct folds *f, const struct instance *i)
{
	double sends = (double)i->global_chunks * (double)i->network->n_edges * i->steps;

	for (size_t k = 0; k < sizeof efforts / sizeof *efforts; k++)
		if (sends > efforts[k].sends)
			return f->are_cyclic ? efforts[k].cyclic : efforts[k].acting_freely;
	return 0;
}

/* Tries each fold with EACH conflicts. */
static bool find(struct folds *f, int each, folds_attempt *attempt, struct solution *out)
{
	for (size_t k = 0; k < f->n;) {
		enum answer answer = attempt(f->all[k].plan, each, out);
		if (answer == ANSWER_FOUND)
			return true;
		if (answer == ANSWER_NONE)
			folds_drop(f, k);
		else
			k++;
	}
	return false;
}

bool folds_find(struct folds *f, const struct instance *i, folds_attempt *attempt, struct solution *out)
{
	static const int parts[] = {16, 4, 1}; /* fractions of the effort: quickly solved folds come first */
	int conflicts = effort(f, i);

	for (size_t k = 0; k < sizeof parts / sizeof *parts && conflicts > 0 && f->n > 0; k++)
		if (find(f, conflicts / parts[k], attempt, out)) {
			folds_restrict(i, out);
			return true;
		}
	return false;
}

void folds_restrict(const struct instance *i, struct solution *found)
{
	for (size_t s = 0; s < found->n_steps; s++) {
		struct step *step = &found->steps[s];
		size_t n = 0;
		for (size_t k = 0; k < step->n_sends; k++)
			if (step->sends[k].chunk < i->global_chunks)
				step->sends[n++] = step->sends[k];
		step->n_sends = n;
	}
	decode_rounds(i, found);
}
