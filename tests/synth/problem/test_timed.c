/* The bound of a step count is no more than what there is an algorithm for: all of the catalog, and a
 * solver's on small machines. */

#include "core/schedule/algorithm.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"
#include "core/schedule/transform.h"
#include "synth/problem/problem.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(timed, .description = "bounds of a step count beside algorithms");

static void expect_no_more(const struct algorithm *a, const char *path)
{
	struct error e = {0};
	struct problem p;
	struct collective k = collective_unscaled(&a->collective);
	char bound[RATIONAL_TEXT], has[RATIONAL_TEXT];

	cr_assert(problem_open_direct(a->topology, &k, &p, &e), "%s", e.what);
	int steps = (int)a->n_steps, over = algorithm_rounds(a) - steps;
	int64_t *most = new_array(int64_t, (size_t)over + 1);
	struct rational least = problem_bandwidth_in(&p, steps, TIMED_FULL);
	cr_expect(le(int, rational_compare(least, algorithm_bandwidth(a)), 0), "%s: %s in %zu steps, and there is %s", path,
		  rational_text(least, bound), a->n_steps, rational_text(algorithm_bandwidth(a), has));
	problem_most_chunks(&p, steps, steps, steps + over, TIMED_FULL, most);
	cr_expect(most[over] < 0 || a->chunks <= most[over], "%s: %d chunks, and at most %ld", path, a->chunks, (long)most[over]);
	free(most);
	problem_close(&p);
	collective_free(&k);
}

/* One in five of them; CATALOG_EVERY=1: all. */
Test(timed, every_algorithm_of_the_catalog_needs_that_much)
{
	static const char *const patterns[] = {"algorithms/*/*/c*.json", "algorithms/atlas/*/*/*/c*.json"};
	const char *all = getenv("CATALOG_EVERY");
	size_t every = all ? (size_t)atoi(all) : 5;
	glob_t found;
	char path[512];

	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "%s/%s", getenv("SOURCE_ROOT"), patterns[i]);
		cr_assert(eq(int, glob(path, i ? GLOB_APPEND : 0, NULL, &found), 0));
	}
	cr_expect(gt(sz, found.gl_pathc, 100));
	for (size_t i = 0; i < found.gl_pathc; i += every) {
		struct error e = {0};
		struct algorithm *a = algorithm_open(found.gl_pathv[i], &e);
		cr_assert(a != NULL, "%s: %s", e.where, e.what);
		expect_no_more(a, found.gl_pathv[i]);
		algorithm_free(a);
	}
	globfree(&found);
}

/* One chunk more than the bound allows is refused by a solver that knows nothing of it; with whole rounds for each step too. */
static int expect_refused(const struct problem *p, int steps, int rounds, const char *machine)
{
	struct error e = {0};
	struct rational least = problem_bandwidth_in(p, steps, TIMED_FULL);
	struct instance asked;
	struct solution got = {0};
	enum { FEW = 12, OVER = 2 };
	int64_t whole[OVER + 1];

	if (least.num == 0)
		return 0;
	problem_most_chunks(p, steps, steps, steps + OVER, TIMED_FULL, whole);
	int64_t any = rational_floor(rational_div(rational(rounds, 1), least)) / p->unit * p->unit, most = whole[rounds - steps];
	cr_assert(most >= 0 && most <= any, "%s (%d,%d): %ld in whole rounds, %ld in any", machine, steps, rounds, (long)most, (long)any);
	struct candidate c = {(int)most + p->unit, steps, rounds};
	if (most > FEW)
		return 0;
	cr_assert(problem_instance(p, c, &asked, &e), "%s", e.what);
	cr_assert(solve(&asked, &(struct solve_options){.engine = "bits", .timeout = 20}, &got, &e), "%s", e.what);
	cr_expect(ne(int, got.answer, ANSWER_FOUND), "%s %s (%d,%d,%d)", machine, collective_name(&p->collective), c.chunks, steps, rounds);
	steps_free(got.steps, got.n_steps);
	problem_instance_done(&asked);
	return most < any;
}

/* For how many questions whole rounds say more. */
static int try_kind(const struct topology *t, const char *kind)
{
	int more = 0;
	struct error e = {0};
	struct collective k;
	struct problem p;

	cr_assert(collective_open(kind, t->nodes, 1, &k, &e), "%s", e.what);
	cr_assert(problem_open(t, &k, &p, &e), "%s", e.what);
	for (int s = p.bounds.steps; s <= p.bounds.steps + 1; s++)
		for (int r = s; r <= s + 2; r++)
			more += expect_refused(&p, s, r, t->name);
	problem_close(&p);
	collective_free(&k);
	return more;
}

Test(timed, no_search_finds_more)
{
	static const char *const machines[] = {"ring:5", "mesh:3x2", "line:4", "star:5", "switch:5", "switch:4", "ring:3*2", "star:4*2", "dgx1@gpus=0,1,4,5,6",
					       "dgx1@gpus=1,2,3,7", "hypercube:3@drop=0-1", "p3.8xlarge", "complete:4@drop=0-1"};
	static const char *const kinds[] = {"allgather", "broadcast", "gather", "scatter", "alltoall", "reduce"};
	struct error e = {0};
	int more = 0;

	for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
		struct topology *t = topology_open(machines[m], &e);
		cr_assert(t != NULL, "%s: %s", machines[m], e.what);
		for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
			more += try_kind(t, kinds[i]);
		topology_free(t);
	}
	cr_log_info("whole rounds refuse more in %d questions", more);
	cr_expect(gt(int, more, 10));
}

/* Where a limit has more than a link under it, both bind: here 5 chunks in 7 rounds would be enough for the limit alone. */
Test(timed, a_link_under_a_wider_limit_keeps_its_bandwidth)
{
	static const char line[] = "{\"format\": \"sccl-topology\", \"version\": 1, \"name\": \"line\", \"nodes\": 3, \"switches\": 0, \"links\": ["
				   "{\"src\": 0, \"dst\": 1, \"bandwidth\": 2}, {\"src\": 1, \"dst\": 0, \"bandwidth\": 2}, "
				   "{\"src\": 1, \"dst\": 2, \"bandwidth\": 1}, {\"src\": 2, \"dst\": 1, \"bandwidth\": 1}], "
				   "\"limits\": [{\"edges\": [[1, 0], [1, 2]], \"bandwidth\": 2}]}";
	struct collective allreduce = {.kind = ALLREDUCE};
	struct error e = {0};
	struct problem p;
	struct topology *t = topology_read_document(json_document_parse(line, "line.json", &e), &e);

	cr_assert(t != NULL, "%s", e.what);
	cr_assert(problem_open_direct(t, &allreduce, &p, &e), "%s", e.what);
	cr_expect(eq(int, rational_compare(problem_bandwidth_in(&p, 3, TIMED_FULL), rational(3, 2)), 0));
	problem_close(&p);
	topology_free(t);
}
