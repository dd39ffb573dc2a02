/* Algorithms of one machine over copies of it: whatever joins the copies, what is made does what the whole is for. */

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "core/verify/verify.h"
#include "synth/replicate/distribute.h"
#include "tests/synth/methods/built.h"
#include "tests/support/random.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(distribute, .description = "over copies of a machine", .timeout = 300);

static uint64_t state = 0x9e3779b97f4a7c15;

static int below(int n)
{
	return random_below(&state, n);
}

static void join(struct topology *t, int a, int b)
{
	t->links = realloc(t->links, (t->n_links + 2) * sizeof *t->links);
	t->links[t->n_links++] = (struct link){a, b, 1 + below(2), -1};
	t->links[t->n_links++] = (struct link){b, a, 1 + below(2), -1};
}

static int by_ends(const void *va, const void *vb)
{
	const struct link *a = va, *b = vb;
	return a->src != b->src ? (a->src > b->src) - (a->src < b->src) : (a->dst > b->dst) - (a->dst < b->dst);
}

/* Copies of ONE in a row, each joined to the next by a link or several between nodes by chance. */
static struct topology *row_of(const struct topology *one, int copies)
{
	struct topology *t = topology_copy(one);

	t->nodes = copies * one->nodes;
	t->n_links = 0;
	for (int c = 0; c < copies; c++)
		for (size_t i = 0; i < one->n_links; i++) {
			t->links = realloc(t->links, (t->n_links + 1) * sizeof *t->links);
			struct link l = one->links[i];
			l.src += c * one->nodes;
			l.dst += c * one->nodes;
			t->links[t->n_links++] = l;
		}
	for (int c = 1; c < copies; c++)
		for (int k = 0, from = below(one->nodes); k <= below(3); k++)
			join(t, (c - 1) * one->nodes + (from + k) % one->nodes, c * one->nodes + (from + 2 * k) % one->nodes);
	qsort(t->links, t->n_links, sizeof *t->links, by_ends);
	for (size_t i = 1; i < t->n_links; i++)
		cr_assert(by_ends(&t->links[i - 1], &t->links[i]) < 0);
	return t;
}

/* Takes nothing; the same kind with so many chunks, and a claim no better than the bounds: the judge says that of all. */
static void expect_whole(const struct topology *t, struct algorithm *const *local, size_t n, int steps, enum collective_kind kind)
{
	struct error e = {0};
	struct algorithm *a = distributed(t, local, n, steps, &e);

	cr_assert(a != NULL, "%s on %d nodes of %s: %s: %s", collective_rows()[kind].name, t->nodes, local[0]->topology->name, e.where,
		  e.what);
	struct verdict v = algorithm_verify(a);
	cr_expect(eq(int, v.fault, FAULT_NONE), "%s: %s", a->name, v.why);
	cr_expect(eq(int, (int)a->collective.kind, (int)kind));
	cr_expect(a->has_bounds);
	algorithm_free(a);
}

static void expect_all_kinds(const struct topology *t, const char *one)
{
	static const enum collective_kind kinds[] = {ALLTOALL, ALLGATHER, REDUCESCATTER, BROADCAST, REDUCE, GATHER, SCATTER};
	struct algorithm *of[COLLECTIVE_KINDS] = {NULL};

	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		of[kinds[k]] = built_well("direct", one, kinds[k], 0);
		expect_whole(t, &of[kinds[k]], 1, 0, kinds[k]);
		expect_whole(t, &of[kinds[k]], 1, 200, kinds[k]);
	}
	expect_whole(t, (struct algorithm *[]){of[SCATTER], of[GATHER]}, 2, 0, ALLTOALL);
	expect_whole(t, (struct algorithm *[]){of[REDUCESCATTER], of[ALLGATHER]}, 2, 0, ALLREDUCE);
	expect_whole(t, (struct algorithm *[]){of[REDUCESCATTER], of[ALLGATHER]}, 2, 400, ALLREDUCE);
	for (int k = 0; k < COLLECTIVE_KINDS; k++)
		algorithm_free(of[k]);
}

static const char *const machines[] = {"ring:4", "line:3", "star:4", "complete:4", "mesh:2x3", "switch:3", "torus:3x3"};
enum { MACHINES = sizeof machines / sizeof *machines };

