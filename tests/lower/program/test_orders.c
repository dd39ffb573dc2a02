/* The judges are judged: what they let pass is right in whatever order the ranks run. */

#include "tests/lower/program/edited.h"
#include "tests/lower/program/free_run.h"
#include "tests/lower/hand.h"

#include "lower/program/geometry.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TestSuite(orders, .description = "programs executed in random orders");

static bool right(const struct program *p, unsigned orders)
{
	for (unsigned seed = 0; seed < orders; seed++)
		if (!free_run(p, 3, false, seed) ||
		    (collective_in_place(&p->algorithm->collective) && !free_run(p, 3, true, seed)))
			return false;
	return true;
}

Test(orders, every_program_gives_the_same_in_every_order)
{
	struct algorithm *a;

	for (unsigned i = 0; (a = i < 60 ? hand_random(i) : hand_all(i - 60)); i++, algorithm_free(a)) {
		struct program *p = built(a);
		cr_expect(right(p, 20), "%s", a->name);
		program_free(p);
	}
}

struct tally {
	size_t passed, refused, seen_wrong;
};

/* A program with one thing wrong, or harmless. Frees it. */
static void judge(struct program *p, struct tally *t)
{
	if (passes(p)) {
		t->passed++;
		cr_expect(right(p, 10), "%s passes, and goes wrong", p->algorithm->name);
	} else {
		t->refused++;
		t->seen_wrong += !right(p, 10);
	}
	program_free(p);
}

static void without(const struct program *p, int rank, size_t i, struct tally *t)
{
	judge(program_without(p, rank, i), t);
}

static void turned(const struct program *p, int rank, size_t i, struct tally *t)
{
	struct program *other = program_copy(p);
	struct instruction *in = &other->of[rank].instructions[i], first = in[0];

	in[0] = in[1];
	in[1] = first;
	judge(other, t);
}

/* Another slot for what is written, and for what is read there, so that two values meet in it. */
static void crowded(const struct program *p, int rank, int slot, struct tally *t)
{
	struct program *other = program_copy(p);

	for (int r = 0; r < p->ranks; r++)
		for (size_t i = 0; i < p->of[r].n; i++) {
			struct instruction *in = &other->of[r].instructions[i];
			for (size_t k = 0; k < in->n_sources; k++)
				if (in->sources[k].buffer == BUFFER_SCRATCH && in->sources[k].rank == rank && in->sources[k].slot == slot)
					in->sources[k].slot = 0;
			for (size_t k = 0; k < in->n_targets; k++)
				if (in->targets[k].buffer == BUFFER_SCRATCH && in->targets[k].rank == rank && in->targets[k].slot == slot)
					in->targets[k].slot = 0;
		}
	judge(other, t);
}

static void earlier(const struct program *p, int rank, size_t i, struct tally *t)
{
	struct program *other = program_copy(p);

	other->of[rank].instructions[i].k--;
	judge(other, t);
}

/* Each part of the program wrong, one at a time. */
static void judge_all(struct algorithm *a, struct tally *t)
{
	struct program *p = built(a);

	for (int r = 0; r < p->ranks; r++) {
		for (size_t i = 0; i < p->of[r].n; i++) {
			without(p, r, i, t);
			if (i + 1 < p->of[r].n)
				turned(p, r, i, t);
			if (p->of[r].instructions[i].kind == INSTRUCTION_WAIT)
				earlier(p, r, i, t);
		}
		for (int slot = 1; slot < p->slots[r]; slot++)
			crowded(p, r, slot, t);
	}
	program_free(p);
	algorithm_free(a);
}

Test(orders, a_program_with_a_fault_is_refused_or_goes_right_in_every_order)
{
	struct tally t = {0};
	struct algorithm *a;

	for (size_t i = 0; (a = hand_all(i)); i++)
		judge_all(a, &t);
	for (unsigned seed = 100; seed < 108; seed++)
		judge_all(hand_random(seed), &t);
	cr_expect(gt(sz, t.refused, t.passed), "%zu refused, %zu passed", t.refused, t.passed);
	/* The orders tried find most of what is refused, so that their silence on the rest means something. */
	cr_expect(gt(sz, t.seen_wrong * 10, t.refused * 7), "%zu of %zu refused were seen to go wrong", t.seen_wrong, t.refused);
}
