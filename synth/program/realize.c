/*
 * What whole numbers of chunks the images of a solution make is either exact, where the number of chunks is a multiple of
 * all denominators, or packed (synth/program/chunk_packing.c) into rounds that are tried.
 */

#include "synth/program/realize.h"

#include "synth/program/chunk_packing.h"
#include "synth/program/images.h"
#include "synth/program/refinement.h"
#include "synth/program/whole_shares.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/machine/network.h"
#include "core/schedule/algorithm.h"
#include "core/schedule/instance.h"

#include <math.h>
#include <stdlib.h>

/* The least common multiple; 0: above MOST. */
static int64_t common_multiple(int64_t a, int64_t b, int64_t most)
{
	if (a == 0) /* it was above before */
		return 0;
	int64_t factor = b / common_divisor(a, b);
	return factor > most / a ? 0 : a * factor;
}

/* The least factor of the demands that makes all shares and rounds whole; 0: above MOST. */
static int64_t exact_factor(const struct timed_program *q, const struct images *x, int64_t most)
{
	int64_t n = 1;

	for (size_t i = 0; i < x->n; i++)
		n = common_multiple(n, x->of[i].share.den, most);
	for (int s = 0; s < q->steps; s++)
		n = common_multiple(n, q->rounds[s].den, most);
	return n;
}

/* A step of an algorithm has at least one round, also one in which the solution sends nothing. */
static int idle_steps(const struct timed_program *q)
{
	int idle = 0;

	for (int s = 0; s < q->steps; s++)
		idle += q->rounds[s].num == 0;
	return idle;
}

int timed_program_chunks(const struct timed_program *q, int most)
{
	int unit = q->instance->chunks;
	struct images x;

	if (!q->rounds || idle_steps(q) || !images_new(q, &x))
		return 0;
	int64_t n = exact_factor(q, &x, most / unit);
	images_free(&x);
	return (int)n * unit;
}

/* The rounds of each step in the proportions of the solution, TOTAL of them, each step at least one. */
static void split_rounds(const struct timed_program *q, int total, int *rounds)
{
	double all = 0, carried = 0;
	int given = 0;

	for (int s = 0; s < q->steps; s++)
		all += rational_double(q->rounds[s]);
	for (int s = 0; s < q->steps; s++) {
		carried += rational_double(q->rounds[s]);
		int upto = s == q->steps - 1 ? total : (int)lround(carried / all * total);
		rounds[s] = upto - given > 1 ? upto - given : 1;
		given += rounds[s];
	}
}

/* Totals of rounds to try, the most promising first. */
struct totals {
	int n, of[24];
};

static void add_total(struct totals *t, int total)
{
	for (int i = 0; i < t->n; i++)
		if (t->of[i] == total)
			return;
	if (t->n < (int)(sizeof t->of / sizeof *t->of))
		t->of[t->n++] = total;
}

/* R/C, in times the demands, if every image carries its share in TOTAL rounds, rounded down; INFINITY: nothing is carried. */
static double floored(const struct timed_program *q, const struct images *x, int total)
{
	double factor = total / rational_double(q->attained), least = INFINITY;
	size_t end;

	for (size_t first = 0; first < x->n; first = end) {
		double carried = 0;
		for (end = first; end < x->n && x->of[end].commodity == x->of[first].commodity; end++)
			carried += floor(rational_double(x->of[end].share) * factor + 1e-9);
		least = fmin(least, carried / (double)q->commodities.of[q->commodities.orbit[x->of[first].commodity]].demand);
	}
	return least >= 1 ? total / floor(least) : INFINITY;
}

/*
 * What to try for at most MOST times the demands: the most rounds that are useful, and some less; and those where whole
 * shares of the images lose least, as where each image has many sends that must all have room.
 */
static void list_totals(const struct timed_program *q, const struct images *x, int most, struct totals *out)
{
	enum { BELOW = 8, WHOLE = 6, LOOKED_AT = 1024 };
	int total = (int)ceil(rational_double(q->attained) * most);

	*out = (struct totals){0};
	total = total > q->steps ? total : q->steps;
	add_total(out, total);
	for (int i = 0; i < WHOLE; i++) {
		int best = 0;
		double least = INFINITY;
		for (int t = total; t >= q->steps && t > total - LOOKED_AT; t--) {
			double lost = floored(q, x, t);
			bool known = false;
			for (int k = 0; k < out->n; k++)
				known = known || out->of[k] == t;
			if (!known && lost < least) {
				least = lost;
				best = t;
			}
		}
		if (best)
			add_total(out, best);
	}
	for (int i = 1; i < BELOW && total - i >= q->steps; i++)
		add_total(out, total - i);
}

static double sends_of(const struct images *x)
{
	double n = 1;

	for (size_t i = 0; i < x->n; i++)
		n += x->of[i].n;
	return n;
}

/* How many packings of MOST times the demands take an acceptable time: each chunk looks at all images of its commodity. */
static int affordable(const struct images *x, int most)
{
	static const double looks = 3e8; /* at a send; some seconds */

	return (int)fmin(looks / sends_of(x) / most, 1000) + 1;
}

