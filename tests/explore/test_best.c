/* The parts of a study: what a search sends, and when. */
#include "explore/best/best.h"
#include "explore/best/sources.h"

#include "core/base/error.h"
#include "core/machine/topology.h"
#include "core/schedule/collective.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TestSuite(best, .timeout = 100);

/* The first record of this source, on dgx1, that is not SOURCE_BEGINS. */
static enum source_record first_of(enum source source, enum collective_kind kind)
{
	enum { MILLISECONDS = 100 }; /* between looks at what was sent */
	const int64_t size = 1024;
	struct error e = {0};
	struct topology *t = topology_open("dgx1", &e);
	struct collective k = {.kind = kind};
	const struct best_question q = {.topology = t, .collective = &k, .n_sizes = 1, .sizes = &size, .how.alpha = -1, .within = 1e5};
	struct worker p, *running = &p;
	struct source_news n;
	enum source_record first = SOURCE_BEGINS;
	size_t at = 0;

	cr_assert(t != NULL && source_start(&p, &q, source, NULL, &e), "%s: %s", e.where, e.what);
	while (first == SOURCE_BEGINS) {
		int done = process_wait(&running, 1, MILLISECONDS);
		while (first == SOURCE_BEGINS && source_next(&p, &at, &n)) {
			first = n.what;
			source_news_free(&n);
		}
		cr_assert(first != SOURCE_BEGINS || done < 0, "it has ended");
	}
	process_kill(&p);
	topology_free(t);
	return first;
}

/* Refuting what would be better than the first point takes hours; the first point does not. */
Test(best, a_search_sends_each_point_at_once)
{
	cr_expect(eq(int, first_of(SOURCE_FRONTIER, SCAN), SOURCE_FOUND));
}

/* On large machines the bounds take longer than the first algorithm. */
Test(best, the_first_algorithm_does_not_wait_for_the_bounds)
{
	cr_expect(eq(int, first_of(SOURCE_CONSTRUCTIONS, ALLGATHER), SOURCE_FOUND));
}

/* One algorithm that takes 10 us, beside a bound. */
static bool check(double bound, struct error *e)
{
	char name[] = "made";
	const int64_t size = 1024;
	double microseconds = 10;
	int fastest = 0;
	struct best_entry entry = {.name = name, .microseconds = &microseconds};
	const struct best_study b = {.n_sizes = 1, .n = 1, .entries = &entry, .fastest = &fastest, .bound = &bound};

	return best_check(&b, &size, e);
}

Test(best, a_time_below_its_bound_is_an_internal_error)
{
	struct error e = {0};

	cr_expect(check(0, &e) && check(9, &e) && check(10, &e), "%s", e.what);
	cr_expect(check(10 * (1 + 1e-10), &e), "of rounding: %s", e.what);
	cr_expect(not(check(10 * (1 + 1e-8), &e)));
	cr_expect(eq(int, e.kind, ERROR_SYSTEM));
	cr_expect(eq(str, e.where, "made"));
}
