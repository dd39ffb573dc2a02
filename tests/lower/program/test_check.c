#include "tests/lower/hand.h"
#include "tests/lower/program/edited.h"

#include "core/base/error.h"
#include "lower/program/check.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

TestSuite(check, .description = "the judges of programs");

static void swap(struct program *p, int rank, size_t i)
{
	struct instruction *in = p->of[rank].instructions, kept = in[i];

	in[i] = in[i + 1];
	in[i + 1] = kept;
}

/* Where each instruction is needed, taking any away must be noticed. (But a credit: that a rank has come may be known
 * through a third.) */
static void nothing_is_spare(struct algorithm *a)
{
	struct program *p = built(a);
	bool third = a->n_steps > 1 && a->steps[0].n_reduces && a->steps[1].n_sends && a->collective.kind == ALLREDUCE;

	for (int r = 0; r < p->ranks; r++)
		for (size_t i = 0; i < p->of[r].n; i++) {
			if (third && p->of[r].instructions[i].kind == INSTRUCTION_CREDIT)
				continue;
			struct program *less = program_without(p, r, i);
			cr_expect(not(passes(less)), "%s: rank %d without its instruction %zu (%s)", a->name, r, i,
				  instruction_names[p->of[r].instructions[i].kind]);
			program_free(less);
		}
	program_free(p);
	algorithm_free(a);
}

Test(check, every_instruction_is_missed_when_it_is_gone)
{
	struct algorithm *a;

	for (size_t i = 0; (a = hand_all(i)); i++)
		nothing_is_spare(a);
}

Test(check, names_the_read_of_what_has_not_arrived)
{
	struct algorithm *a = hand_allgather_ring(3);
	struct program *p = built(a);

	program_remove(p, 1, find(p, 1, INSTRUCTION_WAIT, 0));
	refused(p, "rank 1, instruction 5 (move, step 2)", "before it is certain to have arrived from rank 0");
	algorithm_free(a);
}

Test(check, names_the_wait_that_nobody_ends)
{
	struct algorithm *a = hand_allgather_ring(3);
	struct program *p = built(a);

	program_remove(p, 0, find(p, 0, INSTRUCTION_SIGNAL, 1));
	refused(p, "rank 1, instruction 8 (wait, step 2)", "signal 2 from rank 0 is never given");
	p = built(a);
	program_remove(p, 1, find(p, 1, INSTRUCTION_OFFER, 0));
	refused(p, "rank 0, instruction 1 (credit, step 1)", "rank 1 never offers its memory");
	algorithm_free(a);
}

Test(check, names_a_circle_of_waits)
{
	struct algorithm *a = hand_allgather_ring(3);
	struct program *p = built(a);

	for (int r = 0; r < 3; r++) /* everyone waits before it sends */
		for (size_t i = find(p, r, INSTRUCTION_WAIT, 0); i > 1; i--)
			swap(p, r, i - 1);
	refused(p, "(wait, step 2)", "ranks wait for each other");
	algorithm_free(a);
}

Test(check, names_signals_that_come_twice)
{
	struct algorithm *a = hand_allgather_ring(3);
	struct program *p = built(a);

	at(p, 2, INSTRUCTION_SIGNAL, 1)->k = 1;
	refused(p, "rank 2", "signal 1 to rank 0 is given as number 2");
	algorithm_free(a);
}

Test(check, names_the_write_without_credit)
{
	struct algorithm *a = hand_broadcast_line(3, 1);
	struct program *p = built(a);

	program_remove(p, 1, find(p, 1, INSTRUCTION_CREDIT, 0));
	refused(p, "rank 1", "without an offer from rank 2");
	algorithm_free(a);
}

Test(check, names_the_write_into_a_rank_that_may_have_left)
{
	struct algorithm *a = hand_broadcast_line(3, 1);
	struct program *p = built(a);

	program_remove(p, 2, find(p, 2, INSTRUCTION_WAIT, 0));
	refused(p, "rank 1", "rank 2 may have left");
	algorithm_free(a);
}

Test(check, names_the_output_that_nobody_writes)
{
	struct algorithm *a = hand_gather_line(3);
	struct program *p = built(a);
	struct instruction *last = at(p, 1, INSTRUCTION_MOVE, 1);

	last->targets[0] = (struct place){BUFFER_OUTPUT, 0, 0};
	last->chunk = 1;
	refused(p, "line:3-gather", "rank 0 never gets chunk 2");
	algorithm_free(a);
}

Test(check, names_two_writers_of_one_place)
{
	struct algorithm *a = hand_allreduce_direct(3);
	struct program *p = built(a);
	struct instruction *move = at(p, 1, INSTRUCTION_MOVE, 0), *other = at(p, 2, INSTRUCTION_MOVE, 0);

	for (size_t t = 0; t < 2; t++)
		if (move->targets[t].rank == 0)
			move->targets[t] = other->targets[other->targets[1].rank == 0];
	refused(p, "rank 1", "written twice in no fixed order, the other time by rank 2");
	algorithm_free(a);
}

