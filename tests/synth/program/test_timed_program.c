/* Values of programs on known machines, under every group of symmetries, and algorithms that attain them. */

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/base/text.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"
#include "core/verify/verify.h"
#include "synth/problem/problem.h"
#include "synth/program/block_growth.h"
#include "synth/program/images.h"
#include "synth/program/late_tree.h"
#include "synth/program/least_rounds.h"
#include "synth/program/refinement.h"
#include "synth/program/room.h"
#include "synth/program/timed_program.h"
#include "synth/program/tree_bound.h"
#include "synth/program/tree_descent.h"
#include "synth/program/tree_paths.h"
#include "synth/program/whole_shares.h"
#include "tests/support/random.h"
#include "tests/synth/program/program_algorithm.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <flint/flint.h>
#include <stdio.h>
#include <stdlib.h>

static void free_caches(void)
{
	flint_cleanup_master();
}

TestSuite(timed_program, .description = "the least R/C of so many steps", .fini = free_caches);

enum { GROUPS = 4 };
static const char *const group_names[GROUPS] = {"all", "none", "regular", "rotation"};

static struct node_group group_of(int g, const struct network *w, int root)
{
	return g == 0 ? node_group_all(w, root) : g == 1 ? node_group_none() :
	       g == 2 ? node_group_regular(w) : node_group_rotation(w, root);
}

static const struct known {
	const char *machine;
	enum collective_kind kind;
	int root, steps, num, den;
	int chunks; /* some group attains it with at most so many; 0: not asked */
} rows[] = {
	{"dgx-h100", BROADCAST, 0, 1, 7, 18, 18},    {"dgx-h100", BROADCAST, 0, 2, 7, 72, 144},
	{"dgx-h100", BROADCAST, 0, 3, 7, 90, 0},     {"dgx-h100", BROADCAST, 0, 4, 7, 99, 0},
	{"dgx-h100", ALLGATHER, 0, 1, 7, 18, 18},    {"dgx-h100", ALLTOALL, 0, 1, 7, 144, 144},
	{"dgx1", BROADCAST, 0, 2, 1, 1, 2},          {"dgx1", BROADCAST, 0, 3, 1, 2, 24},
	{"dgx1", BROADCAST, 0, 4, 1, 3, 12},         {"dgx1", BROADCAST, 1, 3, 9, 22, 22},
	{"dgx1", BROADCAST, 1, 4, 4, 13, 117},        {"dgx1", BROADCAST, 1, 5, 5, 19, 0},
	{"dgx1", GATHER, 1, 2, 7, 6, 6},             {"dgx1", ALLTOALL, 0, 2, 1, 3, 24},
	{"dgx1", ALLGATHER, 0, 2, 3, 2, 2},          {"dgx1", ALLGATHER, 0, 3, 7, 6, 0},
	{"dgx1", REDUCE, 1, 3, 9, 22, 22},           {"dgx1", REDUCESCATTER, 0, 2, 3, 16, 16},
	{"dgx1", SCATTER, 1, 2, 7, 48, 48},
	{"amd-z52", BROADCAST, 0, 4, 2, 1, 2},       {"amd-z52", BROADCAST, 0, 5, 5, 4, 4},
	{"amd-z52", BROADCAST, 0, 6, 1, 1, 6},
	{"gaudi-hls1", BROADCAST, 0, 1, 1, 1, 1},    {"gaudi-hls1", BROADCAST, 0, 2, 1, 4, 0},
	{"gaudi-hls1", BROADCAST, 0, 3, 1, 5, 0},
	/* An algorithm of 22 chunks and 4 rounds exists, and is verified below: nothing above 2/11 can be the least. */
	{"gaudi-hls1", BROADCAST, 0, 4, 2, 11, 22},
	{"gb200-nvl72", BROADCAST, 0, 2, 71, 648, 0}, {"dgx-h100*2", BROADCAST, 0, 3, 16, 79, 0},
	/* Behind a switch, n receivers: 2n / (b (n + 1)). */
	{"switch:9", BROADCAST, 0, 2, 16, 9, 0},
};

