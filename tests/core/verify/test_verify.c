#include "tests/support/by_hand.h"
#include "core/verify/verify.h"
#include "tests/support/random.h"

#include <stdint.h>

TestSuite(verify, .description = "the judge of schedules");

static enum fault judged(struct algorithm *a)
{
	enum fault f = algorithm_verify(a).fault;
	algorithm_free(a);
	return f;
}

Test(verify, accepts_a_schedule_of_every_kind)
{
	for (int k = 0; k < HANDMADE; k++) {
		struct algorithm *a = handmade(k);
		struct verdict v = algorithm_verify(a);
		cr_expect(eq(int, v.fault, FAULT_NONE), "%s: %s", a->name, v.why);
		cr_expect(eq(int, v.step, -1));
		algorithm_free(a);
	}
}

Test(verify, misses_any_send_of_a_schedule_without_waste)
{
	for (int k = 0; k < HANDMADE; k++) {
		struct algorithm *a = handmade(k);
		for (size_t s = 0; s < a->n_steps; s++) {
			struct step was = a->steps[s], *step = &a->steps[s];
			if (was.n_sends)
				step->n_sends--;
			else if (was.n_reduces)
				step->n_reduces--;
			cr_expect(ne(int, algorithm_verify(a).fault, FAULT_NONE), "%s without a send of step %zu", a->name, s);
			*step = was;
		}
		algorithm_free(a);
	}
}

Test(verify, names_the_chunk_that_does_not_arrive_and_where)
{
	struct algorithm *a = HAND("ring:3", KIND(ALLGATHER, 0), 1, "1: 0 0 1, 0 0 2, 1 1 0, 1 1 2, 2 2 0");
	struct verdict v = algorithm_verify(a);
	cr_expect(eq(int, v.fault, FAULT_NOT_DELIVERED));
	cr_expect(eq(int, v.chunk, 2));
	cr_expect(eq(int, v.dst, 1));
	cr_expect(eq(str, v.why, "chunk 2 is missing at node 1 at the end"));
	algorithm_free(a);
}

Test(verify, a_send_reads_the_state_before_its_step)
{
	struct algorithm *a = HAND("line:3", KIND(BROADCAST, 0), 1, "1: 0 0 1, 0 1 2");
	struct verdict v = algorithm_verify(a);
	cr_expect(eq(int, v.fault, FAULT_NOT_HELD));
	cr_expect(eq(int, v.step, 0));
	cr_expect(eq(int, v.src, 1));
	cr_expect(eq(str, v.why, "step 1 sends chunk 0 from node 1 to node 2, but node 1 does not hold it then"));
	algorithm_free(a);
}

Test(verify, counts_a_link_over_all_rounds_of_the_step)
{
	cr_expect(eq(int, judged(HAND("line:2", KIND(BROADCAST, 0), 2, "1: 0 0 1, 1 0 1")), FAULT_OVERLOAD));
	cr_expect(eq(int, judged(HAND("line:2", KIND(BROADCAST, 0), 2, "2: 0 0 1, 1 0 1")), FAULT_NONE));
	cr_expect(eq(int, judged(HAND("line:2", KIND(ALLREDUCE, 0), 2, "1: +0 0 1, +1 0 1", "2: 0 1 0, 1 1 0")), FAULT_OVERLOAD));
}

Test(verify, counts_copies_and_reduces_together)
{
	cr_expect(eq(int, judged(HAND("line:2", KIND(ALLREDUCE, 0), 2, "1: +0 1 0", "1: 0 0 1, +1 0 1", "1: 1 1 0")),
		     FAULT_OVERLOAD));
	cr_expect(eq(int, judged(HAND("line:2", KIND(ALLREDUCE, 0), 2, "1: +0 1 0", "2: 0 0 1, +1 0 1", "1: 1 1 0")), FAULT_NONE));
}

/* One switch: each node sends at most one chunk a round, whatever the pair. */
Test(verify, counts_what_a_limit_joins)
{
	struct algorithm *a = HAND("switch:3", KIND(BROADCAST, 0), 1, "1: 0 0 1, 0 0 2");
	struct verdict v = algorithm_verify(a);
	cr_expect(eq(int, v.fault, FAULT_OVERLOAD));
	cr_expect(eq(int, v.step, 0));
	algorithm_free(a);
	cr_expect(eq(int, judged(HAND("switch:3", KIND(BROADCAST, 0), 1, "2: 0 0 1, 0 0 2")), FAULT_NONE));
}

