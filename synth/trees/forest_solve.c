/*
 * Solves a collective with trees: kinds are split into halves (an allreduce into a reducescatter and an allgather);
 * each half gets its trees on the machine, reversed where the kind is inverted, and the waves of them that come near
 * their rate; schedules are inverted, joined and verified.
 */

#include "synth/trees/forest_solve.h"

#include "core/base/error.h"
#include "core/base/clock.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/base/watch.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "core/schedule/transform.h"
#include "synth/trees/tree_schedule.h"

#include <stdlib.h>

/* The halves that make up each kind; n 0: trees do not serve it. */
static const struct {
	int n;
	enum collective_kind of[2];
} kinds[COLLECTIVE_KINDS] = {
	[ALLGATHER] = {1, {ALLGATHER, 0}}, [REDUCESCATTER] = {1, {REDUCESCATTER, 0}},
	[BROADCAST] = {1, {BROADCAST, 0}}, [REDUCE] = {1, {REDUCE, 0}},
	[ALLREDUCE] = {2, {REDUCESCATTER, ALLGATHER}},
};

static bool grow_trees(const struct problem *p, struct forest_half *h, struct error *e)
{
	struct topology *t = p->inverted ? topology_reversed(p->topology) : topology_copy(p->topology);
	int root = collective_row(&p->asked)->rooted ? p->asked.root : -1;
	char why[256] = "";
	bool ok = forest_new(t, root, &h->forest, e);

	if (ok && !forest_check(t, &h->forest, why, sizeof why))
		ok = error_set(e, ERROR_SYSTEM, t->name, "the trees are wrong: %s", why);
	topology_free(t);
	if (!ok)
		return false;
	struct rational each = rational(1, p->asked_unit);
	h->bandwidth = rational_mul(h->forest.bandwidth, each);
	h->by_routes = rational_mul(rational_div(rational(root < 0 ? p->topology->nodes : 1, 1), trees_rate(&h->forest.trees, p->network, false)), each);
	if (h->forest.chunks > CHUNKS_MAX / p->asked_unit)
		return error_set(e, ERROR_LIMIT, p->topology->name, "needs %lld trees per root: too many",
				 (long long)h->forest.chunks);
	h->unit = (int)h->forest.chunks * p->asked_unit;
	return true;
}

/*
 * Turns a schedule of the asked collective into a verified algorithm of the requested one; takes ownership of the
 * steps.
 */
static struct algorithm *ours(const struct problem *p, int chunks, struct step *steps, size_t n_steps, struct error *e)
{
	if (!p->inverted)
		return problem_judged(p, algorithm_new(p->topology, &p->asked, chunks, n_steps, steps, "forest"), e);
	struct topology *back = topology_reversed(p->topology);
	struct algorithm *a = algorithm_new(back, &p->asked, chunks / p->asked_unit, n_steps, steps, "forest");
	struct algorithm *inverted = algorithm_inverted(a, p->topology, &p->collective, e);
	algorithm_free(a);
	topology_free(back);
	return problem_judged(p, inverted, e);
}

static struct algorithm *in_waves(const struct problem *p, const struct forest_half *h, int waves, struct error *e)
{
	const struct tree_plan plan = {.kind = p->asked.kind, .waves = waves};
	struct step *steps;
	size_t n_steps;

	watch_note("scheduling sends", 0, 0);
	if (!trees_schedule(p->network, &h->forest.trees, &plan, "forest", &steps, &n_steps, e))
		return NULL;
	return ours(p, waves * h->unit, steps, n_steps, e);
}

static bool is_near(const struct algorithm *a, const struct forest_half *h)
{
	struct rational most = rational_mul(h->by_routes, rational(17, 16));
	return rational_compare(algorithm_bandwidth(a), most) <= 0;
}

/*
 * Doubles the number of waves while sends stay few, the time suffices, and R/C is not within a sixteenth of what the
 * routes allow. Starts with a number for which all waves together take a whole number of rounds.
 */
static struct algorithm *in_enough_waves(const struct problem *p, const struct forest_half *h, struct error *e)
{
	enum { WAVES_MAX = 1 << 10, SENDS_ENOUGH = 1 << 16, A_DOUBLING_TAKES = 4 };
	const struct forest *f = &h->forest;
	int64_t a_wave = (f->root < 0 ? f->nodes : 1) * (f->nodes - 1) * f->chunks;
	int64_t whole = rational_mul(h->by_routes, rational(h->unit, 1)).den;
	int waves = whole <= WAVES_MAX && a_wave <= SENDS_ENOUGH / whole ? (int)whole : 1;
	double start = clock_seconds();
	struct algorithm *best = in_waves(p, h, waves, e);

