#include "tests/support/by_hand.h"
#include "core/verify/verify.h"

TestSuite(transform, .description = "new algorithms out of old ones");

static void expect_holds(const struct algorithm *a)
{
	struct verdict v = algorithm_verify(a);
	cr_expect(eq(int, v.fault, FAULT_NONE), "%s: %s", a->name, v.why);
}

Test(transform, an_allgather_run_backwards_is_a_reducescatter)
{
	for (int nodes = 3; nodes < 8; nodes++) {
		struct algorithm *a = ring_reducescatter(nodes);
		expect_holds(a);
		cr_expect(eq(int, a->chunks, nodes));
		cr_expect(eq(int, a->global_chunks, nodes));
		cr_expect(eq(int, algorithm_rounds(a), nodes - 1));
		for (size_t s = 0; s < a->n_steps; s++)
			cr_expect(eq(sz, a->steps[s].n_sends, 0));
		algorithm_free(a);
	}
}

Test(transform, a_reducescatter_and_an_allgather_are_an_allreduce)
{
	for (int nodes = 3; nodes < 8; nodes++) {
		struct algorithm *a = ring_allreduce(nodes);
		expect_holds(a);
		cr_expect(eq(int, a->chunks, nodes), "C is the reducescatter's");
		cr_expect(eq(sz, a->n_steps, 2 * (size_t)nodes - 2));
		algorithm_free(a);
	}
}

/* Links 0 to 1 to 2, and none back: a scatter from 0 is possible, and is a gather to 0 on the links turned round. */
Test(transform, the_inverse_is_for_the_reversed_links)
{
	static const char json[] = "{\"format\": \"sccl-topology\", \"version\": 1, \"name\": \"oneway\", \"nodes\": 3, \"links\": "
				   "[{\"src\": 0, \"dst\": 1, \"bandwidth\": 1}, {\"src\": 1, \"dst\": 2, \"bandwidth\": 1}]}";
	struct error e = {0};
	struct json_document *d = json_document_parse(json, "t.json", &e);
	cr_assert(ne(ptr, d, NULL), "%s", e.what);
	struct json_place top = json_top(d);
	struct topology *t = topology_read(&top, &e), *reverse = topology_reversed(t);
	struct step *steps = new_array(struct step, 2);
	steps[0] = step_of("1: 1 1 0, 2 2 1");
	steps[1] = step_of("1: 2 1 0");
	struct algorithm *gather = algorithm_new(reverse, &KIND(GATHER, 0), 1, 2, steps, "hand");
	expect_holds(gather);
	struct algorithm *scatter = algorithm_inverted(gather, t, &KIND(SCATTER, 0), &e);
	cr_assert(ne(ptr, scatter, NULL), "%s", e.what);
	expect_holds(scatter);
	cr_expect(eq(int, scatter->chunks, 3), "C of a gather is P C of its scatter");
	cr_expect(eq(int, scatter->steps[0].sends[0].dst, 1), "the last comes first");
	topology_free(scatter->topology);
	scatter->topology = topology_copy(reverse);
	cr_expect(eq(int, algorithm_verify(scatter).fault, FAULT_NO_LINK));
	algorithm_free(gather);
	algorithm_free(scatter);
	topology_free(reverse);
	topology_free(t);
	json_document_close(d);
}

Test(transform, waste_is_pruned)
{
	/* Chunk 0 comes twice to node 2, once to node 0 that has it, and chunk 1 to a node that only passes it on in vain. */
	struct algorithm *a = HAND("ring:4", KIND(GATHER, 0), 1, "1: 1 1 2, 2 2 1, 3 3 0, 3 3 2", "2: 1 1 0, 2 1 0, 1 2 1, 3 2 1",
				   "3: 1 1 0, 3 1 0, 0 0 1");
	algorithm_prune(a);
	expect_holds(a);
	size_t left = 0;
	for (size_t s = 0; s < a->n_steps; s++)
		left += a->steps[s].n_sends;
	cr_expect(eq(sz, left, 4), "3-0, 2-1, 2 on to 0, 1-0");
	cr_expect(eq(sz, a->n_steps, 3), "steps and rounds stay");
	cr_expect(eq(int, algorithm_rounds(a), 6));
	algorithm_free(a);
}

Test(transform, the_first_of_two_arrivals_in_a_step_is_kept)
{
	struct algorithm *a = HAND("ring:4", KIND(BROADCAST, 0), 1, "1: 0 0 1, 0 0 3", "1: 0 1 2, 0 3 2");
	cr_expect(eq(int, algorithm_verify(a).fault, FAULT_TWICE));
	algorithm_prune(a);
	expect_holds(a);
	cr_expect(eq(sz, a->steps[1].n_sends, 1));
	cr_expect(eq(int, a->steps[1].sends[0].src, 1));
	algorithm_free(a);
}