/* What the solution says under one group; the chunks that attain it, or 0. */
static int check_group(const struct known *r, const struct problem *p, const struct instance *i, int g)
{
	enum { MOST = 1 << 12 };
	int root = collective_row(&p->asked)->rooted ? p->asked.root : -1;
	struct node_group group = group_of(g, p->network, root);
	struct rational value = rational(r->num, r->den), unit = rational(p->unit, 1);
	struct timed_program q;
	struct error e = {0};
	char text[RATIONAL_TEXT];

	cr_assert(timed_program_solve(i, &group, r->steps, NULL, &q, &e), "%s: %s", r->machine, e.what);
	node_group_free(&group);
	struct rational at_least = rational_div(q.at_least, unit), attained = rational_div(q.attained, unit);
	cr_expect(rational_ok(at_least) && rational_compare(at_least, value) == 0, "%s in %d steps, %s: at least %s",
		  r->machine, r->steps, group_names[g], rational_text(at_least, text));
	cr_expect(rational_ok(attained) && rational_compare(attained, value) == 0, "%s in %d steps, %s: attained %s",
		  r->machine, r->steps, group_names[g], rational_text(attained, text));
	int chunks = program_chunks(p, &q, MOST);
	if (chunks) {
		struct algorithm *a = program_algorithm(p, &q, chunks, &e);
		cr_assert(a != NULL, "%s in %d steps, %s: %s", r->machine, r->steps, group_names[g], e.what);
		cr_expect(eq(int, algorithm_verify(a).fault, FAULT_NONE));
		cr_expect(eq(int, a->chunks, chunks));
		cr_expect(eq(sz, a->n_steps, (size_t)r->steps));
		cr_expect(eq(int, rational_compare(algorithm_bandwidth(a), value), 0), "%s in %d steps, %s", r->machine, r->steps,
			  group_names[g]);
		algorithm_free(a);
	}
	timed_program_free(&q);
	return chunks;
}

Test(timed_program, values_are_known)
{
	for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
		const struct known *r = &rows[n];
		struct error e = {0};
		struct topology *t = topology_open(r->machine, &e);
		struct collective k = {.kind = r->kind, .root = r->root};
		struct problem p;
		struct instance i;
		int least = 0;
		bool large = t && t->nodes > 16;

		cr_assert(t && problem_open(t, &k, &p, &e) &&
			  problem_instance(&p, (struct candidate){p.unit, r->steps, r->steps}, &i, &e), "%s: %s", r->machine, e.what);
		for (int g = 0; g < (large ? 1 : GROUPS); g++) {
			int chunks = check_group(r, &p, &i, g);
			least = chunks && (!least || chunks < least) ? chunks : least;
		}
		if (r->chunks)
			cr_expect(least && least <= r->chunks, "%s from %d in %d steps: %d chunks", r->machine, r->root, r->steps, least);
		problem_instance_done(&i);
		problem_close(&p);
		topology_free(t);
	}
}

/* Opens what the tests below ask, with C the unit. */
struct question {
	struct topology *t;
	struct problem p;
	struct instance i;
};

static void ask(struct question *q, const char *machine, enum collective_kind kind, int steps)
{
	struct error e = {0};
	struct collective k = {.kind = kind};

	q->t = topology_open(machine, &e);
	cr_assert(q->t && problem_open(q->t, &k, &q->p, &e) &&
		  problem_instance(&q->p, (struct candidate){q->p.unit, steps, steps}, &q->i, &e), "%s: %s", machine, e.what);
}

static void done(struct question *q)
{
	problem_instance_done(&q->i);
	problem_close(&q->p);
	topology_free(q->t);
}

/* One step is enough and the second idle: a step has a round, so that no C attains the value, and all come near it. */
Test(timed_program, idle_steps_have_rounds)
{
	struct question q;
	struct node_group none = node_group_none();
	struct timed_program s;
	struct error e = {0};

	ask(&q, "complete:4", ALLGATHER, 2);
	cr_assert(timed_program_solve(&q.i, &none, 2, NULL, &s, &e), "%s", e.what);
	cr_expect(eq(int, rational_compare(s.at_least, rational(1, 1)), 0));
	int chunks = program_chunks(&q.p, &s, 1000);
	struct algorithm *a = program_algorithm(&q.p, &s, 100, &e);
	cr_assert(a != NULL, "%s", e.what);
	struct rational has = algorithm_bandwidth(a);
	if (chunks) /* a solution in which neither step is idle */
		cr_expect(eq(int, rational_compare(has, rational(1, 1)), 0));
	else
		cr_expect(eq(int, rational_compare(has, rational(101, 100)), 0));
	algorithm_free(a);
	timed_program_free(&s);
	done(&q);
}

/* Too few steps are an error of the input, and leave nothing behind. */
Test(timed_program, too_few_steps)
{
	struct question q;
	struct node_group none = node_group_none();
	struct timed_program s;
	struct error e = {0};

	ask(&q, "ring:6", BROADCAST, 3);
	cr_expect(not(timed_program_solve(&q.i, &none, 2, NULL, &s, &e)));
	cr_expect(eq(int, e.kind, ERROR_INPUT));
	done(&q);
}

/*
 * Behind a switch with different links, 25 receivers are one class at first, and each its own at later prices: too many
 * sets of them to be priced. What cannot be priced must not be taken for expensive.
 */