Test(verify, a_send_needs_a_link)
{
	struct algorithm *a = HAND("line:3", KIND(BROADCAST, 0), 1, "1: 0 0 1", "1: 0 0 2");
	struct verdict v = algorithm_verify(a);
	cr_expect(eq(int, v.fault, FAULT_NO_LINK));
	cr_expect(eq(int, v.step, 1));
	cr_expect(eq(int, v.dst, 2));
	algorithm_free(a);
	cr_expect(eq(int, judged(HAND("line:2", KIND(BROADCAST, 0), 1, "1: 0 0 0, 0 0 1")), FAULT_NO_LINK));
}

Test(verify, refuses_what_is_not_there)
{
	cr_expect(eq(int, judged(HAND("line:2", KIND(BROADCAST, 0), 1, "1: 1 0 1")), FAULT_RANGE));
	cr_expect(eq(int, judged(HAND("line:2", KIND(BROADCAST, 0), 1, "1: -1 0 1")), FAULT_RANGE));
	cr_expect(eq(int, judged(HAND("line:2", KIND(BROADCAST, 0), 1, "1: 0 0 2")), FAULT_RANGE));
	cr_expect(eq(int, judged(HAND("line:2", KIND(BROADCAST, 0), 1, "1: 0 -1 1")), FAULT_RANGE));
	cr_expect(eq(int, judged(HAND("line:2", KIND(BROADCAST, 0), 1, "0: 0 0 1")), FAULT_RANGE));
	cr_expect(eq(int, judged(HAND("line:2", KIND(REDUCE, 0), 1, "1: +0 2 0")), FAULT_RANGE));
}

Test(verify, a_chunk_arrives_at_a_node_once_a_step)
{
	cr_expect(eq(int, judged(HAND("line:2", KIND(BROADCAST, 0), 1, "2: 0 0 1, 0 0 1")), FAULT_TWICE));
	struct algorithm *a = HAND("ring:4", KIND(BROADCAST, 0), 1, "1: 0 0 1, 0 0 3", "1: 0 1 2, 0 3 2");
	struct verdict v = algorithm_verify(a);
	cr_expect(eq(int, v.fault, FAULT_TWICE));
	cr_expect(eq(int, v.step, 1));
	cr_expect(eq(int, v.dst, 2));
	algorithm_free(a);
}

Test(verify, only_disjoint_values_are_added)
{
	cr_expect(eq(int, judged(HAND("line:2", KIND(REDUCE, 0), 1, "1: +0 1 0", "1: +0 1 0")), FAULT_OVERLAP));
	cr_expect(eq(int, judged(HAND("line:2", KIND(REDUCE, 0), 1, "2: +0 1 0, +0 1 0")), FAULT_OVERLAP));
	struct algorithm *a = HAND("ring:3", KIND(ALLREDUCE, 0), 1, "1: +0 0 1, +0 1 2, +0 2 0", "1: +0 0 1, +0 1 2, +0 2 0");
	struct verdict v = algorithm_verify(a);
	cr_expect(eq(int, v.fault, FAULT_OVERLAP));
	cr_expect(eq(int, v.step, 1));
	cr_expect(eq(int, v.src, 0));
	cr_expect(eq(int, v.dst, 1));
	algorithm_free(a);
}

Test(verify, a_copy_replaces_and_reduces_of_the_step_come_after_it)
{
	cr_expect(eq(int, judged(HAND("line:2", KIND(ALLREDUCE, 0), 1, "1: +0 0 1, +0 1 0")), FAULT_NONE), "an exchange");
	cr_expect(eq(int, judged(HAND("line:2", KIND(REDUCE, 0), 1, "1: 0 1 0")), FAULT_NOT_DELIVERED), "node 0's own is lost");
	cr_expect(eq(int, judged(HAND("ring:3", KIND(REDUCE, 0), 1, "1: +0 0 1", "1: 0 1 0, +0 2 0")), FAULT_NONE));
	cr_expect(eq(int, judged(HAND("ring:3", KIND(REDUCE, 0), 1, "1: +0 0 1", "1: +0 1 0, +0 2 0")), FAULT_OVERLAP));
}