	for (waves *= 2; best && !is_near(best, h) && waves <= WAVES_MAX && a_wave <= SENDS_ENOUGH / waves; waves *= 2) {
		double last = clock_seconds() - start;
		if (stop_left() < last * A_DOUBLING_TAKES)
			break;
		start += last;
		struct algorithm *a = in_waves(p, h, waves, e);
		bool gains = a && rational_compare(algorithm_bandwidth(a), algorithm_bandwidth(best)) < 0;
		if (!a || gains) {
			algorithm_free(best);
			best = a;
		} else
			algorithm_free(a);
	}
	return best;
}

static bool check_chunks(const struct forest_half *h, int chunks, struct error *e)
{
	return chunks % h->unit == 0 ||
	       error_set(e, ERROR_INPUT, "-C", "must be a multiple of %d for the trees of the %s, not %d", h->unit,
			 collective_name(&h->collective), chunks);
}

/* Trees of one half and, unless A is NULL, its algorithm. */
static bool solve_half(const struct topology *t, struct forest_half *h, int chunks, struct algorithm **a, struct error *e)
{
	struct problem p;

	watch_note("computing bounds", 0, 0);
	if (!problem_open(t, &h->collective, &p, e))
		return false;
	bool ok = grow_trees(&p, h, e) && (!chunks || check_chunks(h, chunks, e));
	if (ok && a) {
		*a = chunks ? in_waves(&p, h, chunks / h->unit, e) : in_enough_waves(&p, h, e);
		ok = *a != NULL;
	}
	problem_close(&p);
	return ok;
}

/* Joins both halves, which are cut into the same chunks, one after the other. */
static struct algorithm *compose(const struct topology *t, const struct collective *k, struct algorithm *const halves[2],
				 struct error *e)
{
	struct algorithm *both = algorithm_joined(halves[0], halves[1], e);
	struct problem p;

	if (!both)
		return NULL;
	if (!problem_open(t, k, &p, e)) {
		algorithm_free(both);
		return NULL;
	}
	both = problem_judged(&p, both, e);
	problem_close(&p);
	return both;
}

static bool solve_all(const struct topology *t, const struct collective *k, int chunks, bool wants, struct forest_answer *out,
		      struct error *e)
{
	struct algorithm *a[2] = {0};
	bool ok = true;

	for (int i = 0; i < kinds[k->kind].n && ok; i++) {
		struct forest_half *h = &out->halves[out->n_halves++];
		h->collective = (struct collective){.kind = kinds[k->kind].of[i], .root = k->root};
		/* C of an allreduce counts all blocks, as that of a reducescatter does. */
		int own = k->kind == ALLREDUCE && h->collective.kind == ALLGATHER ? chunks / t->nodes : chunks;
		ok = solve_half(t, h, own, wants ? &a[i] : NULL, e);
	}
	if (ok && wants && out->n_halves == 2)
		out->algorithm = compose(t, k, a, e);
	else if (ok && wants) {
		out->algorithm = a[0];
		a[0] = NULL;
	}
	algorithm_free(a[0]);
	algorithm_free(a[1]);
	return ok && (!wants || out->algorithm);
}

bool forest_solve(const struct topology *t, const struct collective *k, int chunks, bool wants_algorithm,
		  struct forest_answer *out, struct error *e)
{
	*out = (struct forest_answer){0};
	if (kinds[k->kind].n == 0)
		return error_set(e, ERROR_INPUT, "-c", "trees serve only allgather, reducescatter, allreduce, broadcast and reduce, not %s",
				 collective_name(k));
	if (chunks && !collective_check(k, t->nodes, chunks, e))
		return false;
	if (solve_all(t, k, chunks, wants_algorithm, out, e))
		return true;
	forest_answer_free(out);
	*out = (struct forest_answer){0};
	return false;
}

void forest_answer_free(struct forest_answer *a)
{
	for (int i = 0; i < a->n_halves; i++)
		forest_free(&a->halves[i].forest);
	algorithm_free(a->algorithm);
}
