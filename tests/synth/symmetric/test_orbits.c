#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/schedule/symmetry.h"
#include "core/machine/topology.h"
#include "core/machine/topology_rows.h"
#include "core/schedule/transform.h"
#include "core/verify/verify_parts.h"
#include "synth/symmetric/symmetric_construction.h"
#include "synth/frontier/candidate.h"
#include "tests/support/random.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(orbits, .description = "schedules told by one send of each orbit");

/* The name may be of a file beside this one. */
static struct topology *machine(const char *name)
{
	struct error e = {0};
	char path[4096];
	bool is_file = strstr(name, ".json") != NULL;
	snprintf(path, sizeof path, "%s%s%s", is_file ? getenv("SOURCE_ROOT") : "", is_file ? "/tests/synth/symmetric/" : "", name);
	struct topology *t = topology_open(path, &e);

	cr_assert(ne(ptr, t, NULL), "%s", e.what);
	return t;
}

/* For C chunks, in steps and rounds that are enough. NULL: this way has none. Frees T. */
static struct algorithm *drawn_on(struct topology *t, enum collective_kind kind, int chunks, int steps, int rounds)
{
	struct error e = {0};
	struct collective k = {.kind = kind};
	struct problem p;

	cr_assert(problem_open(t, &k, &p, &e), "%s", e.what);
	struct algorithm *a = symmetric_construct(&p, (struct candidate){chunks, steps, rounds}, &e);
	cr_expect(eq(int, e.kind, ERROR_NONE), "%s: %s", t->name, e.what);
	problem_close(&p);
	topology_free(t);
	return a;
}

static struct algorithm *constructed(const char *name, enum collective_kind kind, int chunks, int steps, int rounds)
{
	return drawn_on(machine(name), kind, chunks, steps, rounds);
}

static const struct {
	const char *machine;
	enum collective_kind kind;
	int chunks, steps, rounds;
} best[] = {
	/* All at both bounds. */
	{"torus:4x4", ALLGATHER, 4, 4, 15},        {"torus:8x8", ALLGATHER, 4, 8, 63},       {"torus:6x10", ALLGATHER, 4, 8, 59},
	{"torus:4x8x12", ALLGATHER, 6, 12, 383},   {"hypercube:5", ALLGATHER, 5, 5, 31},     {"complete:9", ALLGATHER, 1, 1, 1},
	{"ring:7", ALLGATHER, 2, 3, 6},            {"switch:8", ALLGATHER, 1, 1, 7},         {"torus:4x4", ALLTOALL, 64, 4, 32},
	{"hypercube:4", ALLTOALL, 64, 4, 32},      {"complete:6", ALLTOALL, 6, 1, 1},        {"torus:4x4", REDUCESCATTER, 64, 4, 15},
	{"torus:4x4x4", ALLGATHER, 6, 6, 63},      {"torus:8x8", ALLTOALL, 256, 8, 256},     {"gb200-nvl72", ALLGATHER, 18, 1, 71},
	/* One chunk a pair. */
	{"torus:8x8", ALLTOALL, 64, 8, 64},        {"hypercube:6", ALLTOALL, 64, 6, 32},     {"torus:5x7", ALLTOALL, 35, 5, 30},
	{"torus:6x10", ALLTOALL, 60, 8, 75},       {"torus:4x8x2", ALLTOALL, 64, 7, 64},     {"ring:9", ALLTOALL, 9, 4, 10},
};

/* Fewer chunks than links: the bound rounded up. */
static const struct {
	const char *machine;
	int chunks, steps, rounds;
} few[] = {
	{"torus:8x8", 1, 8, 16},     {"torus:8x8", 3, 8, 48},   {"torus:16x16", 1, 16, 64},  {"torus:16x16", 2, 16, 128},
	{"hypercube:6", 1, 6, 11},   {"hypercube:6", 2, 6, 21}, {"hypercube:8", 1, 8, 32},   {"hypercube:8", 2, 8, 64},
	{"torus:6x10", 1, 8, 15},    {"torus:4x8x12", 1, 12, 64},
	/* Each GPU with a NIC of a twelfth of its NVLinks. */
	{"dgx-a100*2", 13, 4, 15}, {"dgx-a100*4", 16, 8, 49},
};