Test(verify, a_collective_that_does_not_combine_has_no_reduces)
{
	cr_expect(eq(int, judged(HAND("line:2", KIND(BROADCAST, 0), 1, "1: +0 0 1")), FAULT_REDUCES));
	cr_expect(eq(int, judged(HAND("line:2", KIND(ALLGATHER, 0), 1, "1: 0 0 1, 1 1 0, +0 0 1")), FAULT_REDUCES));
}

Test(verify, tells_the_first_fault_of_the_schedule_not_of_the_numbering)
{
	/* Chunk 0 is sent too early in step 2; chunk 1 in step 1. */
	struct algorithm *a = HAND("line:3", KIND(BROADCAST, 0), 2, "1: 1 1 2", "1: 0 1 2", "1: 0 0 2");
	struct verdict v = algorithm_verify(a);
	cr_expect(eq(int, v.fault, FAULT_NOT_HELD));
	cr_expect(eq(int, v.step, 0));
	cr_expect(eq(int, v.chunk, 1));
	algorithm_free(a);
	/* An overload of step 1 comes before what step 2 sends too early, and after what step 1 does. */
	cr_expect(eq(int, judged(HAND("line:3", KIND(BROADCAST, 0), 2, "1: 0 0 1, 1 0 1", "1: 0 2 1")), FAULT_OVERLOAD));
	cr_expect(eq(int, judged(HAND("line:3", KIND(BROADCAST, 0), 2, "1: 0 0 1, 1 0 1, 0 1 2")), FAULT_NOT_HELD));
}

Test(verify, checks_the_counts_of_chunks)
{
	struct algorithm *a = ring_allgather(3);
	a->global_chunks = 2;
	cr_expect(eq(int, algorithm_verify(a).fault, FAULT_COST));
	a->global_chunks = 3;
	a->chunks = 0;
	cr_expect(eq(int, algorithm_verify(a).fault, FAULT_COST));
	a->chunks = 1;
	a->n_steps = 0;
	cr_expect(eq(int, algorithm_verify(a).fault, FAULT_COST));
	a->n_steps = 2;
	cr_expect(eq(int, algorithm_verify(a).fault, FAULT_NONE));
	algorithm_free(a);
}

Test(verify, a_root_out_of_range_is_told)
{
	struct algorithm *a = ring_gather();
	a->collective.root = 3;
	struct verdict v = algorithm_verify(a);
	cr_expect(eq(int, v.fault, FAULT_COST));
	cr_expect(ne(ptr, strstr(v.why, "root 3"), NULL), "%s", v.why);
	algorithm_free(a);
}

/* Allgather on a ring of 3: one step, one round is the least of both. */
static struct algorithm *best_allgather(void)
{
	struct algorithm *a = HAND("ring:3", KIND(ALLGATHER, 0), 1, "1: 0 0 1, 0 0 2, 1 1 0, 1 1 2, 2 2 0, 2 2 1");
	a->has_bounds = true;
	a->bound_steps = 1;
	a->bound_bandwidth = rational(1, 1);
	a->optimality.class = CLASS_BOTH;
	a->optimality.proof = PROOF_BOUND;
	return a;
}

Test(verify, a_claim_by_bound_must_meet_the_bound)
{
	struct algorithm *a = best_allgather();
	struct verdict v = algorithm_verify(a);
	cr_expect(eq(int, v.fault, FAULT_NONE), "%s", v.why);
	a->steps[0].rounds = 2;
	cr_expect(eq(int, algorithm_verify(a).fault, FAULT_COST), "2 rounds do not meet 1");
	a->optimality.class = CLASS_LATENCY;
	cr_expect(eq(int, algorithm_verify(a).fault, FAULT_NONE), "one step does");
	a->optimality.class = CLASS_PARETO;
	cr_expect(eq(int, algorithm_verify(a).fault, FAULT_COST), "no bound shows that");
	a->optimality.class = CLASS_BANDWIDTH;
	cr_expect(eq(int, algorithm_verify(a).fault, FAULT_COST));
	algorithm_free(a);
}

Test(verify, stated_bounds_must_be_the_bounds)
{
	struct algorithm *a = best_allgather();
	a->bound_steps = 0;
	cr_expect(eq(int, algorithm_verify(a).fault, FAULT_COST));
	a->bound_steps = 1;
	a->bound_bandwidth = rational(1, 2);
	cr_expect(eq(int, algorithm_verify(a).fault, FAULT_COST));
	a->bound_bandwidth = rational(1, 0);
	cr_expect(eq(int, algorithm_verify(a).fault, FAULT_COST));
	a->has_bounds = false;
	cr_expect(eq(int, algorithm_verify(a).fault, FAULT_NONE), "a claim stands without stated bounds");
	a->optimality.proof = PROOF_NONE;
	cr_expect(eq(int, algorithm_verify(a).fault, FAULT_COST), "but not without a proof");
	algorithm_free(a);
}