Test(timed_program, unpriced_is_unproved)
{
	enum { NODES = 26, STEPS = 3 };
	struct topology *t = topology_open("switch:26", &(struct error){0});
	struct collective k = {.kind = BROADCAST};
	struct node_group none = node_group_none();
	struct problem p;
	struct instance i;
	struct timed_program s;
	struct error e = {0};

	for (size_t l = 0; l < t->n_links; l++)
		t->links[l].bandwidth = t->links[l].src < NODES ? 10 + 7 * t->links[l].src % 23 : 10 + 5 * t->links[l].dst % 29;
	cr_assert(problem_open(t, &k, &p, &e) && problem_instance(&p, (struct candidate){1, STEPS, STEPS}, &i, &e), "%s",
		  e.what);
	cr_assert(timed_program_solve(&i, &none, STEPS, NULL, &s, &e), "%s", e.what);
	cr_expect(rational_ok(s.at_least) && rational_ok(s.attained) && rational_compare(s.at_least, s.attained) < 0);
	timed_program_free(&s);
	problem_instance_done(&i);
	problem_close(&p);
	topology_free(t);
}

/* There is a verified algorithm of at most MOST chunks, whose R/C is at most FACTOR times what the program attains. */
static void expect_algorithm(const struct problem *p, const struct timed_program *q, int most, double factor)
{
	struct error e = {0};
	struct algorithm *a = program_algorithm(p, q, most, &e);

	cr_assert(a != NULL, "%s", e.what);
	cr_expect(eq(int, algorithm_verify(a).fault, FAULT_NONE));
	double has = rational_double(algorithm_bandwidth(a)) * p->unit, least = rational_double(q->at_least);
	cr_expect(ge(dbl, has, least * (1 - 1e-12)));
	cr_expect(le(dbl, has, rational_double(q->attained) * factor + (double)q->steps * p->unit / a->chunks)); /* each has a round */
	algorithm_free(a);
}

/*
 * Bandwidths near the largest: the values are small, and so is what tells one basis from another. Too large for exact
 * prices, perhaps; but there is a solution, and its bound is near.
 */
Test(timed_program, large_bandwidths)
{
	static const int of[] = {999983, 1000000, 1000000, 999983, 1000000, 7919, 999983};
	struct topology *t = topology_open("complete:5", &(struct error){0});
	struct collective k = {.kind = BROADCAST};
	struct node_group none = node_group_none();
	struct error e = {0};
	struct problem p;

	for (size_t l = 0; l < t->n_links; l++)
		t->links[l].bandwidth = of[l * l % 7];
	cr_assert(problem_open(t, &k, &p, &e), "%s", e.what);
	for (int steps = 1; steps <= 3; steps++) {
		struct instance i;
		struct timed_program q;
		cr_assert(problem_instance(&p, (struct candidate){1, steps, steps}, &i, &e) &&
			  timed_program_solve(&i, &none, steps, NULL, &q, &e), "%s", e.what);
		cr_expect(rational_ok(q.at_least) && rational_ok(q.attained));
		cr_expect(le(int, rational_compare(q.at_least, q.attained), 0));
		cr_expect(ge(dbl, rational_double(q.at_least), rational_double(q.attained) * (1 - 1e-5)));
		expect_algorithm(&p, &q, 100, 1.1);
		timed_program_free(&q);
		problem_instance_done(&i);
	}
	problem_close(&p);
	topology_free(t);
}

/* A deadline that has passed leaves a bound that holds, and columns that make an algorithm. */
Test(timed_program, deadlines_leave_a_bound)
{
	struct node_group none = node_group_none();
	struct question q;
	struct timed_program s;
	struct error e = {0};

	ask(&q, "gaudi-hls1", BROADCAST, 4);
	double before = stop_within(0);
	cr_assert(timed_program_solve(&q.i, &none, 4, NULL, &s, &e), "%s", e.what);
	cr_expect(rational_ok(s.at_least) && s.at_least.num > 0 && rational_compare(s.at_least, rational(2, 11)) <= 0);
	cr_expect(rational_ok(s.attained) && rational_compare(s.attained, rational(2, 11)) >= 0);
	expect_algorithm(&q.p, &s, 100, 1.1);
	stop_restore(before);
	timed_program_free(&s);
	done(&q);
}

