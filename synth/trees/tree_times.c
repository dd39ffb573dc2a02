/*
 * Times moves as waves a step apart, and by list scheduling in two orders. The better of the latter is improved by
 * justification (Valls, Ballestín, Quintanilla 2005): all moves are shifted as late as capacity allows, latest first,
 * then as early, earliest first. So a schedule that is full at one end becomes full at the other as well.
 */

#include "synth/trees/tree_moves.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "synth/builder/schedule_builder.h"

#include <stdlib.h>

static void count_rounds(const struct tree_moves *m, const struct network *w, struct tree_times *t)
{
	int64_t *loads = new_array(int64_t, w->n_edges);
	struct csr in = csr_by_row(t->steps, t->at, m->n, sizeof *t->at); /* the moves of each step */

	t->rounds = 0;
	for (int s = 0; s < t->steps; s++) {
		for (int k = in.begin[s]; k < in.begin[s + 1]; k++)
			if (m->of[in.of[k]].edge >= 0)
				loads[m->of[in.of[k]].edge]++;
		t->rounds += network_rounds(w, loads);
		for (int k = in.begin[s]; k < in.begin[s + 1]; k++)
			if (m->of[in.of[k]].edge >= 0)
				loads[m->of[in.of[k]].edge] = 0;
	}
	csr_free(&in);
	free(loads);
}

struct tree_times tree_moves_in_waves(const struct tree_moves *m, const struct network *w)
{
	struct tree_times t = {.at = new_array(int, m->n)};

	for (size_t i = 0; i < m->n; i++) {
		t.at[i] = m->of[i].early;
		t.steps = t.at[i] >= t.steps ? t.at[i] + 1 : t.steps;
	}
	count_rounds(m, w, &t);
	return t;
}

static struct tree_times played(const struct tree_moves *m, const struct network *w, const int64_t *key, bool backward)
{
	struct tree_times t = {.at = new_array(int, m->n)};

	t.steps = tree_moves_play(m, w, key, backward, t.at);
	count_rounds(m, w, &t);
	return t;
}

static bool is_better(const struct tree_times *a, const struct tree_times *b, int64_t enough)
{
	if (a->rounds <= enough && b->rounds <= enough && a->steps != b->steps)
		return a->steps < b->steps;
	return a->rounds != b->rounds ? a->rounds < b->rounds : a->steps < b->steps;
}

/* Takes ownership of both and frees the other. */
static struct tree_times better(struct tree_times a, struct tree_times b, int64_t enough)
{
	bool second = is_better(&b, &a, enough);

	free(second ? a.at : b.at);
	return second ? b : a;
}

/* By wave, or by the length of the longest chain of moves that follows. */
static struct tree_times in_order(const struct tree_moves *m, const struct network *w, bool by_wave)
{
	enum { APART = 1 << 24 };
	int64_t *key = new_array(int64_t, m->n);

	for (size_t i = 0; i < m->n; i++) {
		int64_t low = -(int64_t)m->of[i].height;
		key[i] = by_wave ? (int64_t)m->of[i].wave * APART + low : low * APART + m->of[i].wave;
	}
	struct tree_times t = played(m, w, key, false);
	free(key);
	return t;
}

/* Shifts all moves towards the other end. */
static struct tree_times drawn(const struct tree_moves *m, const struct network *w, const struct tree_times *t, bool backward)
{
	int64_t *key = new_array(int64_t, m->n);

	for (size_t i = 0; i < m->n; i++)
		key[i] = backward ? -(int64_t)t->at[i] : t->at[i];
	struct tree_times now = played(m, w, key, backward);
	free(key);
	return now;
}

static struct tree_times justified(const struct tree_moves *m, const struct network *w, struct tree_times best, int64_t enough)
{
	enum { ITERATIONS_MAX = 4, WORK_MAX = 1 << 21 };
	struct tree_times now = {best.steps, copy_bytes(best.at, m->n * sizeof *best.at), best.rounds};

	for (int turn = 0; turn < ITERATIONS_MAX && (int64_t)m->n * turn < WORK_MAX; turn++) {
		struct tree_times late = drawn(m, w, &now, true), early = drawn(m, w, &late, false);
		bool more = is_better(&early, &now, enough);
		free(late.at);
		free(now.at);
		now = early;
		if (!more)
			break;
	}
	return better(best, now, enough);
}

struct tree_times tree_moves_time(const struct tree_moves *m, const struct network *w, int64_t enough)
{
	struct tree_times waves = tree_moves_in_waves(m, w), best = better(in_order(m, w, true), in_order(m, w, false), enough);

	return better(waves, justified(m, w, best, enough), enough);
}