/* The ring of 3 the long way: 2 steps, 2 rounds, C = 1. Better in k = 1: (1,1,1), (2,1,2), (2,2,2)..., (3,2,3). */
static struct algorithm *claimed_pareto(struct candidate *refuted, size_t n)
{
	struct algorithm *a = ring_allgather(3);
	a->optimality = (struct optimality){CLASS_PARETO, PROOF_EXHAUSTED, WITHIN_ALL, 1, n, NULL};
	a->optimality.refuted = copy_bytes(refuted, n * sizeof *refuted);
	return a;
}

Test(verify, a_proof_by_exhaustion_must_have_refuted_all_that_is_better)
{
	/* The judge does not solve again: it takes a refutation at its word, and asks that none is missing. */
	struct candidate all[] = {{1, 1, 1}, {1, 1, 2}, {2, 2, 2}, {2, 2, 3}};
	struct algorithm *a = claimed_pareto(all, 4);
	struct verdict v = algorithm_verify(a);
	cr_expect(eq(int, v.fault, FAULT_NONE), "%s", v.why);
	algorithm_free(a);
	for (size_t out = 0; out < 4; out++) {
		struct candidate some[3];
		for (size_t i = 0, n = 0; i < 4; i++)
			if (i != out)
				some[n++] = all[i];
		v = algorithm_verify(a = claimed_pareto(some, 3));
		/* What is refuted with a round more is refuted: (1,1,1) follows from (1,1,2), and (2,2,2) from (2,2,3). */
		bool follows = out == 0 || out == 2;
		cr_expect(eq(int, v.fault, follows ? FAULT_NONE : FAULT_COST), "without %zu: %s", out, v.why);
		algorithm_free(a);
	}
}

Test(verify, only_what_is_better_is_named_as_refuted)
{
	static const struct candidate wrong[] = {
		{1, 2, 2}, /* itself */
		{2, 3, 3}, /* more steps */
		{2, 2, 4}, /* outside of R - S <= 1 */
		{1, 2, 1}, /* fewer rounds than steps */
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct candidate list[] = {{1, 1, 1}, {1, 1, 2}, {2, 2, 2}, {2, 2, 3}, wrong[i]};
		cr_expect(eq(int, judged(claimed_pareto(list, 5)), FAULT_COST), "%zu", i);
	}
}

Test(verify, a_composition_is_held_against_compositions)
{
	struct algorithm *a = ring_allreduce(3);
	struct verdict v;
	/* 2 + 2 steps, 2/3 + 2/3 rounds per chunk; the halves could do it in 1 and 1/3. */
	a->optimality = (struct optimality){CLASS_LATENCY, PROOF_BOUND, WITHIN_COMPOSITION, 0, 0, NULL};
	cr_expect(eq(int, algorithm_verify(a).fault, FAULT_COST));
	algorithm_free(a);
	a = HAND("ring:3", KIND(ALLREDUCE, 0), 3, "1: +0 1 0, +0 2 0, +1 0 1, +1 2 1, +2 0 2, +2 1 2",
		 "1: 0 0 1, 0 0 2, 1 1 0, 1 1 2, 2 2 0, 2 2 1");
	a->optimality = (struct optimality){CLASS_BOTH, PROOF_BOUND, WITHIN_COMPOSITION, 0, 0, NULL};
	v = algorithm_verify(a);
	cr_expect(eq(int, v.fault, FAULT_NONE), "%s", v.why);
	a->optimality.within = WITHIN_ALL;
	cr_expect(eq(int, algorithm_verify(a).fault, FAULT_COST), "directly it takes one step");
	algorithm_free(a);
	a = best_allgather();
	a->optimality.within = WITHIN_COMPOSITION;
	cr_expect(eq(int, algorithm_verify(a).fault, FAULT_COST), "an allgather is no composition");
	algorithm_free(a);
}

