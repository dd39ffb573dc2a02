#include "tests/lower/hand.h"
#include "tests/lower/program/edited.h"
#include "tests/lower/program/free_run.h"

#include "core/base/error.h"
#include "lower/lower.h"
#include "lower/program/check.h"
#include "lower/program/multimem.h"
#include "lower/program/shared.h"
#include "lower/program/sync.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

TestSuite(multimem, .description = "programs for switches that copy and add");

/* Every chunk is summed at one node, which sends the sum to all others; BUT: except to its last one. */
static struct algorithm *two_steps(const char *topology, int nodes, int but)
{
	struct hand h = {.topology = topology, .collective = {.kind = ALLREDUCE}, .chunks = nodes};

	for (int c = 0; c < nodes; c++)
		for (int n = 0; n < nodes; n++) {
			if (n == c)
				continue;
			hand_reduce(&h, 0, c, n, c);
			if (!but || n != (c + nodes - 1) % nodes)
				hand_send(&h, 1, c, c, n);
			else
				hand_send(&h, 2, c, (c + 1) % nodes, n);
		}
	return hand_done(&h);
}

static struct algorithm *allgather(const char *topology, int nodes)
{
	struct hand h = {.topology = topology, .collective = {.kind = ALLGATHER}, .chunks = 1};

	for (int c = 0; c < nodes; c++)
		for (int n = 0; n < nodes; n++)
			if (n != c)
				hand_send(&h, 0, c, c, n);
	return hand_done(&h);
}

static struct program *multimem(const struct algorithm *a)
{
	struct program *p = built(a), *s = program_share(p), *m = program_multimem(s ? s : p);

	program_free(p);
	program_free(s);
	return m;
}

/* How many moves load a sum, and how many store once. */
static void count(const struct program *p, int *sums, int *stores, int *moves)
{
	*sums = *stores = *moves = 0;
	for (int r = 0; p && r < p->ranks; r++)
		for (size_t i = 0; i < p->of[r].n; i++) {
			*sums += p->of[r].instructions[i].loads_sum;
			*stores += p->of[r].instructions[i].stores_once;
			*moves += p->of[r].instructions[i].kind == INSTRUCTION_MOVE;
		}
}

static void expect_counts(struct algorithm *a, int sums, int stores, int moves)
{
	struct program *p = multimem(a);
	int n[3];

	count(p, &n[0], &n[1], &n[2]);
	cr_expect(eq(int, n[0], sums), "%s", a->name);
	cr_expect(eq(int, n[1], stores), "%s", a->name);
	cr_expect(eq(int, n[2], moves), "%s", a->name);
	program_free(p);
	algorithm_free(a);
}

Test(multimem, a_sum_is_one_load_and_a_copy_to_all_one_store)
{
	expect_counts(two_steps("switch:4+nvls", 4, 0), 4, 4, 4);
	expect_counts(allgather("switch:3+nvls", 3), 0, 3, 3); /* and no copy of the rank's own input */
	expect_counts(two_steps("switch:4+nvls", 4, 1), 4, 0, 8);
}

Test(multimem, other_machines_have_no_such_program)
{
	static const char *const names[] = {"switch:4", "complete:4", "switch:2+nvls*2"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		expect_counts(two_steps(names[i], 4, 0), 0, 0, 0);
}

Test(multimem, programs_are_right_in_every_order)
{
	struct algorithm *all[] = {two_steps("switch:4+nvls", 4, 0), two_steps("switch:3+nvls", 3, 1), allgather("switch:3+nvls", 3)};

	for (size_t i = 0; i < 3; i++) {
		struct program *p = multimem(all[i]);
		struct error e = {0};
		for (unsigned seed = 0; seed < 50; seed++)
			cr_expect(free_run(p, 3, false, seed), "%s", all[i]->name);
		program_sync(p);
		cr_expect(sync_check(p, &e), "%s: %s", all[i]->name, e.what);
		program_free(p);
		algorithm_free(all[i]);
	}
}

Test(multimem, what_passes_without_a_wait_goes_right)
{
	struct algorithm *a = two_steps("switch:3+nvls", 3, 0);
	struct program *p = multimem(a);

	cr_expect(gt(sz, refused_without_one(p), 15));
	program_free(p);
	algorithm_free(a);
}

Test(multimem, is_left_out_where_one_order_is_asked_for)
{
	struct algorithm *a = two_steps("switch:4+nvls", 4, 0);
	struct kernels k = kernels_all();
	struct error e = {0};

	for (int ordered = 0; ordered <= 1; ordered++) {
		struct lowered l;
		k.ordered = ordered;
		cr_assert(lower(a, lower_target("cuda", &e), &k, &l, &e), "%s", e.what);
		cr_expect(eq(int, strstr(l.source.bytes, "SCCL_INPUT_OF_ALL(0), SCCL_OUTPUT_OF_ALL(0)") != NULL, !ordered));
		cr_expect(eq(int, strstr(l.source.bytes, "#define SCCL_WITH_MULTIMEM") != NULL, !ordered));
		lowered_free(&l);
	}
	algorithm_free(a);
}

Test(multimem, what_goes_to_one_node_at_a_time_stays_as_it_is)
{
	struct hand h = {.topology = "switch:4+nvls", .collective = {.kind = ALLGATHER}, .chunks = 1};

	for (int step = 0; step < 3; step++)
		for (int n = 0; n < 4; n++)
			hand_send(&h, step, (n + 4 - step) % 4, n, (n + 1) % 4);
	struct algorithm *a = hand_done(&h);
	cr_expect(eq(ptr, multimem(a), NULL));
	algorithm_free(a);
}