Test(transform, an_algorithm_with_waste_is_pruned_before_it_is_inverted)
{
	struct algorithm *a = HAND("ring:4", KIND(BROADCAST, 0), 1, "1: 0 0 1, 0 0 3", "1: 0 1 2, 0 3 2, 0 1 0");
	a = inverse_of(a, KIND(REDUCE, 0));
	expect_holds(a);
	algorithm_free(a);
}

/* Node 1 of the line has no part in the sum, and passes on those of 0 and 2's. */
Test(transform, who_has_nothing_to_add_gets_a_copy_first)
{
	static const char copies[] = "\"pre\": [[0, 1]], \"post\": [[0, 0], [0, 2], [0, 3]]";
	static const char sums[] = "\"combining\": true, \"pre\": [[0, 0], [0, 2], [0, 3]], \"post\": [[0, 1]]";
	struct algorithm *a = HAND("star:4", custom_of(4, 1, copies), 1, "1: 0 1 0", "1: 0 0 2, 0 0 3");
	expect_holds(a);
	struct collective k = custom_of(4, 1, sums);
	a = inverse_of(a, k);
	expect_holds(a);
	collective_free(&k);
	algorithm_free(a);

	a = HAND("line:3", custom_of(3, 1, "\"pre\": [[0, 0]], \"post\": [[0, 2]]"), 1, "1: 0 0 1", "1: 0 1 2");
	k = custom_of(3, 1, "\"combining\": true, \"pre\": [[0, 2]], \"post\": [[0, 0]]");
	a = inverse_of(a, k);
	expect_holds(a);
	for (size_t s = 0; s < a->n_steps; s++) {
		cr_expect(eq(sz, a->steps[s].n_sends, 1));
		cr_expect(eq(sz, a->steps[s].n_reduces, 0));
	}
	collective_free(&k);
	algorithm_free(a);
}

Test(transform, every_kind_can_be_cut_finer)
{
	for (int k = 0; k < HANDMADE; k++)
		for (int m = 1; m <= 3; m++) {
			struct error e = {0};
			struct algorithm *a = handmade(k), *cut = algorithm_scaled(a, m, &e);
			cr_assert(ne(ptr, cut, NULL), "%s", e.what);
			expect_holds(cut);
			cr_expect(eq(int, cut->chunks, m * a->chunks));
			cr_expect(eq(int, cut->global_chunks, m * a->global_chunks));
			cr_expect(eq(int, algorithm_rounds(cut), m * algorithm_rounds(a)));
			algorithm_free(cut);
			algorithm_free(a);
		}
}

/* The parts of a chunk lie where the chunk lay: part i of n's input becomes parts i m to i m + m - 1, in order. */
Test(transform, parts_of_a_chunk_stay_together_in_the_buffers)
{
	struct error e = {0};
	struct algorithm *a = HAND("line:2", KIND(GATHER, 0), 2, "1: 1 1 0", "1: 3 1 0"), *cut = algorithm_scaled(a, 3, &e);
	cr_assert(ne(ptr, cut, NULL), "%s", e.what);
	struct chunk_place p;
	for (size_t s = 0; s < 2; s++)
		for (int i = 0; i < 3; i++) {
			cr_assert(collective_input(&cut->collective, 2, 6, cut->steps[s].sends[i].chunk, 1, &p));
			cr_expect(eq(int, p.part, (int)s * 3 + i));
		}
	algorithm_free(cut);
	algorithm_free(a);
}

Test(transform, refuses_what_does_not_fit)
{
	struct error e = {0};
	struct algorithm *gather = ring_gather(), *allgather = ring_allgather(3), *other = ring_reducescatter(4);
	struct algorithm *sums = ring_reducescatter(3);
	struct topology *four = machine("ring:4");

	cr_expect(eq(ptr, algorithm_inverted(gather, four, &KIND(SCATTER, 1), &e), NULL), "another number of nodes");
	cr_expect(eq(ptr, algorithm_inverted(gather, gather->topology, &KIND(SCATTER, 3), &e), NULL), "no such root");
	cr_expect(eq(ptr, algorithm_inverted(sums, sums->topology, &KIND(REDUCESCATTER, 0), &e), NULL), "sums already");
	cr_expect(eq(ptr, algorithm_composed(other, allgather, &e), NULL));
	cr_expect(eq(ptr, algorithm_composed(allgather, sums, &e), NULL), "the wrong way round");
	e = (struct error){0};
	cr_expect(eq(ptr, algorithm_scaled(allgather, 0, &e), NULL));
	cr_expect(eq(int, e.kind, ERROR_LIMIT));
	cr_expect(eq(ptr, algorithm_scaled(allgather, CHUNKS_MAX, &e), NULL));
	topology_free(four);
	algorithm_free(gather);
	algorithm_free(allgather);
	algorithm_free(other);
	algorithm_free(sums);
}
