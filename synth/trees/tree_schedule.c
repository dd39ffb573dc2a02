/*
 * Pipelined schedules of weighted trees. Chunks are divided among trees by weight; a broadcast goes through
 * forest_schedule, a gather or allreduce through list scheduling of its moves (tree_moves.h). Without -C, the number of
 * waves is searched for: more while filling and draining cost more than a sixteenth, then fewer again.
 */

#include "synth/trees/weighted_trees.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "synth/builder/schedule_builder.h"
#include "synth/trees/tree_moves.h"
#include "synth/trees/forest_schedule.h"

#include <stdlib.h>

/*
 * Chunks of each tree, proportional to weight; what is left goes to the largest remainders, the first of equals. The
 * caller frees them.
 */
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

struct aim {
	int64_t enough; /* of schedules with at most this many rounds the one with the fewest steps is taken */
	bool in_waves;  /* consider nothing else */
};

static bool place_moves(const struct method_request *r, const struct trees *s, const int64_t *counts, const struct aim *aim,
			const char *name, struct drawing *out, struct error *e)
{
	struct tree_moves m = tree_moves_new(r->network, s, counts, r->collective.kind);
	struct tree_times t = aim->in_waves ? tree_moves_in_waves(&m, r->network) : tree_moves_time(&m, r->network, aim->enough);
	struct schedule_builder *d = builder_new(r->network);

	for (size_t i = 0; i < m.n; i++)
		if (m.of[i].edge >= 0)
			(m.of[i].reduces ? builder_reduce : builder_send)(d, t.at[i], m.of[i].chunk, m.of[i].src, m.of[i].dst);
	bool ok = builder_take(d, name, &out->steps, &out->n_steps, e);
	builder_free(d);
	free(t.at);
	tree_moves_free(&m);
	return ok;
}

/* As trees of synth/trees/forest.h: WAVES times as many as COUNTS says. */
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

/* A schedule of CHUNKS chunks, C. */
static bool draw_chunks(const struct method_request *r, const struct trees *s, int chunks, const struct aim *aim, const char *name,
			struct drawing *out, struct error *e)
{
	int64_t all = trees_weight(s);
	bool whole = chunks % all == 0 && r->collective.kind == BROADCAST; /* waves of all trees */
	int64_t *counts = share_out(s, whole ? all : chunks);

	*out = (struct drawing){.chunks = chunks};
	bool ok = r->collective.kind == BROADCAST
			  ? broadcast(r, s, counts, whole ? all : chunks, whole ? (int)(chunks / all) : 1, out, e)
			  : place_moves(r, s, counts, aim, name, out, e);
	free(counts);
	return ok;
}

/* Sends of one wave of all trees; for a gather an upper bound. */
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

/*
 * Rounds that the trees need for one wave. Those of a gather are counted from loads, as edges near the root carry more.
 */
static struct rational wave_rounds(const struct method_request *r, const struct trees *s)
{
	if (r->collective.kind != GATHER)
		return rational_div(rational(trees_weight(s), 1), trees_rate(s, r->network, r->collective.kind == ALLREDUCE));
	int64_t *loads = new_array(int64_t, r->network->n_edges);
	for (size_t i = 0; i < s->n; i++)
		for (int from = 0; from < s->nodes; from++)
			for (int v = from; v != s->of[i].root; v = s->of[i].parent[v])
				loads[network_edge(r->network, v, s->of[i].parent[v])] += s->of[i].weight;
	int64_t rounds = network_rounds(r->network, loads);
	free(loads);
	return rational(rounds, 1);
}

/* Rounds within a sixteenth of what the links need. */
static int64_t enough_for(struct rational wave, int64_t waves)
{
	return rational_floor(rational_mul(rational_mul(wave, rational(waves, 1)), rational(17, 16)));
}

/* The number of waves for which the rounds lost to filling and draining are a sixteenth. */
static int64_t waves_for(struct rational wave, int64_t waves, int64_t rounds)
{
	struct rational idle = rational_sub(rational(rounds, 1), rational_mul(wave, rational(waves, 1)));
	int64_t next = rational_ceil(rational_div(rational_mul(idle, rational(16, 1)), wave));

	next += (wave.den - next % wave.den) % wave.den; /* a multiple that takes whole rounds */
	return next > wave.den ? next : wave.den;
}

/* A number of waves, and the schedule it led to. */
struct look {
	int64_t waves, rounds;
	bool in_waves, enough;
	struct drawing drawing;
};