Test(check, names_the_write_over_what_may_still_be_read)
{
	/* The slot of chunk 0's partial value is still to be read when that of chunk 1 comes. */
	struct algorithm *a = hand_reducescatter_ring(4);
	struct program *p = built(a);
	struct instruction *first = at(p, 3, INSTRUCTION_MOVE, 0), *second = at(p, 3, INSTRUCTION_MOVE, 1);

	cr_assert(eq(int, first->targets[0].rank, second->targets[0].rank));
	second->targets[0] = first->targets[0];
	refused(p, "rank 3", "written while it may still be read by rank 0");
	algorithm_free(a);
}

Test(check, names_a_gathered_value_over_a_partial_one)
{
	/* In place, the output is the input: a partial value sent there is gone before it was read. */
	struct algorithm *a = hand_allreduce_ring(2);
	struct program *p = built(a);
	struct instruction *push = at(p, 0, INSTRUCTION_MOVE, 0), *sum = at(p, 1, INSTRUCTION_MOVE, 1);

	cr_assert(eq(int, push->targets[0].buffer, BUFFER_SCRATCH));
	push->targets[0] = (struct place){BUFFER_OUTPUT, 1, 0};
	for (size_t i = 0; i < sum->n_sources; i++)
		if (sum->sources[i].buffer == BUFFER_SCRATCH)
			sum->sources[i] = (struct place){BUFFER_OUTPUT, 1, 0};
	struct error e = {0};
	cr_expect(not(program_interpret(p, &e)));
	cr_expect(ne(ptr, strstr(e.what, "added twice"), NULL), "%s", e.what);
	program_free(p);
	algorithm_free(a);
}

Test(check, names_places_that_are_not_there)
{
	struct algorithm *a = hand_allreduce_ring(2);
	struct program *p = built(a);
	struct instruction *push = at(p, 0, INSTRUCTION_MOVE, 0);

	push->targets[0].slot = 1;
	refused(p, "rank 0", "has no place in scratch (1) of rank 1");
	p = built(a);
	at(p, 0, INSTRUCTION_MOVE, 0)->chunk = 2;
	refused(p, "rank 0", "chunk 2 has no place");
	p = built(a);
	at(p, 0, INSTRUCTION_MOVE, 0)->targets[0] = (struct place){BUFFER_INPUT, 1, 0};
	refused(p, "rank 0", "an input is written");
	p = built(a);
	at(p, 0, INSTRUCTION_MOVE, 0)->sources[0].rank = 1;
	refused(p, "rank 0", "it is read by rank 0");
	p = built(a);
	at(p, 0, INSTRUCTION_SIGNAL, 0)->peer = 2;
	refused(p, "rank 0", "rank 2 is not a peer");
	p = built(a);
	p->signals = 1;
	refused(p, "rank 0", "signal 2 of at most 1");
	algorithm_free(a);
}

Test(check, the_second_judge_names_wrong_contents)
{
	struct algorithm *a = hand_allgather_ring(3);
	struct program *p = built(a);
	struct error e = {0};
	struct instruction *push = at(p, 0, INSTRUCTION_MOVE, 0);

	push->sources = realloc(push->sources, 2 * sizeof *push->sources);
	push->sources[push->n_sources++] = push->sources[0];
	cr_expect(not(program_interpret(p, &e)));
	cr_expect(ne(ptr, strstr(e.what, "does not combine"), NULL));
	program_free(p);
	algorithm_free(a);

	a = hand_reduce_line(3);
	p = built(a);
	e = (struct error){0};
	at(p, 1, INSTRUCTION_MOVE, 0)->n_sources = 1;
	cr_expect(program_check(p, &e), "%s", e.what);
	cr_expect(not(program_interpret(p, &e)));
	cr_expect(ne(ptr, strstr(e.what, "rank 0 ends without the whole of chunk 0"), NULL), "%s", e.what);
	program_free(p);

	/* Averages are divided where a sum is complete. */
	for (int rank = 0; rank < 3; rank++)
		for (size_t i = 0;; i++) {
			size_t n = 0;
			p = built(a);
			e = (struct error){0};
			for (size_t k = 0; k < p->of[rank].n; k++)
				n += p->of[rank].instructions[k].kind == INSTRUCTION_MOVE;
			if (i < n) {
				at(p, rank, INSTRUCTION_MOVE, (int)i)->total ^= true;
				cr_expect(not(program_interpret(p, &e)));
				cr_expect(ne(ptr, strstr(e.what, "as the sum of all ranks"), NULL), "%s", e.what);
			}
			program_free(p);
			if (i >= n)
				break;
		}
	algorithm_free(a);
}
