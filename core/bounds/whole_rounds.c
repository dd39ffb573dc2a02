/*
 * Enumerates the distributions of R whole rounds over S steps and takes the one for which the rules, and the growth of
 * holders, allow the most chunks. A rule is then generated for that distribution; this repeats until the new rule does
 * not exclude it.
 */

#include "core/bounds/whole_rounds.h"

#include "core/bounds/bounds_parts.h"
#include "core/schedule/instance.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/base/stop.h"
#include "core/machine/topology.h"

#include <stdlib.h>
#include <string.h>

/* ---- rules ---- */

static int64_t room_at_prices(const struct whole *w, const struct timed_bound *b, int s)
{
	int64_t *prices = new_array(int64_t, w->i->network->n_limits);

	for (size_t p = 0; p < b->n_prices; p++)
		if (b->prices[p].step == s)
			prices[b->prices[p].limit] = b->prices[p].price;
	int64_t room = timed_priced_room(w->i->network, w->swaps, b->cuts, b->n_cuts, prices, s);
	free(prices);
	return room;
}

/*
 * Capacity of a round of each step: the smaller of the sum over cuts, each taken alone, and the joint capacity at the
 * prices.
 */
static void find_room(const struct whole *w, struct whole_rule *r)
{
	struct widths widths = widths_new(w->t);

	for (int s = 1; s <= w->steps; s++) {
		int64_t *room = &r->room[s - 1], together = r->bound.n_prices ? room_at_prices(w, &r->bound, s) : INT64_MAX;
		for (size_t c = 0; c < r->bound.n_cuts; c++)
			*room += r->bound.cuts[c].weight * widths_crossing(&widths, r->bound.cuts[c].until, s);
		*room = together < *room ? together : *room;
	}
	widths_free(&widths);
}

/* Takes ownership of the bound. */
static bool add_rule(struct whole *w, struct timed_bound *b)
{
	struct whole_rule r = {.bound = *b};

	for (size_t c = 0; c < b->n_cuts; c++)
		r.demand += b->cuts[c].weight * timed_demand(w->i, b->cuts[c].until);
	if (r.demand <= 0) {
		timed_bound_free(b);
		return false;
	}
	r.room = new_array(int64_t, (size_t)w->steps);
	find_room(w, &r);
	w->rules = grown(w->rules, &w->capacity, w->n + 1, sizeof r);
	w->rules[w->n++] = r;
	return true;
}

/* RULES_* are in small programs; a large one counts as several, one for each EACH_LARGE of its size. */
enum { RULES_QUICK = 10, RULES_MOST = 100, EACH_LARGE = 50000000 };

/*
 * ROUNDS NULL: a rule for any distribution. The program starts afresh, because cuts for other distributions would only
 * slow it down.
 */
static bool look_for_rule(struct whole *w, const int *rounds)
{
	struct timed_bound b = {.rounds = rational(0, 1)};

	if (w->left <= 0 || stop_is_due())
		return false;
	struct priced *k = priced_new(w->i, w->swaps, w->effort);
	w->left--;
	if (k)
		w->left -= (int)(priced_bound(k, rounds, &b) / EACH_LARGE);
	else if (!rounds)
		bounds_timed(w->t, w->i, TIMED_QUICK, &b);
	else
		bounds_timed_at(w->t, w->i, rounds, &b);
	priced_free(k);
	if (b.n_cuts > 0)
		return add_rule(w, &b);
	timed_bound_free(&b);
	return false;
}

struct whole whole_new(const struct topology *t, const struct instance *i, enum timed_effort effort)
{
	struct whole w = {.t = t, .i = i, .effort = effort, .steps = i->steps};

	if (collective_row(&i->collective)->combining || i->network->n_groups > 0)
		return w;
	w.swaps = new(struct swaps);
	*w.swaps = swaps_new(i);
	w.left = effort == TIMED_QUICK ? RULES_QUICK : RULES_MOST;
	look_for_rule(&w, NULL);
	return w;
}

void whole_free(struct whole *w)
{
	for (size_t r = 0; r < w->n; r++) {
		timed_bound_free(&w->rules[r].bound);
		free(w->rules[r].room);
	}
	free(w->rules);
	if (w->swaps)
		swaps_free(w->swaps);
	free(w->swaps);
	*w = (struct whole){0};
}

/* ---- distributions of the rounds ---- */

struct round_sharing {
	const struct whole *w;
	const struct growth *growth;
	int *rounds, *best; /* [step - 1] */
	int64_t most;
};

/* On overflow there is no limit on the chunks. */
static int64_t most_by(const struct whole_rule *r, const int *rounds, int steps)
{
	int64_t sum = 0, one;

	for (int s = 0; s < steps; s++)
		if (__builtin_mul_overflow(r->room[s], rounds[s], &one) || __builtin_add_overflow(sum, one, &sum))
			return INT64_MAX;
	return sum / r->demand;
}

static int64_t most_of(const struct whole *w, const int *rounds)
{
	int64_t most = INT64_MAX;

	for (size_t r = 0; r < w->n; r++) {
		int64_t by = most_by(&w->rules[r], rounds, w->steps);
		most = by < most ? by : most;
	}
	return most;
}

/* Enumerates all distributions of the LEFT rounds over the steps from S on. */
static void share(struct round_sharing *k, int s, int left)
{
	int later = k->w->steps - 1 - s;

	for (k->rounds[s] = later ? 1 : left; k->rounds[s] <= left - later; k->rounds[s]++) {
		if (later) {
			share(k, s + 1, left - k->rounds[s]);
			continue;
		}
		int64_t rules = most_of(k->w, k->rounds), grown = growth_most(k->growth, k->rounds, k->w->steps);
		int64_t most = grown < rules ? grown : rules;
		if (most > k->most) {
			k->most = most;
			memcpy(k->best, k->rounds, (size_t)k->w->steps * sizeof *k->best);
		}
	}
}

static bool are_few(int rounds, int steps)
{
	enum { SPLITS_MAX = 5000 };
	double splits = 1;

	for (int s = 1; s < steps; s++)
		splits = splits * (rounds - s) / s;
	return splits <= SPLITS_MAX;
}

/* Without enumeration: whatever the distribution of the rounds, integral or not. */
static int64_t most_of_any(const struct whole *w, int rounds)
{
	int64_t widest = 0, all;

	for (int s = 0; s < w->steps; s++)
		widest = w->rules[0].room[s] > widest ? w->rules[0].room[s] : widest;
	return __builtin_mul_overflow(widest, rounds, &all) ? INT64_MAX : all / w->rules[0].demand;
}

int64_t whole_most(struct whole *w, int rounds)
{
	if (w->n == 0 || rounds < w->steps)
		return -1;
	if (!are_few(rounds, w->steps))
		return most_of_any(w, rounds);
	struct growth growth = growth_new(w->i);
	struct round_sharing k = {w, &growth, new_array(int, (size_t)w->steps), new_array(int, (size_t)w->steps), -1};
	bool less = true; /* than the rules allowed so far */
	while (less) {
		k.most = -1;
		share(&k, 0, rounds);
		less = look_for_rule(w, k.best) && most_of(w, k.best) < k.most;
	}
	int64_t most = k.most;
	free(k.rounds);
	free(k.best);
	growth_free(&growth);
	return most;
}
