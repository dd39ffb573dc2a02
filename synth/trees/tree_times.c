/*
 * Times moves in several ways and takes the best. Waves a step apart: a step in the middle carries all depths at once,
 * each of another wave, so that R is at most the rounds of one wave times the number of steps.
 *
 * Copies, in addition, by list scheduling within a given number of steps, highest first; the number of steps grows
 * while rounds are lost.
 *
 * All else, which has to wait for several moves at once, by list scheduling round by round in two orders. The better of
 * these is improved by justification (Valls, Ballestín, Quintanilla 2005): all moves are shifted as late as capacity
 * allows, latest first, then as early, earliest first. So a schedule that is full at one end becomes full at the other
 * as well.
 */

#include "synth/trees/tree_moves.h"

#include "core/base/memory.h"
#include "core/machine/network.h"

#include <stdlib.h>
#include <string.h>

void tree_times_free(struct tree_times *t)
{
	free(t->at);
	free(t->rounds);
}

/* Counts rounds from the steps of all moves, and drops steps without a send. */
static void count_rounds(const struct tree_moves *m, struct tree_times *t)
{
	int64_t *loads = new_array(int64_t, m->network->n_edges);
	struct csr in = csr_by_row(t->steps, t->at, m->n, sizeof *t->at); /* the moves of each step */
	int kept = 0;

	t->rounds = new_array(int64_t, (size_t)t->steps);
	for (int s = 0; s < t->steps; s++) {
		memset(loads, 0, m->network->n_edges * sizeof *loads);
		for (int k = in.begin[s]; k < in.begin[s + 1]; k++) {
			t->at[in.of[k]] = kept;
			if (m->of[in.of[k]].edge >= 0)
				loads[m->of[in.of[k]].edge]++;
		}
		t->rounds[kept] = network_rounds(m->network, loads);
		t->total += t->rounds[kept];
		kept += t->rounds[kept] > 0;
	}
	t->steps = kept;
	csr_free(&in);
	free(loads);
}

static struct tree_times in_waves(const struct tree_moves *m)
{
	struct tree_times t = {.at = new_array(int, m->n)};

	for (size_t i = 0; i < m->n; i++) {
		t.at[i] = m->of[i].early;
		t.steps = t.at[i] >= t.steps ? t.at[i] + 1 : t.steps;
	}
	count_rounds(m, &t);
	return t;
}

static struct tree_times placed(const struct tree_moves *m, const struct tree_priority *priority)
{
	struct tree_times t = {.at = new_array(int, m->n)};

	t.steps = tree_moves_place(m, priority, t.at);
	count_rounds(m, &t);
	return t;
}

static bool is_better(const struct tree_times *a, const struct tree_times *b, int64_t enough)
{
	if (a->total <= enough && b->total <= enough && a->steps != b->steps)
		return a->steps < b->steps;
	return a->total != b->total ? a->total < b->total : a->steps < b->steps;
}

/* Takes ownership of both and frees the other. */
static struct tree_times better(struct tree_times a, struct tree_times b, int64_t enough)
{
	bool second = is_better(&b, &a, enough);

	tree_times_free(second ? &a : &b);
	return second ? b : a;
}

/*
 * More steps leave more freedom to balance loads. Ends where the network's own bound is met or the work gets large.
 */
static struct tree_times within_steps(const struct tree_moves *m, struct tree_times best, int64_t enough)
{
	enum { MORE_MAX = 256, WORK_MAX = 1 << 24 };
	int64_t *loads = new_array(int64_t, m->network->n_edges);

	for (size_t i = 0; i < m->n; i++)
		loads[m->of[i].edge]++;
	int64_t least = network_rounds(m->network, loads);
	free(loads);
	for (int more = 0; more <= MORE_MAX && (best.total > least || best.steps > m->depth + more); more = more ? 2 * more : 1) {
		if (more && (int64_t)m->n * (m->depth + more) > WORK_MAX)
			break;
		for (int eager = 0; eager < 2; eager++)
			best = better(best, placed(m, &(struct tree_priority){.steps = m->depth + more, .eager = eager}), enough);
	}
	return best;
}

/* By wave, or by the length of the longest chain of moves that follows. */
static struct tree_times in_order(const struct tree_moves *m, bool by_wave)
{
	enum { APART = 1 << 24 };
	int64_t *key = new_array(int64_t, m->n);

	for (size_t i = 0; i < m->n; i++) {
		int64_t low = -(int64_t)m->of[i].height;
		key[i] = by_wave ? (int64_t)m->of[i].wave * APART + low : low * APART + m->of[i].wave;
	}
	struct tree_times t = placed(m, &(struct tree_priority){.key = key});
	free(key);
	return t;
}

/* Shifts all moves towards the other end. */
static struct tree_times shifted(const struct tree_moves *m, const struct tree_times *t, bool backward)
{
	int64_t *key = new_array(int64_t, m->n);

	for (size_t i = 0; i < m->n; i++)
		key[i] = backward ? -(int64_t)t->at[i] : t->at[i];
	struct tree_times now = placed(m, &(struct tree_priority){.key = key, .backward = backward});
	free(key);
	return now;
}

static struct tree_times justified(const struct tree_moves *m, struct tree_times best, int64_t enough)
{
	enum { ITERATIONS_MAX = 4, WORK_MAX = 1 << 21 };
	struct tree_times now = {0};
	bool more = true;

	for (int turn = 0; more && turn < ITERATIONS_MAX && (int64_t)m->n * turn < WORK_MAX; turn++) {
		const struct tree_times *from = turn ? &now : &best;
		struct tree_times late = shifted(m, from, true), early = shifted(m, &late, false);
		more = is_better(&early, from, enough);
		tree_times_free(&late);
		tree_times_free(&now);
		now = early;
	}
	return better(best, now, enough);
}

struct tree_times tree_moves_time(const struct tree_moves *m, const struct tree_plan *p)
{
	struct tree_times waves = in_waves(m);

	if (p->in_waves)
		return waves;
	if (m->copies)
		return within_steps(m, waves, p->enough);
	return better(waves, justified(m, better(in_order(m, true), in_order(m, false), p->enough), p->enough), p->enough);
}
