/* Values of programs on known machines, under every group of symmetries, and algorithms that attain them. */

#include "core/base/error.h"
#include "core/base/stop.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "core/verify/verify.h"
#include "synth/problem/problem.h"
#include "synth/program/timed_program.h"
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
		timed_program_free(&q);
		problem_instance_done(&i);
	}
	problem_close(&p);
	topology_free(t);
}

/* A deadline that has passed leaves a bound that holds, and no more. */
Test(timed_program, deadlines_leave_a_bound)
{
	struct node_group none = node_group_none();
	struct question q;
	struct timed_program s;
	struct error e = {0};

	ask(&q, "gaudi-hls1", BROADCAST, 4);
	double before = stop_within(0);
	cr_assert(timed_program_solve(&q.i, &none, 4, NULL, &s, &e), "%s", e.what);
	stop_restore(before);
	cr_expect(rational_ok(s.at_least) && rational_compare(s.at_least, rational(2, 11)) <= 0);
	if (rational_ok(s.attained))
		cr_expect(ge(int, rational_compare(s.attained, rational(2, 11)), 0));
	timed_program_free(&s);
	done(&q);
}
