#include "tests/lower/hand.h"
#include "tests/lower/program/edited.h"

#include "core/base/error.h"
#include "lower/program/check.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TestSuite(build, .description = "schedules become programs");

static void judge(struct algorithm *a)
{
	struct error e = {0};
	struct program *p = built(a);

	cr_expect(program_check(p, &e), "%s: %s: %s", a->name, e.where, e.what);
	cr_expect(program_interpret(p, &e), "%s: %s: %s", a->name, e.where, e.what);
	program_free(p);
	algorithm_free(a);
}

static size_t count(const struct program *p, int rank, enum instruction_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < p->of[rank].n; i++)
		n += p->of[rank].instructions[i].kind == kind;
	return n;
}

Test(build, every_kind_of_collective_passes_both_judges)
{
	struct algorithm *a;

	for (size_t i = 0; (a = hand_all(i)); i++)
		judge(a);
}

Test(build, random_schedules_with_needless_sends_pass_both_judges)
{
	for (unsigned seed = 0; seed < 300; seed++)
		judge(hand_random(seed));
}

Test(build, a_ring_waits_once_a_step_and_signals_once_a_step)
{
	struct algorithm *a = hand_allgather_ring(5);
	struct program *p = built(a);

	for (int r = 0; r < 5; r++) {
		cr_expect(eq(sz, count(p, r, INSTRUCTION_OFFER), 1));
		cr_expect(eq(sz, count(p, r, INSTRUCTION_CREDIT), 1));
		cr_expect(eq(sz, count(p, r, INSTRUCTION_WAIT), 4));
		cr_expect(eq(sz, count(p, r, INSTRUCTION_SIGNAL), 4));
		cr_expect(eq(sz, count(p, r, INSTRUCTION_MOVE), 5), "four pushes, and its own input to its output");
	}
	cr_expect(eq(int, p->signals, 4));
	cr_expect(eq(int, program_slots(p), 0));
	program_free(p);
	algorithm_free(a);
}

Test(build, the_own_input_is_copied_after_the_first_signal_and_before_the_first_wait)
{
	struct algorithm *a = hand_allgather_ring(5);
	struct program *p = built(a);
	const struct instruction *i = p->of[2].instructions;

	cr_expect(eq(int, i[3].kind, INSTRUCTION_SIGNAL));
	cr_expect(eq(int, i[4].kind, INSTRUCTION_MOVE));
	cr_expect(eq(int, i[4].targets[0].rank, 2));
	cr_expect(eq(int, i[5].kind, INSTRUCTION_WAIT));
	program_free(p);
	algorithm_free(a);
}

Test(build, what_goes_to_several_peers_is_read_once)
{
	struct algorithm *a = hand_allreduce_direct(4);
	struct program *p = built(a);

	cr_expect(eq(int, p->of[1].instructions[6].kind, INSTRUCTION_MOVE));
	cr_expect(eq(sz, p->of[1].instructions[6].n_targets, 3));
	cr_expect(eq(sz, count(p, 1, INSTRUCTION_MOVE), 2));
	program_free(p);
	algorithm_free(a);
}

/* Otherwise all would fill one rank's links at once. */
Test(build, each_rank_begins_with_another_peer)
{
	enum { RANKS = 5 };
	struct algorithm *a = hand_alltoall_direct(RANKS);
	struct program *p = built(a);
	unsigned first = 0;

	for (int r = 0; r < RANKS; r++) {
		const struct instruction *move = at(p, r, INSTRUCTION_MOVE, 0);
		cr_expect(eq(int, move->targets[0].rank, (r + 1) % RANKS));
		first |= 1u << move->targets[0].rank;
	}
	cr_expect(eq(uint, first, (1u << RANKS) - 1));
	program_free(p);
	algorithm_free(a);
}

Test(build, all_ranks_add_the_same_parts_in_the_same_order)
{
	struct algorithm *a = hand_allreduce_direct(4);
	struct program *p = built(a);

	for (int r = 0; r < 4; r++) {
		const struct instruction *sum = &p->of[r].instructions[p->of[r].n - 1];
		cr_assert(eq(int, sum->kind, INSTRUCTION_MOVE));
		cr_assert(eq(sz, sum->n_sources, 4));
		for (int part = 0; part < 4; part++)
			cr_expect(eq(int, sum->sources[part].buffer == BUFFER_INPUT, part == r));
	}
	program_free(p);
	algorithm_free(a);
}

Test(build, a_sum_is_made_kept_and_passed_on_in_one_move)
{
	struct algorithm *a = hand_allreduce_ring(4);
	struct program *p = built(a);
	size_t kept = 0;

	for (size_t i = 0; i < p->of[0].n; i++) {
		const struct instruction *in = &p->of[0].instructions[i];
		if (in->kind == INSTRUCTION_MOVE && in->n_sources == 2 && in->n_targets == 2) {
			cr_expect(eq(int, in->targets[0].buffer, BUFFER_OUTPUT));
			cr_expect(eq(int, in->targets[0].rank, 0));
			cr_expect(eq(int, in->targets[1].rank, 1));
			kept++;
		}
	}
	cr_expect(eq(sz, kept, 1));
	cr_expect(eq(int, program_slots(p), 3), "one a partial value; what is gathered goes straight to the outputs");
	program_free(p);
	algorithm_free(a);
}

Test(build, slots_are_used_again_once_their_reader_is_known_to_be_done)
{
	/* One chunk goes there and back: its way back tells that the slot was read. */
	struct hand h = {.topology = "line:3", .collective = {REDUCE, 0, NULL}, .chunks = 2};
	for (int c = 0; c < 2; c++) {
		hand_reduce(&h, 3 * c, c, 0, 1);
		hand_reduce(&h, 3 * c + 1, c, 1, 2);
		hand_send(&h, 3 * c + 2, c, 2, 1);
	}
	hand_send(&h, 3, 0, 1, 0);
	hand_send(&h, 6, 1, 1, 0);
	struct algorithm *a = hand_done(&h);
	struct program *p = built(a);

	cr_expect(eq(int, p->slots[1], 2), "chunk 0's partial value and way back, and then chunk 1's");
	program_free(p);
	judge(a);
}

Test(build, the_same_schedule_gives_the_same_program)
{
	struct algorithm *a = hand_random(7), *b = hand_random(7);
	struct program *p = built(a), *q = built(b);

	for (int r = 0; r < p->ranks; r++) {
		cr_assert(eq(sz, p->of[r].n, q->of[r].n));
		for (size_t i = 0; i < p->of[r].n; i++) {
			cr_expect(eq(int, p->of[r].instructions[i].kind, q->of[r].instructions[i].kind));
			cr_expect(eq(int, p->of[r].instructions[i].chunk, q->of[r].instructions[i].chunk));
		}
	}
	program_free(p);
	program_free(q);
	algorithm_free(a);
	algorithm_free(b);
}