/* Where there is no time for a program of many nodes, the trees of chunks avoid each other; also, a little, without any time. */
Test(timed_program, trees_without_a_program)
{
	enum { STEPS = 13, CHUNKS = 16 };
	static const double most[] = {1.7, 6}; /* R/C; each chunk on the tree of the first takes 13 */

	for (int late = 0; late < 2; late++) {
		struct node_group all;
		struct timed_program s;
		struct question q;
		struct error e = {0};
		ask(&q, "torus:12x12", BROADCAST, STEPS);
		all = node_group_all(q.i.network, 0);
		double before = stop_within(0);
		cr_assert(timed_program_solve(&q.i, &all, STEPS, NULL, &s, &e), "%s", e.what);
		if (!late)
			stop_restore(before);
		cr_assert(refinement_serves(&s));
		struct algorithm *a = program_algorithm(&q.p, &s, CHUNKS, &e);
		stop_restore(before);
		cr_assert(a != NULL, "%s", e.what);
		cr_expect(eq(int, a->chunks, CHUNKS));
		cr_expect(le(dbl, rational_double(algorithm_bandwidth(a)), most[late]));
		algorithm_free(a);
		timed_program_free(&s);
		node_group_free(&all);
		done(&q);
	}
}

/* A ring with chords, of links that differ: no symmetry. */
static struct topology *irregular(int nodes)
{
	char name[32];
	struct text ring = {0};

	snprintf(name, sizeof name, "ring:%d", nodes);
	text_add(&ring, "%s", name);
	for (int v = 0; v < nodes; v++)
		if (v % 5 < 3 && v + 3 + v % 4 < nodes)
			text_add(&ring, "@add=%d-%dx%d", v, v + 3 + v % 4, 1 + v % 3);
	struct topology *t = topology_open(ring.bytes, &(struct error){0});
	cr_assert(t != NULL, "%s", ring.bytes);
	text_free(&ring);
	return t;
}

/* The clock is looked at within the pricing of a tree, which takes seconds here, and within the linear program. */
Test(timed_program, deadlines_are_kept)
{
	enum { NODES = 16, STEPS = 8 };
	static const double seconds[] = {0, 0.05, 0.5};
	struct topology *t = irregular(NODES);
	struct collective k = {.kind = ALLGATHER};
	struct node_group none = node_group_none();
	struct error e = {0};
	struct problem p;
	struct instance i;

	cr_assert(problem_open(t, &k, &p, &e) && problem_instance(&p, (struct candidate){p.unit, STEPS, STEPS}, &i, &e), "%s",
		  e.what);
	struct rational cut = problem_bandwidth_in(&p, STEPS, TIMED_FULL);
	for (size_t n = 0; n < sizeof seconds / sizeof *seconds; n++) {
		struct timed_program s;
		double begin = clock_seconds(), before = stop_within(seconds[n]);
		cr_assert(timed_program_solve(&i, &none, STEPS, NULL, &s, &e), "%s", e.what);
		double took = clock_seconds() - begin;
		cr_expect(le(dbl, took, seconds[n] + 0.5), "%g seconds took %g", seconds[n], took);
		cr_expect(rational_ok(s.at_least) && s.at_least.num > 0);
		cr_expect(rational_ok(s.attained) && rational_compare(s.attained, cut) >= 0);
		cr_expect(le(int, rational_compare(s.at_least, s.attained), 0));
		expect_algorithm(&p, &s, 50, 1.3);
		cr_expect(le(dbl, clock_seconds() - begin, seconds[n] + 1));
		stop_restore(before);
		timed_program_free(&s);
	}
	problem_instance_done(&i);
	problem_close(&p);
	topology_free(t);
}

/* Groups too large to list: every commodity has images of a sample. */
Test(timed_program, large_groups_are_sampled)
{
	static const struct {
		const char *machine;
		enum collective_kind kind;
		int steps, most;
	} large[] = {{"gb200-nvl72", BROADCAST, 2, 300}, {"dgx-h100*2", ALLGATHER, 2, 40}, {"switch:9", ALLTOALL, 2, 90},
		     {"dgx-a100*2", GATHER, 3, 40}};

	for (size_t n = 0; n < sizeof large / sizeof *large; n++) {
		struct question q;
		struct timed_program s;
		struct error e = {0};
		ask(&q, large[n].machine, large[n].kind, large[n].steps);
		struct node_group all = node_group_all(q.p.network, collective_row(&q.p.asked)->rooted ? 0 : -1);
		cr_assert(timed_program_solve(&q.i, &all, large[n].steps, NULL, &s, &e), "%s", e.what);
		cr_expect(not(images_are_listed(&s)), "%s", large[n].machine);
		cr_expect(eq(int, timed_program_chunks(&s, 1 << 20), 0));
		expect_algorithm(&q.p, &s, large[n].most, 1.1);
		node_group_free(&all);
		timed_program_free(&s);
		done(&q);
	}
}