Test(orbits, alike_machines_meet_both_bounds)
{
	for (size_t i = 0; i < sizeof best / sizeof *best; i++) {
		struct algorithm *a = constructed(best[i].machine, best[i].kind, best[i].chunks, best[i].steps, best[i].rounds);
		cr_assert(ne(ptr, a, NULL), "%s %s", best[i].machine, collective_name(&(struct collective){.kind = best[i].kind}));
		cr_expect(eq(int, a->optimality.class, CLASS_BOTH), "%s", a->name);
		algorithm_free(a);
	}
}

Test(orbits, few_chunks_meet_the_bound_rounded_up)
{
	for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
		struct algorithm *a = constructed(few[i].machine, ALLGATHER, few[i].chunks, few[i].steps, few[i].rounds);
		cr_assert(ne(ptr, a, NULL), "%s, C=%d", few[i].machine, few[i].chunks);
		algorithm_free(a);
		cr_expect(eq(ptr, constructed(few[i].machine, ALLGATHER, few[i].chunks, few[i].steps, few[i].rounds - 1), NULL));
		cr_expect(eq(ptr, constructed(few[i].machine, ALLGATHER, few[i].chunks, few[i].steps - 1, few[i].rounds), NULL));
	}
}

static int by_ends(const void *va, const void *vb)
{
	const struct link *a = va, *b = vb;
	return a->src != b->src ? a->src - b->src : a->dst - b->dst;
}

/* The same machine, its nodes numbered by chance. */
static struct topology *shuffled(const char *name, unsigned seed)
{
	uint64_t state = random_start(seed);
	struct topology *t = machine(name);
	int *to = new_array(int, (size_t)t->nodes);

	for (int v = 0; v < t->nodes; v++) {
		int other = random_below(&state, v + 1);
		to[v] = to[other];
		to[other] = v;
	}
	for (size_t l = 0; l < t->n_links; l++) {
		struct link *x = &t->links[l];
		x->src = x->src < t->nodes ? to[x->src] : x->src;
		x->dst = x->dst < t->nodes ? to[x->dst] : x->dst;
	}
	qsort(t->links, t->n_links, sizeof *t->links, by_ends);
	free(to);
	return t;
}

Test(orbits, numbers_do_not_matter)
{
	for (unsigned seed = 1; seed <= 3; seed++) {
		for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
			struct algorithm *a = drawn_on(shuffled(few[i].machine, seed), ALLGATHER, few[i].chunks, few[i].steps, few[i].rounds);
			cr_expect(ne(ptr, a, NULL), "%s, C=%d", few[i].machine, few[i].chunks);
			algorithm_free(a);
		}
		struct algorithm *a = drawn_on(shuffled("torus:8x8", seed), ALLTOALL, 64, 8, 64);
		cr_expect(ne(ptr, a, NULL));
		algorithm_free(a);
	}
}

/* Alike from every node, and yet no group carries each node to each other in one way. */
Test(orbits, the_petersen_graph_has_no_regular_group)
{
	for (unsigned seed = 1; seed <= 3; seed++)
		cr_expect(eq(ptr, drawn_on(shuffled("petersen.json", seed), ALLGATHER, 3, 2, 100), NULL));
}