/* A second, slower way to judge, for four nodes at most and machines without limits: only whether it holds. */
static bool holds(const struct algorithm *a)
{
	enum { NODES = 4, CHUNKS = 16 };
	static unsigned now[CHUNKS][NODES], was[CHUNKS][NODES];
	const struct collective_row *row = collective_row(&a->collective);
	int nodes = a->topology->nodes;

	for (int c = 0; c < a->global_chunks; c++)
		for (int n = 0; n < nodes; n++)
			now[c][n] = !row->pre(&a->collective, nodes, c, n) ? 0 : row->combining ? 1u << n : 1u;
	for (size_t i = 0; i < a->n_steps; i++) {
		const struct step *s = &a->steps[i];
		int load[NODES][NODES] = {{0}}, arrived[CHUNKS][NODES] = {{0}};
		memcpy(was, now, sizeof was);
		if (s->n_reduces && !row->combining)
			return false;
		for (size_t k = 0; k < s->n_sends; k++) {
			const struct send *x = &s->sends[k];
			const struct link *link = topology_link(a->topology, x->src, x->dst);
			if (!link || ++load[x->src][x->dst] > link->bandwidth * s->rounds || !was[x->chunk][x->src] ||
			    arrived[x->chunk][x->dst]++)
				return false;
			now[x->chunk][x->dst] = was[x->chunk][x->src];
		}
		for (size_t k = 0; k < s->n_reduces; k++) {
			const struct send *x = &s->reduces[k];
			const struct link *link = topology_link(a->topology, x->src, x->dst);
			if (!link || ++load[x->src][x->dst] > link->bandwidth * s->rounds || !was[x->chunk][x->src] ||
			    (now[x->chunk][x->dst] & was[x->chunk][x->src]))
				return false;
			now[x->chunk][x->dst] |= was[x->chunk][x->src];
		}
	}
	for (int c = 0; c < a->global_chunks; c++) {
		unsigned whole = 0;
		for (int n = 0; n < nodes; n++)
			whole |= !row->pre(&a->collective, nodes, c, n) ? 0 : row->combining ? 1u << n : 1u;
		for (int n = 0; n < nodes; n++)
			if (row->post(&a->collective, nodes, c, n) &&
			    now[c][n] != (a->collective.kind == SCAN ? (2u << n) - 1 : whole))
				return false;
	}
	return true;
}

static uint64_t state = 88172645463325252u;

/* One number of one entry becomes another, or an entry moves to another step, or the rounds of a step change. */
static void mutate(struct algorithm *a)
{
	struct step *s = &a->steps[random_below(&state, (int)a->n_steps)], *to = &a->steps[random_below(&state, (int)a->n_steps)];
	bool adds = s->n_reduces && (!s->n_sends || random_below(&state, 2));
	struct send *list = adds ? s->reduces : s->sends;
	size_t *n = adds ? &s->n_reduces : &s->n_sends;

	if (!*n)
		return;
	struct send *x = &list[random_below(&state, (int)*n)], moved = *x;
	switch (random_below(&state, 6)) {
	case 0:
		x->chunk = random_below(&state, a->global_chunks);
		break;
	case 1:
		x->src = random_below(&state, a->topology->nodes);
		break;
	case 2:
		x->dst = random_below(&state, a->topology->nodes);
		break;
	case 3:
		s->rounds = 1 + random_below(&state, 2);
		break;
	case 4:
		*x = list[--*n];
		break;
	default:
		*x = list[--*n];
		list = adds ? to->reduces : to->sends;
		n = adds ? &to->n_reduces : &to->n_sends;
		list = realloc(list, (*n + 1) * sizeof *list);
		cr_assert(ne(ptr, list, NULL));
		list[(*n)++] = moved;
		if (adds)
			to->reduces = list;
		else
			to->sends = list;
	}
}

Test(verify, agrees_with_a_simpler_judge_on_damaged_schedules)
{
	size_t held = 0, fell = 0;

	for (int k = 0; k < HANDMADE; k++) {
		struct algorithm *whole = handmade(k);
		cr_assert(holds(whole));
		for (int i = 0; i < 400; i++) {
			struct algorithm *a = algorithm_copy(whole);
			for (int n = 1 + random_below(&state, 2); n > 0; n--)
				mutate(a);
			struct verdict v = algorithm_verify(a);
			bool fine = holds(a);
			cr_expect(eq(int, v.fault == FAULT_NONE, fine), "%s, %d: %s", a->name, i, v.why);
			cr_expect(fine || v.why[0]);
			*(fine ? &held : &fell) += 1;
			algorithm_free(a);
		}
		algorithm_free(whole);
	}
	cr_expect(gt(sz, held, 100));
	cr_expect(gt(sz, fell, 1000));
}