/* Few rounds: where an image is one send to each of 70 others, chunks must fill what images cannot. */
Test(timed_program, few_rounds_are_filled)
{
	struct question q;
	struct least_rounds l;
	struct error e = {0};
	int chunks, rounds = 0;

	ask(&q, "gb200-nvl72", BROADCAST, 4);
	cr_assert(least_rounds_find(&q.i, 4, NULL, &l, &e), "%s", e.what);
	cr_expect(l.attained && rational_compare(l.least, rational(71, 963)) == 0);
	struct step *steps = least_rounds_steps(&l, 1024, false, &chunks, &e);
	cr_assert(steps != NULL, "%s", e.what);
	for (int s = 0; s < 4; s++)
		rounds += steps[s].rounds;
	cr_expect(le(dbl, (double)rounds / chunks, 71.0 / 963 * 1.01), "%d rounds, %d chunks", rounds, chunks);
	struct algorithm *a = problem_algorithm(&q.p, (struct candidate){chunks, 4, rounds}, steps, 4, &e);
	cr_assert(a != NULL, "%s", e.what);
	cr_expect(eq(int, algorithm_verify(a).fault, FAULT_NONE));
	algorithm_free(a);
	least_rounds_free(&l);
	done(&q);
}

/* Images get chunks that fit the rounds, and nearly as many as the program has. */
static void check_shares(const struct timed_program *p, const struct images *x, int times)
{
	int *rounds = new_array(int, (size_t)p->steps), *taken = new_array(int, x->n), *carried = new_array(int, p->commodities.n_all);
	struct whole_shares shares;
	struct room r;

	for (int s = 0; s < p->steps; s++)
		rounds[s] = (int)(rational_double(p->rounds[s]) * times) + 1;
	cr_assert(whole_shares_open(p, x, times, &shares));
	room_new(p->instance->network, p->steps, rounds, &r);
	whole_shares_find(&shares, rounds, taken);
	for (size_t i = 0; i < x->n; i++) {
		cr_assert(ge(int, taken[i], 0));
		carried[x->of[i].commodity] += taken[i];
		for (int j = 0; j < x->of[i].n; j++)
			room_add(&r, x->of[i].of[j], taken[i]);
	}
	for (int j = 0; j < p->steps * r.n; j++)
		cr_expect(le(long, r.load[j], r.most[j]));
	for (size_t k = 0; k < p->commodities.n_all; k++)
		cr_expect(ge(dbl, carried[k], 0.99 * times));
	whole_shares_close(&shares);
	room_free(&r);
	free(rounds);
	free(taken);
	free(carried);
}

Test(timed_program, whole_shares_fit_and_fill)
{
	enum { TIMES = 1000 };
	static const struct {
		const char *machine;
		enum collective_kind kind;
		int steps;
	} asked[] = {{"dgx1v*2", BROADCAST, 3}, {"dgx1-pcie", GATHER, 1}, {"mi250x-frontier", ALLGATHER, 4}};

	for (size_t n = 0; n < sizeof asked / sizeof *asked; n++) {
		struct least_rounds l;
		struct question q;
		struct error e = {0};
		struct images x;
		ask(&q, asked[n].machine, asked[n].kind, asked[n].steps);
		cr_assert(least_rounds_find(&q.i, asked[n].steps, NULL, &l, &e), "%s", e.what);
		cr_assert(images_new(&l.program, &x));
		check_shares(&l.program, &x, TIMES);
		images_free(&x);
		least_rounds_free(&l);
		done(&q);
	}
}

/* Two irregular boxes have trees of many small shares. Packed by their shares alone they lose 0.5 %. */
Test(timed_program, small_shares_are_packed)
{
	struct question q;
	struct least_rounds l;
	struct error e = {0};

	ask(&q, "dgx1v*2", BROADCAST, 3);
	cr_assert(least_rounds_find(&q.i, 3, NULL, &l, &e), "%s", e.what);
	cr_expect(eq(int, rational_compare(l.least, rational(15, 28)), 0));
	struct algorithm *a = program_algorithm(&q.p, &l.program, 1024, &e);
	cr_assert(a != NULL, "%s", e.what);
	cr_expect(eq(int, algorithm_verify(a).fault, FAULT_NONE));
	cr_expect(le(dbl, rational_double(algorithm_bandwidth(a)), 15.0 / 28 * 1.002));
	algorithm_free(a);
	int chunks, rounds = 0;
	struct step *exactly = least_rounds_steps(&l, 1000, true, &chunks, &e);
	cr_assert(exactly != NULL, "%s", e.what);
	cr_expect(eq(int, chunks, 1000));
	for (int s = 0; s < 3; s++)
		rounds += exactly[s].rounds;
	cr_expect(le(dbl, rounds, 15.0 / 28 * 1000 * 1.01), "%d rounds", rounds);
	steps_free(exactly, 3);
	least_rounds_free(&l);
	done(&q);
}

