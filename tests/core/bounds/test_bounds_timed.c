#include "core/bounds/timed_cuts.h"
#include "core/bounds/whole_rounds.h"
#include "core/base/error.h"
#include "core/schedule/instance.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TestSuite(bounds_timed, .description = "rounds that a number of steps needs");

static void expect(const char *machine, const char *kind, int root, int steps, struct rational rounds)
{
	struct error e = {0};
	struct collective k;
	struct instance i;
	struct timed_bound b;
	struct topology *t = topology_open(machine, &e);
	char got[RATIONAL_TEXT], wanted[RATIONAL_TEXT];

	cr_assert(t != NULL, "%s", e.what);
	struct network *w = network_new(t, &e);
	cr_assert(w != NULL, "%s", e.what);
	cr_assert(collective_open(kind, t->nodes, root, &k, &e), "%s", e.what);
	int chunks = collective_row(&k)->chunks_in_blocks ? t->nodes : 1;
	cr_assert(instance_new(w, &k, chunks, steps, steps, &i, &e), "%s", e.what);
	bounds_timed(t, &i, TIMED_FULL, &b);
	rational_text(b.rounds, got);
	rational_text(rounds, wanted);
	cr_expect(eq(str, got, wanted), "%s on %s from %d in %d steps", kind, machine, root, steps);
	cr_expect(eq(int, b.steps, steps));
	cr_expect(b.n_cuts > 0 || rounds.num == 0, "cuts show it");
	timed_bound_free(&b);
	collective_free(&k);
	network_free(w);
	topology_free(t);
}

/* On a line of n the first chunk is at the end after n - 1 steps, and each further round brings one. */
Test(bounds_timed, a_line_takes_its_length_and_then_a_chunk_a_round)
{
	expect("line:3", "broadcast", 0, 2, rational(2, 1));
	expect("line:3", "broadcast", 0, 3, rational(3, 2));
	expect("line:3", "broadcast", 0, 4, rational(4, 3));
	expect("line:4", "broadcast", 0, 3, rational(3, 1));
	expect("line:4", "broadcast", 0, 5, rational(5, 3));
}

/* All of these have algorithms: what a solver finds meets them. */
Test(bounds_timed, the_published_machines_meet_it)
{
	expect("dgx1", "broadcast", 0, 2, rational(1, 1));
	expect("dgx1", "broadcast", 0, 3, rational(1, 2));
	expect("dgx1", "broadcast", 0, 4, rational(1, 3));
	expect("dgx1", "broadcast", 0, 5, rational(5, 18));
	expect("dgx1", "broadcast", 1, 3, rational(9, 22));
	expect("dgx1", "broadcast", 1, 5, rational(5, 19));
	expect("dgx1", "allgather", 0, 2, rational(3, 2));
	expect("dgx1", "allgather", 0, 3, rational(7, 6));
	expect("dgx1", "gather", 0, 2, rational(3, 2));
	expect("dgx1", "gather", 1, 2, rational(7, 6));
	expect("amd-z52", "broadcast", 0, 7, rational(7, 8));
}

Test(bounds_timed, switches_and_their_limits_count)
{
	expect("dgx-a100", "allgather", 0, 1, rational(7, 12));
	expect("dgx-a100", "broadcast", 0, 1, rational(7, 12));
	expect("dgx-a100", "broadcast", 0, 2, rational(7, 48));
	expect("dgx-a100", "broadcast", 0, 3, rational(7, 60));
	expect("switch:4", "broadcast", 0, 1, rational(3, 1));
	expect("switch:4", "broadcast", 0, 2, rational(3, 2));
	expect("switch:4", "broadcast", 0, 3, rational(9, 7));
	expect("switch:4", "gather", 2, 2, rational(3, 1));
}

Test(bounds_timed, nothing_is_known_of_an_allreduce_or_of_too_few_steps)
{
	expect("dgx1", "allreduce", 0, 3, rational(0, 1));
	expect("line:4", "broadcast", 0, 2, rational(0, 1));
}

static void expect_most(const char *machine, const char *kind, int steps, int rounds, int64_t most)
{
	struct error e = {0};
	struct collective k;
	struct instance i;
	struct topology *t = topology_open(machine, &e);

	cr_assert(t != NULL, "%s", e.what);
	struct network *n = network_new(t, &e);
	cr_assert(collective_open(kind, t->nodes, 0, &k, &e), "%s", e.what);
	cr_assert(instance_new(n, &k, 1, steps, steps, &i, &e), "%s", e.what);
	struct whole w = whole_new(t, &i, TIMED_FULL);
	cr_expect(eq(i64, whole_most(&w, rounds), most), "%s on %s in %d steps and %d rounds", kind, machine, steps, rounds);
	whole_free(&w);
	collective_free(&k);
	network_free(n);
	topology_free(t);
}

/* In two steps behind a switch as many chunks may come in the second as went out in the first: half the rounds each. Of an odd
 * number one is over: what R/C says in any rounds is 20, 34 and 16. */
Test(bounds_timed, rounds_come_whole)
{
	expect_most("dgx-a100", "broadcast", 2, 2, 13);
	expect_most("dgx-a100", "broadcast", 2, 3, 15);
	expect_most("dgx-a100", "broadcast", 2, 5, 29);
	expect_most("dgx2", "broadcast", 2, 5, 13);
	expect_most("switch:4", "broadcast", 1, 5, 1);
	expect_most("line:3", "broadcast", 2, 3, 1);
	expect_most("line:3", "broadcast", 2, 4, 2);
	expect_most("line:3", "broadcast", 2, 5, 2);
}

/* In each of three steps of one round behind dgx2's switch the root, then it and six more, then all send six: 6 + 42 + 90 of the
 * 15 C that must come. */
Test(bounds_timed, nodes_that_hold_nothing_send_nothing)
{
	expect_most("dgx2", "broadcast", 3, 3, 9);
	expect_most("dgx2", "broadcast", 4, 4, 15);
	expect_most("dgx2", "broadcast", 5, 5, 21);
	expect_most("switch:4", "broadcast", 3, 3, 2);
}

Test(bounds_timed, too_many_ways_to_share_are_not_tried_and_too_few_rounds_are_not_known)
{
	expect_most("ring:4", "broadcast", 3, 2, -1);
	expect_most("line:3", "broadcast", 20, 60, 57);
	expect_most("line:4", "broadcast", 2, 4, -1);
}