/* The judge of orbits, which small schedules are not left to, against the judge of every send. */
static void same_verdict(const struct algorithm *compact, enum fault expected, const char *what)
{
	struct algorithm *full = algorithm_copy(compact);
	struct error e = {0};
	struct network *w = network_new(compact->topology, &e);
	struct verdict by_orbits = {.fault = FAULT_NONE};
	enum fault one = algorithm_verify(compact).fault;

	cr_expect(verify_orbits(compact, w, &by_orbits), "%s: %s: not judged by orbits", compact->name, what);
	cr_expect(eq(int, by_orbits.fault, expected), "%s: %s: %s", compact->name, what, by_orbits.why);
	network_free(w);

	if (algorithm_expand(full, &e)) {
		enum fault all = algorithm_verify(full).fault;
		cr_expect(eq(int, one == FAULT_NONE, all == FAULT_NONE), "%s: %s: by orbits %s, in full %s", compact->name, what,
			  fault_names[one], fault_names[all]);
	}
	cr_expect(eq(int, one, expected), "%s: %s: %s", compact->name, what, algorithm_verify(compact).why);
	algorithm_free(full);
}

static struct algorithm *without_claims(struct algorithm *a)
{
	a->has_bounds = false;
	a->optimality = (struct optimality){0};
	return a;
}

Test(orbits, both_judges_agree_on_good_schedules)
{
	for (size_t i = 0; i < sizeof best / sizeof *best; i++) {
		struct algorithm *a = constructed(best[i].machine, best[i].kind, best[i].chunks, best[i].steps, best[i].rounds);
		same_verdict(a, FAULT_NONE, "as it was drawn");
		algorithm_free(a);
	}
	for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
		struct algorithm *a = constructed(few[i].machine, ALLGATHER, few[i].chunks, few[i].steps, few[i].rounds);
		same_verdict(a, FAULT_NONE, "with few chunks");
		algorithm_free(a);
	}
}

Test(orbits, both_judges_agree_that_every_send_is_needed)
{
	struct algorithm *a = without_claims(constructed("torus:4x4", ALLGATHER, 4, 4, 15));

	for (size_t s = 0; s < a->n_steps; s++)
		for (size_t i = 0; i < a->steps[s].n_sends; i++) {
			struct algorithm *less = algorithm_copy(a);
			struct step *step = &less->steps[s];
			memmove(step->sends + i, step->sends + i + 1, (step->n_sends - i - 1) * sizeof *step->sends);
			step->n_sends--;
			enum fault f = algorithm_verify(less).fault;
			cr_expect(f == FAULT_NOT_HELD || f == FAULT_NOT_DELIVERED, "step %zu without its send %zu: %s", s, i, fault_names[f]);
			same_verdict(less, f, "without a send");
			algorithm_free(less);
		}
	algorithm_free(a);
}

Test(orbits, both_judges_agree_on_what_is_wrong)
{
	struct algorithm *a = without_claims(constructed("torus:4x4", ALLGATHER, 4, 4, 16)), *b = algorithm_copy(a);

	b->steps[1].rounds--;
	same_verdict(b, FAULT_OVERLOAD, "with a round less");
	algorithm_free(b);
	b = algorithm_copy(a);
	struct step first = b->steps[0];
	b->steps[0] = b->steps[1];
	b->steps[1] = first;
	b->steps[0].rounds = b->steps[1].rounds = 8;
	same_verdict(b, FAULT_NOT_HELD, "with steps exchanged");
	algorithm_free(b);
	b = algorithm_copy(a);
	b->steps[3].sends[0].chunk++; /* of another node: some get one twice, others never */
	cr_expect(ne(int, algorithm_verify(b).fault, FAULT_NONE));
	algorithm_free(b);
	b = algorithm_copy(a);
	b->steps[0].sends[0].chunk = b->global_chunks;
	cr_expect(eq(int, algorithm_verify(b).fault, FAULT_RANGE));
	algorithm_free(b);
	b = algorithm_copy(a);
	b->steps[0].sends[0].dst = 10;
	cr_expect(eq(int, algorithm_verify(b).fault, FAULT_NO_LINK));
	algorithm_free(b);
	algorithm_free(a);
}

static void exchange(int *a, int *b)
{
	int kept = *a;
	*a = *b;
	*b = kept;
}