/* After the deadline there is a schedule still, also with exactly so many chunks. */
Test(timed_program, late_schedules)
{
	for (int exactly = 0; exactly < 2; exactly++) {
		struct question q;
		struct least_rounds l;
		struct error e = {0};
		int chunks, rounds = 0;
		ask(&q, "mi50-two-rings", ALLGATHER, 3);
		double before = stop_within(0), begin = clock_seconds();
		cr_assert(least_rounds_find(&q.i, 3, NULL, &l, &e), "%s", e.what);
		struct step *steps = least_rounds_steps(&l, 97, exactly, &chunks, &e);
		cr_expect(le(dbl, clock_seconds() - begin, 0.5));
		stop_restore(before);
		cr_assert(steps != NULL, "%s", e.what);
		cr_expect(exactly ? chunks == 97 : chunks > 0 && chunks <= 97);
		for (int s = 0; s < 3; s++)
			rounds += steps[s].rounds;
		struct algorithm *a = problem_algorithm(&q.p, (struct candidate){chunks, 3, rounds}, steps, 3, &e);
		cr_assert(a != NULL, "%s", e.what);
		cr_expect(le(int, rational_compare(l.least, algorithm_bandwidth(a)), 0));
		algorithm_free(a);
		least_rounds_free(&l);
		done(&q);
	}
}

/* A chunk that cannot be brought everywhere in the room left changes nothing; one that can takes just what it needs. */
Test(timed_program, late_trees_fit_the_room)
{
	struct question q;
	struct room r;
	struct timed_tree t;
	uint8_t role[4] = {ROLE_HAS, ROLE_NONE, ROLE_NONE, ROLE_WANTS};

	ask(&q, "line:4", BROADCAST, 3);
	room_new(q.p.network, 4, (int[]){0, 1, 1, 0}, &r);
	cr_expect(not(late_tree_find(&r, role, &t)), "three hops in two steps");
	for (int i = 0; i < r.n * r.steps; i++)
		cr_expect(eq(long, r.load[i], 0));
	room_free(&r);
	room_new(q.p.network, 4, (int[]){1, 1, 1, 1}, &r);
	cr_assert(late_tree_find(&r, role, &t));
	cr_assert(eq(int, t.n, 3));
	for (int i = 0; i < 3; i++) {
		cr_expect(eq(int, t.of[i].step, i + 1), "as late as can be");
		cr_expect(eq(int, t.of[i].edge, network_edge(q.p.network, i, i + 1)));
		cr_expect(not(room_fits(&r, t.of[i])));
	}
	free(t.of);
	cr_assert(late_tree_find(&r, role, &t), "the first three steps are left");
	cr_expect(eq(int, t.of[0].step, 0));
	free(t.of);
	cr_expect(not(late_tree_find(&r, role, &t)));
	for (int s = 0; s < 4; s++)
		cr_expect(eq(int, room_rounds(&r, s), 1));
	room_free(&r);
	done(&q);
}

static double cost_of(const struct network *w, const struct timed_tree *t, const double *prices)
{
	double sum = 0;

	for (int i = 0; i < t->n; i++)
		sum += prices[(size_t)t->of[i].step * w->n_edges + (size_t)t->of[i].edge];
	return sum;
}

/* A tree, as its definition says. */
static void check_tree(const struct network *w, const struct commodity *k, int steps, const struct timed_tree *t)
{
	int at[64];

	for (int v = 0; v < w->nodes; v++)
		at[v] = k->role[v] == ROLE_HAS ? 0 : steps + 1;
	for (int i = 0; i < t->n; i++) {
		const struct edge *e = &w->edges[t->of[i].edge];
		cr_assert(i == 0 || t->of[i - 1].step <= t->of[i].step);
		cr_assert(t->of[i].step >= 0 && t->of[i].step < steps && at[e->src] <= t->of[i].step && at[e->dst] > steps);
		at[e->dst] = t->of[i].step + 1;
	}
	for (int v = 0; v < w->nodes; v++)
		cr_assert(k->role[v] != ROLE_WANTS || at[v] <= steps);
}

/* The same by pairs of nodes, at prices that cost LEAST at least; LEFT: what dual ascent left of these, after BOUND. */
static void check_pairs(const struct network *w, const struct commodity *k, int steps, const double *prices, double least,
			const double *left, double bound)
{
	for (int known = 0; known < 2; known++)
		for (double limit = least; limit <= least + 1; limit++) {
			struct tree_question q = {w, k, steps, prices, limit, known ? left : NULL, bound};
			struct priced_tree by_pairs = {0};
			cr_assert(block_growth_cheapest(&q, &by_pairs));
			cr_expect(eq(dbl, by_pairs.at_least, least), "known %d limit %g", known, limit);
			cr_expect(eq(int, by_pairs.found, limit > least));
			if (!by_pairs.found)
				continue;
			check_tree(w, k, steps, &by_pairs.tree);
			cr_expect(eq(dbl, cost_of(w, &by_pairs.tree, prices), least));
			free(by_pairs.tree.of);
		}
}

