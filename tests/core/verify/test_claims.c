#include "tests/support/by_hand.h"
#include "core/schedule/symmetry.h"
#include "core/verify/verify.h"

TestSuite(claims, .description = "what an algorithm states of itself, and may not");

/* Takes the algorithm. */
static void expect_refused(struct algorithm *a, const char *words)
{
	struct verdict v = algorithm_verify(a);

	cr_expect(eq(int, v.fault, FAULT_COST));
	cr_expect(ne(ptr, strstr(v.why, words), NULL), "\"%s\" lacks \"%s\"", v.why, words);
	algorithm_free(a);
}

static struct algorithm *claiming(struct algorithm *a, enum optimality_class class, enum optimality_proof proof)
{
	a->optimality = (struct optimality){class, proof, WITHIN_ALL, 0, 0, NULL};
	return a;
}

Test(claims, a_program_proves_no_ratio)
{
	expect_refused(claiming(ring_allgather(3), CLASS_BANDWIDTH, PROOF_PROGRAM), "is claimed by a program, but only a bound proves it");
	expect_refused(claiming(ring_allgather(3), CLASS_BOTH, PROOF_PROGRAM), "is claimed by a program, but only a bound proves it");
}

Test(claims, a_search_of_sums_covers_one_value_a_node)
{
	expect_refused(claiming(ring_allreduce(3), CLASS_PARETO, PROOF_EXHAUSTED), "is claimed among all algorithms, but no search for allreduce");
	expect_refused(claiming(handmade(SCAN), CLASS_PARETO, PROOF_EXHAUSTED), "is claimed among all algorithms, but no search for scan");
}

Test(claims, no_ratio_is_least_where_nothing_crosses_a_link)
{
	struct collective k = custom_of(2, 1, "\"pre\": [[0, 0]], \"post\": [[0, 0]]");

	expect_refused(claiming(HAND("line:2", k, 1, "1: 0 0 1"), CLASS_PARETO, PROOF_EXHAUSTED), "where nothing needs to cross a link");
}

Test(claims, a_machine_without_room_for_its_pairs_is_told)
{
	expect_refused(HAND("switch:4096", KIND(BROADCAST, 0), 1, "1: 0 0 1"), "the topology cannot be used: joins more than");
}

/* A group of one relabelling: the compact form lists all sends. */
static struct algorithm *in_compact_form(struct algorithm *a)
{
	a->symmetry = symmetry_new(&a->collective, a->topology->nodes, a->global_chunks);
	return a;
}

Test(claims, a_compact_form_has_no_pipeline_and_no_short_memory)
{
	struct algorithm *a = in_compact_form(ring_allgather(3)), *b = in_compact_form(ring_allgather(3));

	cr_expect(eq(int, algorithm_verify(a).fault, FAULT_NONE));
	a->constraints.pipeline = 1;
	expect_refused(a, "is claimed for a schedule in compact form");
	b->constraints.is_short = true;
	expect_refused(b, "is claimed for a schedule in compact form");
}

Test(claims, a_compact_form_is_a_composition_where_the_full_one_is)
{
	struct algorithm *yes = in_compact_form(ring_allreduce(3)), *no = in_compact_form(ring_allgather(3));

	cr_expect(algorithm_is_composed(yes));
	cr_expect(not(algorithm_is_composed(no)));
	algorithm_free(yes);
	algorithm_free(no);
}