/* How far R/C may be above the least, as a part of it, for another packing after N not to be worth its time. */
static double enough_after(const struct images *x, int n)
{
	static const double little = 0.0005, sends = 1 << 14;

	return little * (1 + (n - 1) * sends_of(x) / sends);
}

/* Images, and how many chunks they carry in rounds that are tried. */
struct packing_attempts {
	const struct timed_program *q;
	const struct images *x;
	int most; /* times the demands */
	bool whole;
	struct whole_shares shares; /* if WHOLE */
	int *taken, *rounds;        /* [image]; [step] */
};

static void attempts_new(const struct timed_program *q, const struct images *x, int most, struct packing_attempts *out)
{
	*out = (struct packing_attempts){.q = q, .x = x, .most = most, .taken = new_array(int, x->n),
					 .rounds = new_array(int, (size_t)q->steps)};
	out->whole = whole_shares_open(q, x, most, &out->shares);
}

static void attempts_free(struct packing_attempts *a)
{
	if (a->whole)
		whole_shares_close(&a->shares);
	free(a->taken);
	free(a->rounds);
}

/* Packs into TOTAL rounds. */
static void attempt(struct packing_attempts *a, int total, struct chunk_packing *out)
{
	split_rounds(a->q, total, a->rounds);
	if (a->whole)
		whole_shares_find(&a->shares, a->rounds, a->taken);
	chunk_packing_new(a->q, a->x, a->rounds, a->whole ? a->taken : NULL, a->most, out);
}

/* Packs at most MOST times the demands, with the least R/C found, into *BEST. False: none fit. */
static bool pack_most(const struct timed_program *q, const struct images *x, int most, struct chunk_packing *best)
{
	struct packing_attempts a;
	struct totals totals;
	bool found = false;
	double least = rational_double(q->attained);

	list_totals(q, x, most, &totals);
	attempts_new(q, x, most, &a);
	int tries = affordable(x, most);
	for (int i = 0; i < totals.n && !(found && (i >= tries || stop_is_due())); i++) {
		struct chunk_packing now;
		if (found && chunk_packing_ratio(best) <= least * (1 + enough_after(x, i)))
			break;
		attempt(&a, totals.of[i], &now);
		if (now.done && (!found || chunk_packing_ratio(&now) < chunk_packing_ratio(best))) {
			if (found)
				chunk_packing_free(best);
			*best = now;
			found = true;
		} else {
			chunk_packing_free(&now);
		}
	}
	attempts_free(&a);
	return found;
}

/* How many more rounds than TOTAL, in which the demands fit DONE times, are tried next so that they fit FACTOR times. */
static int more_rounds(const struct timed_program *q, int total, int done, int factor)
{
	double missing = ceil((factor - done) * rational_double(q->attained));
	int most = 1 + total / 64;

	return (int)fmax(1, fmin(missing, most));
}

/* Packs FACTOR times the demands into as few rounds as are found to be enough; after the deadline, into as many as it takes. */
static void pack_exactly(const struct timed_program *q, const struct images *x, int factor, struct chunk_packing *out)
{
	int total = (int)ceil(rational_double(q->attained) * factor - 1e-9);
	struct packing_attempts a;

	attempts_new(q, x, factor, &a);
	for (total = total > q->steps ? total : q->steps;;) {
		attempt(&a, total, out);
		if (out->done == factor)
			break;
		total += more_rounds(q, total, out->done, factor);
		chunk_packing_free(out);
		if (stop_is_due()) {
			chunk_packing_new(q, x, NULL, NULL, factor, out);
			break;
		}
	}
	attempts_free(&a);
}

/* Gives every image its exact share of FACTOR times the demands. */
static void share_out(const struct timed_program *q, struct images *x, int factor, int *rounds)
{
	for (size_t i = 0; i < x->n; i++)
		x->of[i].taken = (int)rational_mul(x->of[i].share, rational(factor, 1)).num;
	for (int s = 0; s < q->steps; s++) {
		rounds[s] = (int)rational_mul(q->rounds[s], rational(factor, 1)).num;
		rounds[s] = rounds[s] ? rounds[s] : 1;
	}
}

static int sum_of(const int *rounds, int steps)
{
	int sum = 0;

	for (int s = 0; s < steps; s++)
		sum += rounds[s];
	return sum;
}

/* Sends of the chunks of instance I, which are numbered, along the images. */
static struct step *steps_of(const struct timed_program *q, const struct images *x, const int *rounds, const struct instance *i)
{
	const struct edge *edges = q->instance->network->edges;
	struct step *steps = new_array(struct step, (size_t)q->steps);
	size_t *capacity = new_array(size_t, (size_t)q->steps), *next = new_array(size_t, q->commodities.n_all);
	int *left = new_array(int, q->commodities.n_all);
	uint8_t *role = new_array(uint8_t, (size_t)q->commodities.nodes);