/*
 * At random prices, the more of them 0 the lower DENSITY (in percent): the bound is never above the cheapest tree of the
 * dynamic program, the trees that are found never below, and both are often equal to it.
 */
static void check_prices(const struct question *q, const struct commodity *k, int steps, int density, uint64_t *random, int *met)
{
	const struct network *w = q->p.network;
	size_t cells = (size_t)steps * w->n_edges;
	double *prices = calloc(cells, sizeof *prices), *left = calloc(cells, sizeof *left), cost;
	struct timed_tree first, path, better;
	struct priced_tree exact;

	for (size_t i = 0; i < cells; i++)
		prices[i] = random_below(random, 100) < density ? 1 + random_below(random, 20) : 0;
	cr_assert(timed_tree_earliest(w, k, steps, &first));
	check_tree(w, k, steps, &first);
	timed_tree_price(w, k, steps, prices, 1e9, &first, 1, &exact);
	cr_assert(exact.found && exact.cost == exact.at_least);
	check_tree(w, k, steps, &exact.tree);
	cr_expect(eq(dbl, cost_of(w, &exact.tree, prices), exact.cost));
	double bound = timed_tree_bound(w, k, steps, prices, left);
	cr_expect(le(dbl, bound, exact.cost));
	check_pairs(w, k, steps, prices, exact.cost, left, bound);
	cr_assert(timed_tree_of_paths(w, k, steps, prices, left, &path), "the bound is whole when all are reached");
	check_tree(w, k, steps, &path);
	cr_expect(eq(dbl, cost_of(w, &path, left), 0));
	for (int known = 0; known < 2; known++) {
		const struct timed_tree *from = known ? &first : &path;
		timed_tree_descend(w, k, steps, prices, from, 1, &better, &cost);
		check_tree(w, k, steps, &better);
		cr_expect(eq(dbl, cost_of(w, &better, prices), cost));
		cr_expect(ge(dbl, cost, exact.cost));
		cr_expect(le(dbl, cost, cost_of(w, from, prices)));
		*met += !known && cost == exact.cost && bound == cost;
		free(better.of);
	}
	free(first.of);
	free(path.of);
	free(exact.tree.of);
	free(prices);
	free(left);
}

Test(timed_program, cheap_trees_and_bounds)
{
	static const char *const names[] = {"dgx1", "amd-z52", "line:5", "star:6"};
	enum { RUNS = 60 };
	uint64_t random = 7;
	int met = 0, asked = 0;

	for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
		struct question q;
		struct commodities c;
		struct error e = {0};
		ask(&q, names[n], BROADCAST, 1);
		cr_assert(commodities_new(&q.i, NULL, 0, &c, &e));
		for (int run = 0; run < RUNS; run++, asked++) {
			struct commodity k = c.of[0];
			uint8_t role[64];
			for (int v = 0; v < c.nodes; v++) /* some nodes only pass it on */
				role[v] = run % 3 == 0 && v % 3 == 1 && k.role[v] == ROLE_WANTS ? ROLE_NONE : k.role[v];
			k.role = role;
			k.wanted = 0;
			for (int v = 0; v < c.nodes; v++)
				k.wanted += role[v] == ROLE_WANTS;
			if (k.wanted > 1)
				check_prices(&q, &k, q.p.bounds.steps + run % 3, 25 + 25 * (run % 4), &random, &met);
		}
		commodities_free(&c);
		done(&q);
	}
	cr_expect(ge(int, met, asked / 2), "only %d of %d were found and proved without the dynamic program", met, asked);
}

/* The root, three pairs of nodes, and a last node: prices depend on what the ends are, and on whether they are partners. */
Test(timed_program, cheap_trees_of_pairs)
{
	enum { RUNS = 200, KINDS = 4 };
	uint64_t random = 11;
	struct question q;
	struct commodities c;
	struct error e = {0};

	ask(&q, "complete:8", BROADCAST, 1);
	cr_assert(commodities_new(&q.i, NULL, 0, &c, &e));
	const struct network *w = q.p.network;
	double *prices = calloc(4 * w->n_edges, sizeof *prices), *left = calloc(4 * w->n_edges, sizeof *left);
	for (int run = 0; run < RUNS; run++) {
		int steps = 2 + run % 3;
		struct commodity k = c.of[0];
		struct priced_tree exact;
		struct timed_tree first;
		for (int s = 0; s < steps; s++) {
			int by[2][KINDS][KINDS];
			for (int i = 0; i < 2 * KINDS * KINDS; i++)
				by[i / KINDS / KINDS][i / KINDS % KINDS][i % KINDS] = (int)random_below(&random, 12);
			for (size_t i = 0; i < w->n_edges; i++) {
				int u = w->edges[i].src, v = w->edges[i].dst;
				bool partners = u % 7 && v % 7 && (u - 1) / 2 == (v - 1) / 2;
				int from = u == 0 ? 0 : u == 7 ? 3 : 2 - u % 2, to = v == 0 ? 0 : v == 7 ? 3 : 2 - v % 2;
				prices[(size_t)s * w->n_edges + i] = by[partners][from][to];
			}
		}
		cr_assert(timed_tree_earliest(w, &k, steps, &first));
		timed_tree_price(w, &k, steps, prices, 1e9, &first, 1, &exact);
		cr_assert(exact.found && exact.cost == exact.at_least);
		check_pairs(w, &k, steps, prices, exact.cost, left, timed_tree_bound(w, &k, steps, prices, left));
		free(first.of);
		free(exact.tree.of);
	}
	free(prices);
	free(left);
	commodities_free(&c);
	done(&q);
}