static bool is_better(const struct look *a, const struct look *b)
{
	if (a->waves == 0 || b->waves == 0)
		return a->waves > 0;
	if (a->enough && b->enough)
		return a->drawing.n_steps < b->drawing.n_steps;
	return a->enough != b->enough ? a->enough : a->rounds * b->waves < b->rounds * a->waves;
}

/* Takes ownership of both and frees the other. */
static struct look better(struct look a, struct look b)
{
	bool second = is_better(&b, &a);
	struct drawing *other = second ? &a.drawing : &b.drawing;

	if (other->steps)
		steps_free(other->steps, other->n_steps);
	return second ? b : a;
}

static bool look_at(const struct method_request *r, const struct trees *s, struct rational wave, const char *name, struct look *at,
		    struct error *e)
{
	struct aim aim = {enough_for(wave, at->waves), at->in_waves};

	if (!draw_chunks(r, s, (int)(trees_weight(s) * at->waves), &aim, name, &at->drawing, e))
		return false;
	at->rounds = rounds_of(&at->drawing);
	at->enough = at->rounds <= aim.enough;
	return true;
}

/* Between the most waves that were not enough and the fewest that were; 0: none worth trying. */
static int64_t next_waves(int64_t guess, int64_t low, int64_t high, int64_t by, int64_t most)
{
	enum { FINE = 16 };

	if (high && guess >= high)
		guess = (low + high) / 2 / by * by;
	if (guess <= low)
		guess = low + by;
	guess = guess < most ? guess : most;
	return guess <= low || (high && high - guess < (high + FINE - 1) / FINE) ? 0 : guess;
}

/* Increases the number of waves until it is enough, then lowers it. */
static bool look_for_waves(const struct method_request *r, const struct trees *s, int64_t most, const char *name, struct look *best,
			   struct error *e)
{
	enum { LOOKS = 8 };
	struct rational wave = wave_rounds(r, s);
	int64_t low = 0, high = 0, first = waves_for(wave, 0, 2);
	struct look next = {.waves = first < most ? first : most};

	for (int look = 0; look < LOOKS && next.waves; look++) {
		if (!look_at(r, s, wave, name, &next, e))
			return false;
		*(next.enough ? &high : &low) = next.waves;
		int64_t waves = next_waves(waves_for(wave, next.waves, next.rounds), low, high, wave.den, most);
		*best = better(*best, next);
		next = (struct look){.waves = waves};
	}
	return true;
}

/* Waves a step apart: it takes more of them, but where links are wide a step carries many chunks. */
static bool look_at_steps(const struct method_request *r, const struct trees *s, int64_t most, const char *name, struct look *best,
			  struct error *e)
{
	struct rational wave = wave_rounds(r, s);
	int64_t depth = 0, low = 0;

	for (size_t i = 0; i < s->n; i++)
		depth = s->of[i].depth > depth ? s->of[i].depth : depth;
	for (int64_t waves = 4 * depth; waves > low && waves <= most;) {
		struct look next = {.waves = waves, .in_waves = true};
		if (best->enough && waves + 2 * depth - 1 >= (int64_t)best->drawing.n_steps)
			break;
		if (!look_at(r, s, wave, name, &next, e))
			return false;
		low = waves;
		waves = waves_for(wave, waves, next.rounds);
		*best = better(*best, next);
	}
	return true;
}

bool trees_draw(const struct method_request *r, const struct trees *s, const char *name, struct drawing *out, struct error *e)
{
	enum { SENDS_ENOUGH = 1 << 20 };
	int64_t sends = sends_of(r, s), most = SENDS_ENOUGH / sends > 1 ? SENDS_ENOUGH / sends : 1;
	struct look best = {0};

	if (r->options.chunks)
		return draw_chunks(r, s, r->options.chunks, &(struct aim){0}, name, out, e);
	if (sends > FOREST_SENDS_MAX)
		return error_set(e, ERROR_LIMIT, name, "trees of weight %lld in all make more than %d sends", (long long)trees_weight(s),
				 FOREST_SENDS_MAX);
	bool ok = look_for_waves(r, s, most, name, &best, e) &&
		  (r->collective.kind != ALLREDUCE || look_at_steps(r, s, most, name, &best, e));
	*out = ok ? best.drawing : (struct drawing){0};
	if (!ok && best.waves)
		steps_free(best.drawing.steps, best.drawing.n_steps);
	return ok;
}