	for (size_t k = x->n; k-- > 0;)
		next[x->of[k].commodity] = k;
	for (size_t k = 0; k < q->commodities.n_all; k++)
		left[k] = x->of[next[k]].taken;
	for (int c = 0; c < i->global_chunks; c++) {
		if (!commodity_roles(i, c, role))
			continue;
		size_t k = commodities_find(&q->commodities, role);
		while (left[k] == 0)
			left[k] = x->of[++next[k]].taken;
		left[k]--;
		const struct image *of = &x->of[next[k]];
		for (int e = 0; e < of->n; e++) {
			struct step *s = &steps[of->of[e].step];
			s->sends = grown(s->sends, &capacity[of->of[e].step], s->n_sends + 1, sizeof *s->sends);
			s->sends[s->n_sends++] = (struct send){c, edges[of->of[e].edge].src, edges[of->of[e].edge].dst};
		}
	}
	for (int s = 0; s < q->steps; s++)
		steps[s].rounds = rounds[s];
	free(capacity);
	free(next);
	free(left);
	free(role);
	return steps;
}

/* As steps_of, for FACTOR times the demands. NULL with *e set. */
static struct step *scaled_steps(const struct timed_program *q, const struct images *x, const int *rounds, int factor,
				 struct error *e)
{
	const struct instance *i = q->instance;
	struct collective unscaled = collective_unscaled(&i->collective), k = collective_scaled(&unscaled, i->chunks * factor);
	struct step *steps = NULL;
	struct instance scaled;

	if (instance_new(i->network, &k, i->chunks * factor, q->steps, sum_of(rounds, q->steps), &scaled, e))
		steps = steps_of(q, x, rounds, &scaled);
	collective_free(&k);
	collective_free(&unscaled);
	return steps;
}

/* All images, exactly shared: *FACTOR times the demands. NULL with *FACTOR 0: not with at most MOST, or not with EXACTLY of it. */
static struct step *exact_steps(const struct timed_program *q, int most, bool exactly, int *factor, struct error *e)
{
	struct step *steps = NULL;
	struct images x;

	*factor = 0;
	if (!images_new(q, &x))
		return NULL;
	int64_t least = exact_factor(q, &x, most);
	if (least && (!exactly || most % least == 0)) {
		int *rounds = new_array(int, (size_t)q->steps);
		*factor = (int)(exactly || idle_steps(q) ? most / least * least : least); /* the more, the less an idle step's round matters */
		share_out(q, &x, *factor, rounds);
		steps = scaled_steps(q, &x, rounds, *factor, e);
		free(rounds);
	}
	images_free(&x);
	return steps;
}

/* Trees for each chunk, without the solution: few chunks, since each takes its time. */
static struct step *refined_steps(const struct timed_program *q, int most, bool exactly, int *factor, struct error *e)
{
	enum { CHUNKS = 48 };
	static const double part = 0.25; /* of the time that is left: schedules of more steps may be better; those of exactly C are asked for alone */
	int chunks = exactly || most < CHUNKS ? most : CHUNKS;
	struct step *steps = NULL;
	struct chunk_packing p;

	double before = stop_within((exactly ? 1 : part) * stop_left());
	bool found = refinement_find(q, chunks, &p);
	stop_restore(before);
	if (!found)
		return NULL;
	steps = scaled_steps(q, &p.images, p.rounds, chunks, e);
	*factor = chunks;
	chunk_packing_free(&p);
	return steps;
}

/* The same, packed. */
static struct step *packed_steps(const struct timed_program *q, int most, bool exactly, int *factor, struct error *e)
{
	struct step *steps = NULL;
	struct chunk_packing p;
	struct images x;

	if (!images_new(q, &x))
		images_sample(q, &x);
	bool found = exactly || pack_most(q, &x, most, &p);
	if (exactly)
		pack_exactly(q, &x, most, &p);
	if (found) {
		*factor = p.done;
		steps = scaled_steps(q, &p.images, p.rounds, p.done, e);
		chunk_packing_free(&p);
	}
	images_free(&x);
	return steps;
}

bool timed_program_packs_well(const struct timed_program *q)
{
	struct whole_shares shares;
	struct images x;

	if (!images_new(q, &x))
		images_sample(q, &x);
	bool few = whole_shares_open(q, &x, 1, &shares);
	if (few)
		whole_shares_close(&shares);
	images_free(&x);
	return few;
}

struct step *timed_program_steps(const struct timed_program *q, int most, bool exactly, int *chunks, struct error *e)
{
	int unit = q->instance->chunks, factor = 0;
	struct step *steps = refinement_serves(q) ? refined_steps(q, most / unit, exactly, &factor, e)
						  : exact_steps(q, most / unit, exactly, &factor, e);

	if (!factor)
		steps = packed_steps(q, most / unit, exactly, &factor, e);
	if (!factor)
		error_note(e, ERROR_INPUT, "-C", "%d chunks are too few", most);
	*chunks = factor * unit;
	return steps;
}
