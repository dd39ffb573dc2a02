#include "tests/lower/hand.h"
#include "tests/lower/program/edited.h"
#include "tests/lower/program/free_run.h"

#include "core/base/error.h"
#include "lower/program/check.h"
#include "lower/program/pull.h"
#include "lower/program/sync.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TestSuite(pull, .description = "programs whose receivers load from their senders");

static struct program *pulling(const struct algorithm *a)
{
	struct program *p = built(a), *l = program_pull(p);

	program_free(p);
	return l;
}

Test(pull, nobody_writes_the_memory_of_others)
{
	struct algorithm *a;

	for (size_t n = 0; (a = hand_all(n)); n++, algorithm_free(a)) {
		struct program *p = pulling(a);
		for (int r = 0; r < p->ranks; r++)
			for (size_t i = 0; i < p->of[r].n; i++) {
				const struct instruction *in = &p->of[r].instructions[i];
				cr_expect(ne(int, in->kind, INSTRUCTION_OFFER));
				for (size_t k = 0; k < in->n_targets; k++)
					cr_expect(eq(int, in->targets[k].rank, r), "%s", a->name);
			}
		program_free(p);
	}
}

Test(pull, programs_are_right_in_every_order)
{
	struct algorithm *a;

	for (unsigned i = 0; (a = i < 60 ? hand_random(i) : hand_all(i - 60)); i++, algorithm_free(a)) {
		struct program *p = pulling(a);
		struct error e = {0};
		cr_expect(program_check(p, &e) && program_interpret(p, &e), "%s: %s: %s", a->name, e.where, e.what);
		for (unsigned seed = 0; seed < 20; seed++)
			cr_expect(free_run(p, 3, false, seed), "%s", a->name);
		program_sync(p);
		cr_expect(sync_check(p, &e), "%s: %s", a->name, e.what);
		program_free(p);
	}
}

/* Without a wait or signal it is refused, or goes right in every order all the same. */
Test(pull, what_passes_without_a_wait_goes_right)
{
	struct algorithm *a;
	size_t refused_n = 0;

	for (size_t i = 0; (a = hand_all(i)); i++, algorithm_free(a)) {
		struct program *p = pulling(a);
		refused_n += refused_without_one(p);
		program_free(p);
	}
	cr_expect(gt(sz, refused_n, 100));
}

Test(pull, names_the_rank_that_may_have_left)
{
	struct algorithm *a = hand_allreduce_direct(3);
	struct program *p = pulling(a);

	program_remove(p, 1, p->of[1].n - 1);
	refused(p, "", "may have left when chunk");
	algorithm_free(a);
}