Test(orbits, a_relabelling_that_does_not_keep_the_machine_is_judged_in_full)
{
	struct algorithm *a = without_claims(constructed("torus:4x4", ALLGATHER, 4, 4, 15)), *full;
	struct error e = {0};
	struct network *w = network_new(a->topology, &e);
	struct verdict by_orbits;

	exchange(&a->symmetry->generators[0].nodes[3], &a->symmetry->generators[0].nodes[4]);
	full = algorithm_copy(a);
	cr_assert(algorithm_expand(full, &e), "%s", e.what);
	cr_expect(eq(int, verify_orbits(a, w, &by_orbits), 0));
	cr_expect(eq(int, algorithm_verify(a).fault, algorithm_verify(full).fault));
	network_free(w);
	algorithm_free(full);
	algorithm_free(a);
}

/* Chunks of one node that trade places with their tree: the group then fixes some nodes, and no chunk. */
Test(orbits, a_group_that_fixes_nodes_is_judged_too)
{
	struct error e = {0};
	struct topology *t = topology_open("complete:3", &e);
	struct collective k = {.kind = ALLGATHER};
	const int nodes[3][3] = {{1, 2, 0}, {0, 2, 1}}, parts[2][2] = {{0, 1}, {1, 0}};
	struct step *steps = new_array(struct step, 1);

	/* Part 0 of node 0 goes to both; the rest are images. Two rounds, as two parts cross each link. */
	steps[0] = (struct step){.rounds = 2, .n_sends = 1, .sends = new_array(struct send, 1)};
	steps[0].sends[0] = (struct send){0, 0, 1};
	struct algorithm *a = algorithm_new(t, &k, 2, 1, steps, "orbits");
	a->symmetry = symmetry_new(&k, 3, 6);
	symmetry_add(a->symmetry, nodes[0], parts[0]);
	symmetry_add(a->symmetry, nodes[1], parts[1]);
	same_verdict(a, FAULT_NOT_DELIVERED, "each part goes one way alone");
	a->steps[0].sends = realloc(a->steps[0].sends, 2 * sizeof(struct send));
	a->steps[0].sends[1] = (struct send){0, 0, 2};
	a->steps[0].n_sends = 2;
	same_verdict(a, FAULT_NONE, "each part goes both ways");
	a->steps[0].rounds = 1;
	same_verdict(a, FAULT_OVERLOAD, "in one round");
	algorithm_free(a);
	topology_free(t);
}

Test(orbits, halves_compose_and_are_cut_as_they_are)
{
	struct error e = {0};
	struct algorithm *first = constructed("torus:4x4", REDUCESCATTER, 64, 4, 15), *second = constructed("torus:4x4", ALLGATHER, 4, 4, 15);
	struct algorithm *both = algorithm_composed(first, second, &e), *cut = algorithm_scaled(second, 3, &e);

	cr_assert(ne(ptr, both, NULL), "%s", e.what);
	cr_expect(ne(ptr, both->symmetry, NULL));
	same_verdict(both, FAULT_NONE, "composed");
	both->steps[7].rounds = 1;
	both->steps[4].rounds = 1;
	same_verdict(both, FAULT_OVERLOAD, "composed, with too few rounds");
	cr_assert(ne(ptr, cut, NULL), "%s", e.what);
	same_verdict(cut, FAULT_NONE, "each chunk cut in three");
	algorithm_free(both);
	/* One half in full: so is the whole. */
	cr_assert(algorithm_expand(second, &e));
	both = algorithm_composed(first, second, &e);
	cr_expect(eq(ptr, both->symmetry, NULL));
	cr_expect(eq(int, algorithm_verify(both).fault, FAULT_NONE));
	algorithm_free(both);
	algorithm_free(first);
	algorithm_free(second);
	algorithm_free(cut);
}