Test(distribute, over_boxes_on_a_switch)
{
	for (int m = 0; m < MACHINES; m++)
		for (int copies = 2; copies <= 4; copies += 2) {
			struct error e = {0};
			char name[64];
			snprintf(name, sizeof name, "%s*%dx%d", machines[m], copies, m % 3 + 1);
			struct topology *t = topology_open(name, &e);
			cr_assert(t != NULL, "%s: %s", e.where, e.what);
			expect_all_kinds(t, machines[m]);
			topology_free(t);
		}
}

Test(distribute, over_rows_joined_by_a_few_links)
{
	for (int nth = 0; nth < 40; nth++) {
		struct error e = {0};
		const char *name = machines[nth % (MACHINES - 2)]; /* no switches: they are numbered behind all nodes */
		struct topology *one = topology_open(name, &e), *t = row_of(one, 2 + nth % 3);
		expect_all_kinds(t, name);
		topology_free(one);
		topology_free(t);
	}
}

Test(distribute, boxes_keep_their_limits_to_themselves)
{
	struct error e = {0};
	struct topology *one = topology_open("amd-z52", &e), *two = topology_open("amd-z52*2", &e);

	cr_assert(one != NULL && two != NULL, "%s: %s", e.where, e.what);
	cr_expect(eq(sz, two->n_limits, 2 * one->n_limits));
	cr_expect(eq(int, two->nodes, 16));
	cr_expect(eq(sz, two->n_links, 2 * (one->n_links + 16)));
	for (size_t i = 0; i < two->n_limits; i++)
		for (size_t k = 0; k < two->limits[i].n_edges; k++) {
			const struct edge_ends *x = &two->limits[i].edges[k];
			cr_expect(topology_link(two, x->src, x->dst) != NULL);
			cr_expect(eq(int, x->src / 8, x->dst / 8));
		}
	topology_free(one);
	topology_free(two);
}

/* Nothing is lost where the switch is what binds. */
Test(distribute, an_alltoall_meets_the_bound_of_the_boxes)
{
	struct error e = {0};
	struct topology *t = topology_open("complete:4*4", &e);
	struct algorithm *local = built_well("direct", "complete:4", ALLTOALL, 4), *a = distributed(t, &local, 1, 0, &e);

	cr_assert(a != NULL, "%s", e.what);
	cr_expect(rational_compare(algorithm_bandwidth(a), a->bound_bandwidth) == 0);
	algorithm_free(a);
	algorithm_free(local);
	topology_free(t);
}

/* Of two copies there is one group to carry, and steps that are not needed do not make it worse. */
Test(distribute, steps_that_there_may_be_are_no_loss)
{
	struct error e = {0};
	struct topology *t = topology_open("ring:3*2", &e);
	struct algorithm *local = built_well("ring", "ring:3", ALLGATHER, 2), *plain = distributed(t, &local, 1, 0, &e);

	for (int steps = (int)plain->n_steps; steps <= 100; steps *= 5) {
		struct algorithm *a = distributed(t, &local, 1, steps, &e);
		cr_assert(a != NULL, "%s", e.what);
		cr_expect(algorithm_rounds(a) <= algorithm_rounds(plain), "%d steps: %d rounds, not %d", steps, algorithm_rounds(a), algorithm_rounds(plain));
		algorithm_free(a);
	}
	algorithm_free(plain);
	algorithm_free(local);
	topology_free(t);
}

/* With a step for each copy the switch is busy all the time, and what is played in the boxes costs nothing. */
Test(distribute, more_steps_have_fewer_rounds)
{
	struct error e = {0};
	struct topology *t = topology_open("complete:4*8", &e);
	struct algorithm *local = built_well("direct", "complete:4", ALLGATHER, 1);
	struct rational last = rational(1000, 1);

	for (int steps = 2; steps <= 8; steps += 3) {
		struct algorithm *a = distributed(t, &local, 1, steps, &e);
		cr_assert(a != NULL, "%s", e.what);
		cr_expect(le(sz, a->n_steps, (size_t)steps));
		cr_expect(rational_compare(algorithm_bandwidth(a), last) < 0, "%d steps", steps);
		last = algorithm_bandwidth(a);
		algorithm_free(a);
	}
	cr_expect(rational_compare(last, rational(8, 1)) == 0, "7 rounds for what comes, and one more to hand the last on");
	cr_expect(distributed(t, &local, 1, 1, &e) == NULL);
	cr_expect(eq(int, e.kind, ERROR_INPUT));
	algorithm_free(local);
	topology_free(t);
}
