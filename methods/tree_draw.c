#include "methods/trees.h"

#include "core/error.h"
#include "core/memory.h"
#include "core/network.h"
#include "methods/draft.h"
#include "methods/tree_moves.h"
#include "synth/forest_schedule.h"

#include <stdlib.h>

/* Chunks of each tree, by weight; those left over go to the largest rests, the first of equals. The caller frees. */
static int64_t *share_out(const struct trees *s, int64_t chunks)
{
	int64_t *counts = new_array(int64_t, s->n), all = trees_weight(s), left = chunks;

	for (size_t i = 0; i < s->n; i++)
		left -= counts[i] = chunks * s->of[i].weight / all;
	bool *has = new_array(bool, s->n);
	for (; left > 0; left--) {
		long at = -1;
		for (size_t i = 0; i < s->n; i++)
			if (!has[i] && (at < 0 || chunks * s->of[i].weight % all > chunks * s->of[at].weight % all))
				at = (long)i;
		has[at] = true;
		counts[at]++;
	}
	free(has);
	return counts;
}

static int64_t rounds_of(const struct drawing *d)
{
	int64_t sum = 0;

	for (size_t s = 0; s < d->n_steps; s++)
		sum += d->steps[s].rounds;
	return sum;
}

/* Fewer rounds, then fewer steps. Takes both, frees the other. */
static struct drawing better(struct drawing a, struct drawing b)
{
	int64_t x = rounds_of(&a), y = rounds_of(&b);
	bool first = a.steps && (!b.steps || (x != y ? x < y : a.n_steps <= b.n_steps));
	struct drawing *other = first ? &b : &a;

	if (other->steps)
		steps_free(other->steps, other->n_steps);
	return first ? a : b;
}

static bool place_moves(const struct method_request *r, const struct trees *s, const int64_t *counts, const char *name,
			struct drawing *out, struct error *e)
{
	struct tree_moves m = tree_moves_new(s, counts, r->collective.kind);
	bool ok = true;

	out->steps = NULL;
	for (int order = 0; order < TREE_ORDERS && ok; order++) {
		struct draft *d = draft_new(r->network);
		struct drawing one = {.chunks = out->chunks};
		tree_moves_place(&m, r->network, (enum tree_order)order, d);
		ok = draft_take(d, name, &one.steps, &one.n_steps, e);
		*out = ok ? better(*out, one) : *out;
		draft_free(d);
	}
	if (!ok && out->steps)
		steps_free(out->steps, out->n_steps);
	tree_moves_free(&m);
	return ok;
}

/* As trees of synth/forest.h: WAVES times so many as COUNTS says. */
static bool broadcast(const struct method_request *r, const struct trees *s, const int64_t *counts, int64_t each, int waves,
		      struct drawing *out, struct error *e)
{
	struct forest f = {.nodes = s->nodes, .root = r->collective.root, .chunks = each, .trees = new_array(struct forest_tree, s->n)};

	for (size_t i = 0; i < s->n; i++) {
		const struct weighted_tree *t = &s->of[i];
		f.depth = t->depth > f.depth ? t->depth : f.depth;
		if (counts[i])
			f.trees[f.n_trees++] = (struct forest_tree){t->root, t->depth, counts[i], t->parent};
	}
	out->steps = forest_schedule(r->network, &f, waves, &out->n_steps, e);
	free(f.trees);
	return out->steps != NULL;
}

/* So many chunks, C. */
static bool draw_chunks(const struct method_request *r, const struct trees *s, int chunks, const char *name, struct drawing *out,
			struct error *e)
{
	int64_t all = trees_weight(s);
	bool whole = chunks % all == 0 && r->collective.kind == BROADCAST; /* waves of all trees */
	int64_t *counts = share_out(s, whole ? all : chunks);

	*out = (struct drawing){.chunks = chunks};
	bool ok = r->collective.kind == BROADCAST
			  ? broadcast(r, s, counts, whole ? all : chunks, whole ? (int)(chunks / all) : 1, out, e)
			  : place_moves(r, s, counts, name, out, e);
	free(counts);
	return ok;
}

/* Sends of one wave of all trees. */
static int64_t sends_of(const struct method_request *r, const struct trees *s)
{
	int64_t sum = 0;

	for (size_t i = 0; i < s->n; i++) {
		int64_t a_chunk = r->collective.kind == BROADCAST ? s->nodes - 1 : 2 * (s->nodes - 1);
		if (r->collective.kind == GATHER)
			a_chunk = (int64_t)(s->nodes - 1) * s->of[i].depth;
		sum += s->of[i].weight * a_chunk;
	}
	return sum;
}

/* Rounds that the trees need for one wave; a gather's differ, as edges near the root carry more. */
static struct rational wave_rounds(const struct method_request *r, const struct trees *s)
{
	if (r->collective.kind != GATHER)
		return rational_div(rational(trees_weight(s), 1), trees_rate(s, r->network, r->collective.kind == ALLREDUCE));
	int64_t *loads = new_array(int64_t, r->network->n_edges);
	for (size_t i = 0; i < s->n; i++)
		for (int from = 0; from < s->nodes; from++)
			for (int v = from; v != s->of[i].root; v = s->of[i].parent[v])
				loads[network_edge(r->network, v, s->of[i].parent[v])] += s->of[i].weight;
	int64_t rounds = draft_rounds(r->network, loads);
	free(loads);
	return rational(rounds, 1);
}

bool trees_draw(const struct method_request *r, const struct trees *s, const char *name, struct drawing *out, struct error *e)
{
	enum { SENDS_ENOUGH = 1 << 16 };
	int64_t all = trees_weight(s), sends = sends_of(r, s);
	struct rational wave = wave_rounds(r, s), each = rational_mul(wave, rational(17, 16));

	if (r->options.chunks)
		return draw_chunks(r, s, r->options.chunks, name, out, e);
	if (sends > FOREST_SENDS_MAX)
		return error_set(e, ERROR_LIMIT, name, "trees of weight %lld in all make more than %d sends", (long long)all,
				 FOREST_SENDS_MAX);
	/* So many to begin that all of them take whole rounds. */
	for (int64_t waves = wave.den * sends <= SENDS_ENOUGH ? wave.den : 1;; waves *= 2) {
		if (!draw_chunks(r, s, (int)(all * waves), name, out, e))
			return false;
		struct rational enough = rational_mul(each, rational(waves, 1));
		if (rational_compare(rational(rounds_of(out), 1), enough) <= 0 || sends * waves >= SENDS_ENOUGH)
			return true;
		steps_free(out->steps, out->n_steps);
	}
}