/* Two nodes of a box have half a NIC each: a step takes an even number of rounds. */
Test(orbits, nodes_may_share_a_limit)
{
	struct algorithm *a = constructed("dgx-h100*4:4xib400", ALLGATHER, 8, 8, 50);

	cr_expect(ne(ptr, a, NULL));
	algorithm_free(a);
	cr_expect(eq(ptr, constructed("dgx-h100*4:4xib400", ALLGATHER, 8, 8, 47), NULL));
	cr_expect(eq(ptr, constructed("dgx-h100*4:4xib400", ALLGATHER, 8, 30, 59), NULL)); /* not two rounds for each */
}

/* Boxes on a network, the last of them of links between pairs: spread while the next arrives. */
Test(orbits, boxes_gather_within_a_hundredth_of_the_bound)
{
	static const struct {
		const char *machine;
		int chunks, steps, rounds;
	} of[] = {{"dgx-h100*16:ib400+rails", 8, 16, 121}, {"dgx-h100*16:4xib400", 8, 16, 242}, {"mi300x8*8:ib400+rails", 400, 20, 113}};

	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		struct algorithm *a = constructed(of[i].machine, ALLGATHER, of[i].chunks, of[i].steps, of[i].rounds);
		cr_expect(ne(ptr, a, NULL), "%s", of[i].machine);
		algorithm_free(a);
	}
}

static void keep_least(void *context, struct algorithm *a)
{
	struct algorithm **least = context;

	if (*least && rational_compare(algorithm_bandwidth(a), algorithm_bandwidth(*least)) >= 0) {
		algorithm_free(a);
		return;
	}
	algorithm_free(*least);
	*least = a;
}

/* The second needs so many steps that their number is found by bisection. */
Test(orbits, more_steps_come_nearer_to_the_bound)
{
	static const struct {
		const char *machine;
		enum collective_kind kind;
	} of[] = {{"dgx-h100*16:4xib400+rails", REDUCESCATTER}, {"mi300x8*8:ib400+rails", ALLGATHER}};

	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		struct topology *t = machine(of[i].machine);
		struct collective k = {.kind = of[i].kind};
		struct algorithm *least = NULL;
		struct error e = {0};
		struct problem p;
		cr_assert(problem_open(t, &k, &p, &e), "%s", e.what);
		symmetric_construct_near(&p, false, 40, 0, keep_least, &least, &e);
		cr_expect(eq(int, e.kind, ERROR_NONE), "%s", e.what);
		cr_assert(ne(ptr, least, NULL));
		struct rational most = rational_mul(p.bounds.bandwidth, rational(101, 100));
		cr_expect(lt(int, rational_compare(algorithm_bandwidth(least), most), 0), "%s", least->name);
		cr_expect(le(int, (int)least->n_steps, 40));
		algorithm_free(least);
		problem_close(&p);
		topology_free(t);
	}
}

/* Steps that are not needed take a round each, or are shared out anew. */
Test(orbits, steps_may_be_more_than_are_needed)
{
	for (int rounds = 16; rounds <= 17; rounds++) {
		struct algorithm *a = constructed("torus:4x4", ALLGATHER, 4, 6, rounds);
		cr_assert(ne(ptr, a, NULL), "%d rounds", rounds);
		cr_expect(eq(sz, a->n_steps, (size_t)6));
		cr_expect(eq(int, algorithm_rounds(a), rounds));
		algorithm_free(a);
	}
}

/* Pairs of nodes in a ring of pairs, joined in both directions or in one. */
static struct topology *ring_of_pairs(int pairs, bool both)
{
	struct topology *t = new(struct topology);
	size_t capacity = 0;

	t->name = copy_string("pairs");
	t->nodes = 2 * pairs;
	for (int v = 0; v < t->nodes; v++) {
		topology_add_link(t, &capacity, v, v ^ 1, 2);
		topology_add_link(t, &capacity, v, (v + 2) % t->nodes, 1);
		if (both)
			topology_add_link(t, &capacity, v, (v + t->nodes - 2) % t->nodes, 1);
	}
	topology_sort_links(t);
	return t;
}

