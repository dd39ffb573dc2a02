#include "tests/lower/hand.h"
#include "tests/lower/program/edited.h"
#include "tests/lower/program/free_run.h"

#include "core/base/error.h"
#include "lower/program/check.h"
#include "lower/program/shared.h"
#include "lower/program/sync.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TestSuite(shared, .description = "programs that read each other's inputs");

/* The program of A with shared inputs, or NULL. */
static struct program *shared(const struct algorithm *a)
{
	struct program *p = built(a), *s = program_share(p);

	program_free(p);
	return s;
}

static size_t count(const struct program *p, enum instruction_kind kind)
{
	size_t n = 0;

	for (int r = 0; r < p->ranks; r++)
		for (size_t i = 0; i < p->of[r].n; i++)
			n += p->of[r].instructions[i].kind == kind;
	return n;
}

Test(shared, a_direct_allreduce_reads_every_input_where_it_lies)
{
	struct algorithm *a = hand_allreduce_direct(4);
	struct program *p = shared(a);

	cr_assert(ne(ptr, p, NULL));
	cr_expect(eq(int, program_slots(p), 0));
	cr_expect(eq(sz, count(p, INSTRUCTION_CREDIT), 0), "a signal says that a rank has come");
	for (int r = 0; r < 4; r++)
		for (size_t i = 0; i < p->of[r].n; i++)
			for (size_t k = 0; k < p->of[r].instructions[i].n_sources; k++)
				cr_expect(eq(int, p->of[r].instructions[i].sources[k].buffer, BUFFER_INPUT));
	program_free(p);
	algorithm_free(a);
}

Test(shared, programs_are_right_in_every_order)
{
	struct algorithm *a;
	size_t n = 0;

	for (unsigned i = 0; (a = i < 60 ? hand_random(i) : hand_all(i - 60)); i++, algorithm_free(a)) {
		struct program *p = shared(a);
		struct error e = {0};
		if (!p)
			continue;
		for (unsigned seed = 0; seed < 20; seed++)
			cr_expect(free_run(p, 3, false, seed), "%s", a->name);
		program_sync(p);
		cr_expect(sync_check(p, &e), "%s: %s", a->name, e.what);
		program_free(p);
		n++;
	}
	cr_expect(gt(sz, n, 20), "only %zu share inputs", n);
}

/* Without a wait or signal it is refused, or goes right in every order all the same. */
Test(shared, what_passes_without_a_wait_goes_right)
{
	struct algorithm *a;
	size_t refused_n = 0;

	for (size_t i = 0; (a = hand_all(i)); i++, algorithm_free(a)) {
		struct program *p = shared(a);
		refused_n += p ? refused_without_one(p) : 0;
		program_free(p);
	}
	cr_expect(gt(sz, refused_n, 20));
}

Test(shared, names_the_input_whose_rank_may_have_left_or_not_come)
{
	struct algorithm *a = hand_allreduce_direct(3);
	struct program *p = shared(a);

	program_remove(p, 1, find(p, 1, INSTRUCTION_WAIT, 2));
	refused(p, "rank 0", "rank 1 may have left when chunk");
	p = shared(a);
	program_remove(p, 1, find(p, 1, INSTRUCTION_WAIT, 0));
	refused(p, "rank 1", "before it is certain to be there");
	algorithm_free(a);
}