/* Two boxes whose nodes have partners: exact, where their sets are too many to look through. */
Test(timed_program, pairs_of_nodes)
{
	static const struct {
		enum collective_kind kind;
		int steps, num, den;
	} known[] = {{BROADCAST, 4, 429, 1700}, {BROADCAST, 5, 2561, 12660}, {REDUCE, 5, 4797, 24917}};

	for (size_t n = 0; n < sizeof known / sizeof *known; n++) {
		struct topology *t = topology_open("dgx2x2", &(struct error){0});
		struct collective k = {.kind = known[n].kind, .root = 0};
		struct rational value = rational(known[n].num, known[n].den);
		struct error e = {0};
		struct least_rounds l;
		struct problem p;
		struct instance i;
		cr_assert(problem_open(t, &k, &p, &e), "%s", e.what);
		cr_assert(problem_instance(&p, (struct candidate){p.unit, known[n].steps, known[n].steps}, &i, &e), "%s", e.what);
		cr_assert(least_rounds_find(&i, known[n].steps, NULL, &l, &e), "%s", e.what);
		cr_expect(l.attained && rational_compare(l.least, value) == 0, "%zu", n);
		least_rounds_free(&l);
		problem_instance_done(&i);
		problem_close(&p);
		topology_free(t);
	}
}

/* Too many sets of nodes to look through: an interval, often a point, and an algorithm near its upper end. */
Test(timed_program, irregular_machines)
{
	static const struct {
		const char *machine; /* NULL: irregular, of 24 nodes */
		enum collective_kind kind;
		int more;   /* steps */
		double gap; /* at_least to attained, at most */
	} large[] = {{NULL, ALLGATHER, 0, 1}, {NULL, BROADCAST, 1, 1.05}, {"torus:5x5@drop=0-1", BROADCAST, 0, 1},
		     {"torus:5x5@drop=0-1", ALLGATHER, 0, 1}, {"hypercube:5", BROADCAST, 0, 1.5}, {"dgx1*4", ALLGATHER, 1, 1},
		     {"fat-tree:4x4", BROADCAST, 1, 1}};

	for (size_t n = 0; n < sizeof large / sizeof *large; n++) {
		struct topology *t = large[n].machine ? topology_open(large[n].machine, &(struct error){0}) : irregular(24);
		struct collective k = {.kind = large[n].kind, .root = 1};
		struct error e = {0};
		struct least_rounds l;
		struct problem p;
		struct instance i;
		cr_assert(problem_open(t, &k, &p, &e), "%s", e.what);
		int steps = p.bounds.steps + large[n].more, chunks, rounds = 0;
		cr_assert(problem_instance(&p, (struct candidate){p.unit, steps, steps}, &i, &e) &&
			  least_rounds_find(&i, steps, NULL, &l, &e), "%s", e.what);
		double least = rational_double(l.least), most = rational_double(l.most);
		cr_expect(le(dbl, rational_double(problem_bandwidth_in(&p, steps, TIMED_FULL)), most * (1 + 1e-12)));
		cr_expect(0 < least && least <= most && most <= least * large[n].gap, "%zu: %g to %g", n, least, most);
		struct step *made = least_rounds_steps(&l, 60, false, &chunks, &e);
		cr_assert(made != NULL, "%s", e.what);
		for (int s = 0; s < steps; s++)
			rounds += made[s].rounds;
		struct algorithm *a = problem_algorithm(&p, (struct candidate){chunks, steps, rounds}, made, (size_t)steps, &e);
		cr_assert(a != NULL, "%s", e.what);
		double has = rational_double(algorithm_bandwidth(a));
		cr_expect(least * (1 - 1e-12) <= has && has <= most * 1.15, "%zu: %g, at most %g", n, has, most);
		algorithm_free(a);
		least_rounds_free(&l);
		problem_instance_done(&i);
		problem_close(&p);
		topology_free(t);
	}
}