/* Some boxes are not joined to each other, or by links of several kinds: chunks are passed on from box to box. Into a node go 7 C. */
Test(orbits, boxes_that_are_not_all_joined_have_schedules_too)
{
	for (int both = 0; both < 2; both++) {
		struct algorithm *a = drawn_on(ring_of_pairs(4, both), ALLGATHER, 3 + both, 4, 20);
		cr_expect(ne(ptr, a, NULL));
		algorithm_free(a);
		cr_expect(eq(ptr, drawn_on(ring_of_pairs(4, both), ALLGATHER, 3 + both, 4, 6), NULL));
	}
}

/* The corners of a tetrahedron, cut off: its only regular group is that of the rotations, whose elements do not commute. */
static struct topology *truncated_tetrahedron(void)
{
	struct topology *t = new(struct topology);
	size_t capacity = 0;
	int number[4][4], n = 0;

	t->name = copy_string("truncated-tetrahedron");
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			number[i][j] = i != j ? n++ : -1;
	t->nodes = n;
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			for (int k = 0; k < 4 && i != j; k++)
				if (k == i)
					topology_add_link(t, &capacity, number[i][j], number[j][i], 1);
				else if (k != j)
					topology_add_link(t, &capacity, number[i][j], number[i][k], 1);
	topology_sort_links(t);
	return t;
}

/* Nodes are 1, 2 and 3 hops from 3, 4 and 4 others: 23 hops over 3 links take 8 rounds, and hops that do not commute have no open shop. */
Test(orbits, directions_that_do_not_commute)
{
	struct algorithm *gather = drawn_on(truncated_tetrahedron(), ALLGATHER, 1, 3, 30);
	struct algorithm *alltoall = drawn_on(truncated_tetrahedron(), ALLTOALL, 12, 3, 30);

	cr_expect(gather != NULL && alltoall != NULL);
	cr_expect(eq(ptr, drawn_on(truncated_tetrahedron(), ALLTOALL, 12, 3, 7), NULL));
	algorithm_free(gather);
	algorithm_free(alltoall);
}

Test(orbits, machines_that_differ_from_node_to_node_have_none)
{
	cr_expect(eq(ptr, constructed("mesh:4x4", ALLGATHER, 4, 9, 100), NULL));
	cr_expect(eq(ptr, constructed("line:5", ALLGATHER, 4, 9, 100), NULL));
	cr_expect(eq(ptr, constructed("torus:4x4", ALLGATHER, 4, 4, 14), NULL));
	cr_expect(eq(ptr, constructed("torus:4x4", BROADCAST, 4, 4, 100), NULL));
}

/* Fewer chunks than links: no step is full, so what goes when is a question for a solver, folded by the group. */
Test(orbits, a_solver_finds_what_cannot_be_drawn)
{
	static const struct {
		const char *machine;
		int chunks, steps, rounds;
	} asked[] = {{"torus:8x8", 1, 8, 16}, {"hypercube:6", 1, 6, 11}, {"hypercube:6", 2, 6, 21}};
	const struct solve_options options = {.engine = "bits", .timeout = 60};

	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
		struct error e = {0};
		struct topology *t = machine(asked[i].machine);
		struct collective k = {.kind = ALLGATHER};
		struct problem p;
		struct candidate_answer answer;

		cr_assert(problem_open(t, &k, &p, &e), "%s", e.what);
		cr_assert(candidate_solve(&p, (struct candidate){asked[i].chunks, asked[i].steps, asked[i].rounds}, &options, &answer, &e), "%s",
			  e.what);
		cr_expect(eq(int, answer.answer, ANSWER_FOUND), "%s", asked[i].machine);
		cr_expect(ne(ptr, answer.algorithm, NULL));
		algorithm_free(answer.algorithm);
		problem_close(&p);
		topology_free(t);
	}
}
