/* Bounds of what is solved as its inverse on the reverse. */

#include "tests/support/by_hand.h"

#include "core/bounds/bounds.h"
#include "core/verify/verify.h"

TestSuite(bounds_backwards, .description = "bounds of what is solved as its inverse");

/* Root 0 reaches 1 by switch 6 and 3 by switch 4, so that no link has two chunks to carry. */
static const char three_switches[] =
	"\"nodes\": 4, \"switches\": 3, \"links\": ["
	"{\"src\": 0, \"dst\": 4, \"bandwidth\": 2}, {\"src\": 0, \"dst\": 6, \"bandwidth\": 1}, {\"src\": 2, \"dst\": 4, \"bandwidth\": 1},"
	"{\"src\": 4, \"dst\": 3, \"bandwidth\": 1}, {\"src\": 4, \"dst\": 5, \"bandwidth\": 1}, {\"src\": 5, \"dst\": 1, \"bandwidth\": 1},"
	"{\"src\": 5, \"dst\": 6, \"bandwidth\": 1}, {\"src\": 6, \"dst\": 0, \"bandwidth\": 1}, {\"src\": 6, \"dst\": 2, \"bandwidth\": 1},"
	"{\"src\": 6, \"dst\": 5, \"bandwidth\": 1}]";

static const char one_way_ring[] =
	"\"nodes\": 3, \"links\": ["
	"{\"src\": 0, \"dst\": 1, \"bandwidth\": 1}, {\"src\": 1, \"dst\": 2, \"bandwidth\": 1}, {\"src\": 2, \"dst\": 0, \"bandwidth\": 1}]";

/* A machine made of the reverse takes other routes, on which two chunks would share a link: 3/8. */
Test(bounds_backwards, keep_the_routes_that_there_are)
{
	struct error e = {0};
	struct bounds b;
	struct topology *t = machine_of(three_switches);
	struct step *step = new(struct step);

	*step = step_of("1: 1 0 1, 2 0 2, 3 0 3");
	struct algorithm *a = algorithm_new(t, &KIND(SCATTER, 0), 4, 1, step, "hand");
	cr_assert(bounds_compute(t, &a->collective, &b, &e), "%s", e.what);
	struct verdict v = algorithm_verify(a);
	cr_expect(eq(int, v.fault, FAULT_NONE), "%s", v.why);
	cr_expect(eq(int, rational_compare(algorithm_bandwidth(a), b.bandwidth), 0), "the bound is what there is: 1/4");
	bounds_free(&b);
	algorithm_free(a);
	topology_free(t);
}

/* Prices would show 2, since each part goes two of the three links; but what is stated has no place for those of an inverse. */
Test(bounds_backwards, are_shown_by_cuts)
{
	struct error e = {0};
	struct bounds b;
	struct topology *t = machine_of(one_way_ring);
	struct collective k = custom_of(3, 1, "\"combining\": true, \"pre\": [[0, 0], [0, 1], [1, 1], [1, 2], [2, 0], [2, 2]], "
					      "\"post\": [[0, 0], [1, 1], [2, 2]]");

	cr_assert(bounds_compute(t, &k, &b, &e), "%s", e.what);
	cr_expect(eq(int, b.parts, 2), "a cut, and not all links together");
	cr_expect(eq(sz, b.n_prices, 0));
	cr_expect(eq(int, rational_compare(b.bandwidth, rational(1, 1)), 0));
	bounds_free(&b);
	collective_free(&k);
	topology_free(t);
}
