/*
 * Pipelined schedules of weighted trees: moves, their times, and the steps that these make. Without -C, the number of
 * waves is searched for: more while filling and draining cost more than a sixteenth, then fewer again.
 */

#include "synth/trees/tree_schedule.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "synth/builder/schedule_builder.h"
#include "synth/trees/tree_moves.h"
#include "synth/trees/weighted_trees.h"

#include <stdlib.h>

static struct step *steps_of(const struct tree_moves *m, const struct tree_times *t)
{
	struct step *steps = new_array(struct step, (size_t)t->steps);

	for (size_t i = 0; i < m->n; i++)
		if (m->of[i].edge >= 0)
			++*(m->of[i].reduces ? &steps[t->at[i]].n_reduces : &steps[t->at[i]].n_sends);
	for (int s = 0; s < t->steps; s++)
		steps[s] = (struct step){.rounds = (int)t->rounds[s], .sends = new_array(struct send, steps[s].n_sends),
					 .reduces = new_array(struct send, steps[s].n_reduces)};
	for (size_t i = 0; i < m->n; i++) {
		if (m->of[i].edge < 0)
			continue;
		const struct edge *edge = &m->network->edges[m->of[i].edge];
		struct step *step = &steps[t->at[i]];
		struct send send = {m->of[i].chunk, edge->src, edge->dst};
		if (m->of[i].reduces)
			step->reduces[step->n_reduces++] = send;
		else
			step->sends[step->n_sends++] = send;
	}
	return steps;
}

static bool check_rounds(const struct tree_times *t, const char *name, struct error *e)
{
	for (int s = 0; s < t->steps; s++)
		if (t->rounds[s] > ROUNDS_MAX)
			return error_set(e, ERROR_LIMIT, name, "a step needs more than %d rounds", ROUNDS_MAX);
	return true;
}

bool trees_schedule(const struct network *w, const struct trees *s, const struct tree_plan *p, const char *name, struct step **steps,
		    size_t *n_steps, struct error *e)
{
	struct tree_moves m = tree_moves_new(w, s, p);
	struct tree_times t = {0};
	bool ok = m.n_sends <= m.most || error_set(e, ERROR_LIMIT, name, "needs more than %zu sends here: too many to list", m.most);

	if (ok) {
		t = tree_moves_time(&m, p);
		ok = check_rounds(&t, name, e);
	}
	*steps = ok ? steps_of(&m, &t) : NULL;
	*n_steps = ok ? (size_t)t.steps : 0;
	tree_times_free(&t);
	tree_moves_free(&m);
	return ok;
}

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

static int64_t rounds_of(const struct construction *d)
{
	int64_t sum = 0;

	for (size_t s = 0; s < d->n_steps; s++)
		sum += d->steps[s].rounds;
	return sum;
}

/* A schedule of CHUNKS chunks, C. ENOUGH and IN_WAVES as in struct tree_plan. */
static bool construct_chunks(const struct method_request *r, const struct trees *s, int chunks, int64_t enough, bool in_waves, const char *name,
			struct construction *out, struct error *e)
{
	int64_t all = trees_weight(s);
	struct tree_plan p = {.kind = r->collective.kind, .enough = enough, .in_waves = in_waves};

	if (p.kind == BROADCAST)
		p = (struct tree_plan){.kind = BROADCAST, .waves = chunks % all == 0 ? (int)(chunks / all) : 1};
	int64_t *counts = share_out(s, p.waves ? chunks / p.waves : chunks);
	p.counts = counts;
	*out = (struct construction){.chunks = chunks};
	bool ok = trees_schedule(r->network, s, &p, name, &out->steps, &out->n_steps, e);
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
	struct construction construction;
};

static bool is_better(const struct look *a, const struct look *b)
{
	if (a->waves == 0 || b->waves == 0)
		return a->waves > 0;
	if (a->enough && b->enough)
		return a->construction.n_steps < b->construction.n_steps;
	return a->enough != b->enough ? a->enough : a->rounds * b->waves < b->rounds * a->waves;
}

/* Takes ownership of both and frees the other. */
static struct look better(struct look a, struct look b)
{
	bool second = is_better(&b, &a);
	struct construction *other = second ? &a.construction : &b.construction;

	if (other->steps)
		steps_free(other->steps, other->n_steps);
	return second ? b : a;
}

static bool look_at(const struct method_request *r, const struct trees *s, struct rational wave, const char *name, struct look *at,
		    struct error *e)
{
	int64_t enough = enough_for(wave, at->waves);

	if (!construct_chunks(r, s, (int)(trees_weight(s) * at->waves), enough, at->in_waves, name, &at->construction, e))
		return false;
	at->rounds = rounds_of(&at->construction);
	at->enough = at->rounds <= enough;
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
	int64_t depth = trees_depth(s), low = 0;

	for (int64_t waves = 4 * depth; waves > low && waves <= most;) {
		struct look next = {.waves = waves, .in_waves = true};
		if (best->enough && waves + 2 * depth - 1 >= (int64_t)best->construction.n_steps)
			break;
		if (!look_at(r, s, wave, name, &next, e))
			return false;
		low = waves;
		waves = waves_for(wave, waves, next.rounds);
		*best = better(*best, next);
	}
	return true;
}

bool trees_construct(const struct method_request *r, const struct trees *s, const char *name, struct construction *out, struct error *e)
{
	enum { SENDS_ENOUGH = 1 << 20 };
	int64_t sends = sends_of(r, s), most = SENDS_ENOUGH / sends > 1 ? SENDS_ENOUGH / sends : 1;
	struct look best = {0};

	if (r->options.chunks)
		return construct_chunks(r, s, r->options.chunks, 0, false, name, out, e);
	if (sends > TREE_SENDS_MAX)
		return error_set(e, ERROR_LIMIT, name, "trees of weight %lld in all make more than %d sends", (long long)trees_weight(s),
				 TREE_SENDS_MAX);
	bool ok = look_for_waves(r, s, most, name, &best, e) &&
		  (r->collective.kind != ALLREDUCE || look_at_steps(r, s, most, name, &best, e));
	*out = ok ? best.construction : (struct construction){0};
	if (!ok && best.waves)
		steps_free(best.construction.steps, best.construction.n_steps);
	return ok;
}