Test(verify, judges_sums_of_hundreds_of_nodes)
{
	struct algorithm *a = ring_reducescatter(600);
	struct verdict v = algorithm_verify(a);
	cr_expect(eq(int, v.fault, FAULT_NONE), "%s", v.why);
	algorithm_free(a);
}

static void expect_composed(struct algorithm *a, bool is)
{
	struct verdict v = algorithm_verify(a);

	cr_expect(eq(int, v.fault, FAULT_NONE), "%s", v.why);
	cr_expect(eq(int, algorithm_is_composed(a), is), "%s", a->name);
	algorithm_free(a);
}

/* Both add their halves of both chunks as they are: no node ever has the whole sum alone. */
static struct algorithm *pair_exchange(void)
{
	struct topology *t = machine("line:2");
	struct step *steps = new_array(struct step, 2);
	steps[0] = step_of("1: +0 0 1, +0 1 0");
	steps[1] = step_of("1: +1 0 1, +1 1 0");
	struct algorithm *a = algorithm_new(t, &KIND(ALLREDUCE, 0), 2, 2, steps, "hand");
	topology_free(t);
	return a;
}

/* The same schedule with its chunks numbered otherwise: they are gathered from other nodes. */
static struct algorithm *renumbered(struct algorithm *a)
{
	for (size_t s = 0; s < a->n_steps; s++) {
		for (size_t i = 0; i < a->steps[s].n_sends; i++)
			a->steps[s].sends[i].chunk ^= 1;
		for (size_t i = 0; i < a->steps[s].n_reduces; i++)
			a->steps[s].reduces[i].chunk ^= 1;
	}
	return a;
}

Test(verify, tells_a_composition_from_other_allreduces)
{
	expect_composed(ring_allreduce(4), true);
	expect_composed(renumbered(ring_allreduce(4)), true);
	expect_composed(pair_exchange(), false);
	expect_composed(ring_allgather(4), false);
}

/* ---- switches that copy and add: more in tests/paper/switches.py, for both judges ---- */

Test(verify, counts_what_switches_copy_and_add_once)
{
	static const char copies[] = "1: 0 0 1, 0 0 2, 0 0 3", sums[] = "1: +0 1 0, +0 2 0, +0 3 0";

	cr_expect(eq(int, judged(HAND("switch:4+nvls", KIND(BROADCAST, 0), 1, copies)), FAULT_NONE));
	cr_expect(eq(int, judged(HAND("switch:4", KIND(BROADCAST, 0), 1, copies)), FAULT_OVERLOAD));
	cr_expect(eq(int, judged(HAND("switch:4+nvls", KIND(REDUCE, 0), 1, sums)), FAULT_NONE));
	cr_expect(eq(int, judged(HAND("switch:4", KIND(REDUCE, 0), 1, sums)), FAULT_OVERLOAD));
}

Test(verify, counts_the_copies_of_overlapping_steps_apart)
{
	static const char *const steps = "1: 0 0 1, 0 0 2";
	struct schedule_constraints once = {.pipeline = 1}, twice = {.pipeline = 2};
	struct algorithm *a = HAND("switch:4+nvls", KIND(BROADCAST, 0), 1, steps, "1: 0 0 3");

	algorithm_set_constraints(a, &twice);
	cr_expect(eq(int, algorithm_verify(a).fault, FAULT_NONE), "%s", algorithm_verify(a).why);
	algorithm_set_constraints(a, &once);
	cr_expect(eq(int, algorithm_verify(a).fault, FAULT_OVERLOAD), "chunk 0 of two runs");
	algorithm_free(a);
}

Test(verify, no_search_proves_anything_where_switches_copy)
{
	static const enum optimality_proof proofs[] = {PROOF_BOUND, PROOF_EXHAUSTED, PROOF_PROGRAM};

	for (size_t i = 0; i < sizeof proofs / sizeof *proofs; i++) {
		struct algorithm *a = HAND("switch:4+nvls", KIND(BROADCAST, 0), 1, "1: 0 0 1, 0 0 2, 0 0 3");
		a->optimality = (struct optimality){.class = CLASS_LATENCY, .proof = proofs[i]};
		cr_expect(eq(int, judged(a), proofs[i] == PROOF_BOUND ? FAULT_NONE : FAULT_COST));
	}
}
