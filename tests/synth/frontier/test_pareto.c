#define _XOPEN_SOURCE 700 /* nftw */
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "core/schedule/transform.h"
#include "core/verify/verify.h"
#include "synth/frontier/allreduce.h"
#include "synth/frontier/catalog.h"
#include "synth/frontier/pareto.h"
#include "synth/frontier/candidate.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(pareto, .description = "the walk along the frontier", .timeout = 100);

static struct topology *topology;
static struct collective collective;
static struct problem problem;

static void set_up(const char *machine, const char *kind, int root)
{
	struct error e = {0};
	topology = topology_open(machine, &e);
	cr_assert(topology != NULL, "%s: %s", e.where, e.what);
	cr_assert(collective_open(kind, topology->nodes, root, &collective, &e), "%s: %s", e.where, e.what);
	cr_assert(problem_open(topology, &collective, &problem, &e), "%s: %s", e.where, e.what);
}

static void tear_down(void)
{
	problem_close(&problem);
	collective_free(&collective);
	topology_free(topology);
}

static struct frontier *walk_with(struct pareto_options o)
{
	struct error e = {0};
	o.solve.engine = "auto";
	struct frontier *f = pareto_search(&problem, &o, &e);
	cr_assert(f != NULL, "%s: %s", e.where, e.what);
	for (size_t i = 0; i < f->n_points; i++) {
		struct verdict v = algorithm_verify(f->points[i]);
		cr_expect(eq(int, v.fault, FAULT_NONE), "%s", v.why);
	}
	return f;
}

static char *points_of(const struct frontier *f)
{
	struct text t = {0};
	text_add(&t, "%s:", frontier_end_names[f->ended]);
	for (size_t i = 0; i < f->n_points; i++)
		text_add(&t, " (%d,%zu,%d)%s", f->points[i]->chunks, f->points[i]->n_steps, algorithm_rounds(f->points[i]),
			 optimality_class_names[f->points[i]->optimality.class]);
	return text_take(&t);
}

static void expect_points(const char *machine, const char *kind, int root, struct pareto_options o, const char *wanted)
{
	set_up(machine, kind, root);
	struct frontier *f = walk_with(o);
	char *got = points_of(f);
	cr_expect(eq(str, got, (char *)wanted));
	free(got);
	frontier_free(f);
	tear_down();
}

static const struct pareto_options k4 = {.k = 4, .jobs = 1};

Test(pareto, the_ring_of_eight_meets_both_bounds_at_once_where_k_allows)
{
	expect_points("ring:8", "allgather", 0, (struct pareto_options){.k = 3, .jobs = 1}, "bound: (2,4,7)both");
}

Test(pareto, the_ring_of_eight_in_lockstep)
{
	expect_points("ring:8", "allgather", 0, (struct pareto_options){.k = 0, .jobs = 1},
		      "bound: (1,4,4)latency (2,7,7)bandwidth");
}

Test(pareto, dgx1_allgather)
{
	expect_points("dgx1", "allgather", 0, k4, "bound: (2,2,3)latency (6,3,7)bandwidth");
}

Test(pareto, does_not_depend_on_the_jobs)
{
	expect_points("dgx1", "allgather", 0, (struct pareto_options){.k = 4, .jobs = 5},
		      "bound: (2,2,3)latency (6,3,7)bandwidth");
}

Test(pareto, a_combining_collective_has_the_frontier_of_its_inverse)
{
	expect_points("dgx1", "reducescatter", 0, k4, "bound: (16,2,3)latency (48,3,7)bandwidth");
}

Test(pareto, allreduce_takes_the_least_sum_of_its_halves)
{
	/* 3/2 and 7/6 share S = 5: a point that the paper does not list. */
	expect_points("dgx1", "allreduce", 0, k4, "bound: (16,4,6)latency (48,5,16)pareto (48,6,14)bandwidth");
}

static char *points_of_both(const char *machine, struct pareto_options o)
{
	struct error e = {0};
	struct problem direct;
	o.solve.engine = "auto";
	set_up(machine, "allreduce", 0);
	cr_assert(problem_open_direct(topology, &collective, &direct, &e), "%s: %s", e.where, e.what);
	struct frontier *f = pareto_search_both(&problem, &direct, &o, &e);
	cr_assert(f != NULL, "%s: %s", e.where, e.what);
	char *got = points_of(f);
	for (size_t i = 0; i < f->n_points; i++) {
		struct verdict v = algorithm_verify(f->points[i]);
		cr_expect(eq(int, v.fault, FAULT_NONE), "%s", v.why);
		cr_expect(eq(int, frontier_is_composed(f, f->points[i]), f->points[i]->n_steps >= (size_t)problem.bounds.steps));
	}
	frontier_free(f);
	problem_close(&direct);
	tear_down();
	return got;
}

Test(pareto, allreduce_of_both_classes_takes_the_best_of_each)
{
	char *got = points_of_both("dgx1", (struct pareto_options){.k = 0, .jobs = 1});
	cr_expect(eq(str, got, "steps: (2,2,2)latency (6,3,3)pareto (16,5,7)pareto (16,6,6)pareto (48,7,17)pareto (24,8,8)pareto"));
	free(got);
	got = points_of_both("ring:4", (struct pareto_options){.k = 4, .jobs = 1});
	cr_expect(eq(str, got, "bound: (2,2,2)latency (4,3,3)bandwidth"), "as good as any in R/C, with a step less than a composition");
	free(got);
}

/* Four steps are as many as the compositions' least: what they have there stands until something directly found beats it. */
Test(pareto, what_is_composed_is_the_first_to_beat)
{
	struct error e = {0};
	struct problem direct;
	struct pareto_options o = {.k = 0, .jobs = 1, .max_steps = 4, .solve = {.engine = "auto"}};
	set_up("line:3", "allreduce", 0);
	cr_assert(problem_open_direct(topology, &collective, &direct, &e));
	struct frontier *f = pareto_search_both(&problem, &direct, &o, &e);
	char *got = points_of(f);
	cr_expect(eq(str, got, "steps: (1,2,2)latency (2,3,3)pareto (3,4,4)both"));
	cr_expect(frontier_is_composed(f, f->points[2]));
	cr_expect(eq(int, f->last_steps, 4));
	cr_expect(eq(sz, f->n_open, 0), "(4,4,4) and what else would beat it was refused among all algorithms");
	free(got);
	frontier_free(f);
	problem_close(&direct);
	tear_down();
}

/* Of equal ratios the fewest chunks: (2,2,4) from elsewhere is no more than an upper limit. */
Test(pareto, fewer_chunks_than_what_is_given_are_asked_for)
{
	struct error e = {0};
	set_up("line:3", "broadcast", 0);
	struct frontier *least = walk_with((struct pareto_options){.k = 0, .jobs = 1, .max_steps = 2});
	cr_assert(eq(sz, least->n_points, 1));
	struct frontier *beside = frontier_new(&problem, 0, 0);
	frontier_add(beside, algorithm_scaled(least->points[0], 2, &e));
	cr_assert(beside->points[0]->chunks == 2 && algorithm_rounds(beside->points[0]) == 4);
	struct frontier *f = walk_with((struct pareto_options){.k = 0, .jobs = 1, .max_steps = 2, .beside = beside});
	char *wanted = points_of(least), *got = points_of(f);
	cr_expect(eq(str, got, wanted));
	free(wanted);
	free(got);
	frontier_free(f);
	frontier_free(beside);
	frontier_free(least);
	tear_down();
}

Test(pareto, a_class_has_only_candidates_that_would_improve)
{
	struct frontier f = {.unit = 2, .bound_bandwidth = rational(1, 3), .bound_steps = 1};

	cr_expect(eq(int, frontier_least_chunks(&f, 2, rational(1, 0)), 2), "any at all");
	cr_expect(eq(int, frontier_least_chunks(&f, 2, rational(1, 1)), 4), "R/C below 1");
	cr_expect(eq(int, frontier_least_chunks(&f, 2, rational(1, 3)), 0), "nothing is below the bound");
	cr_expect(eq(sz, frontier_class_size(&f, 1), 1), "(2,1,1)");
	cr_expect(eq(sz, frontier_class_size(&f, 2), 4), "and (2,2,2), (4,2,2), (6,2,2)");
	f.max_chunks = 4;
	cr_expect(eq(sz, frontier_class_size(&f, 2), 3));
	f.max_chunks = 1;
	cr_expect(eq(int, frontier_least_chunks(&f, 2, rational(1, 0)), 0), "fewer than a unit");
	f.max_chunks = 0;
	f.bound_bandwidth = rational(0, 1);
	cr_expect(eq(int, frontier_least_chunks(&f, 2, rational(1, 0)), 2));
	cr_expect(eq(int, frontier_least_chunks(&f, 2, rational(1, 1)), 0), "where nothing need cross a link one is enough");
	cr_expect(eq(sz, frontier_class_size(&f, 2), 0), "and nothing need be refuted");
}

Test(pareto, folders_of_the_catalog_neither_leave_it_nor_are_hidden)
{
	static const char *const names[][2] = {{"dgx1", "d/dgx1/allgather"}, {"..", "d/_./allgather"}, {".a", "d/_a/allgather"},
					       {"", "d/_/allgather"}, {"a/../b", "d/a_.._b/allgather"}, {"ring:4*2", "d/ring:4_2/allgather"}};
	const struct collective k = {.kind = ALLGATHER};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct topology t = {.name = (char *)names[i][0]};
		char *got = catalog_folder("d", &t, &k);
		cr_expect(eq(str, got, (char *)names[i][1]));
		free(got);
	}
}

Test(pareto, least_steps_stops_at_the_first_point)
{
	expect_points("dgx1", "allgather", 0, (struct pareto_options){.k = 4, .jobs = 1, .least_steps = true},
		      "steps: (2,2,3)latency");
}

Test(pareto, compositions_too_end_at_the_first_point_if_asked)
{
	expect_points("line:3", "allreduce", 0, (struct pareto_options){.k = 0, .jobs = 1, .least_steps = true}, "bound: (3,4,4)both");
	expect_points("ring:8", "allreduce", 0, (struct pareto_options){.k = 0, .jobs = 1, .least_steps = true}, "steps: (8,8,8)latency");
}

/* On a large symmetric machine one schedule that meets both bounds is the whole frontier; its sends may be listed. */
Test(pareto, one_construction_may_be_the_frontier)
{
	for (int expand = 0; expand < 2; expand++) {
		set_up("hypercube:5", expand ? "allreduce" : "allgather", 0);
		struct frontier *f = walk_with((struct pareto_options){.k = expand ? WITHOUT_K : 4, .jobs = 1, .expand = expand});
		char *got = points_of(f);
		cr_expect(eq(str, got, expand ? "bound: (160,10,62)both" : "bound: (5,5,31)both"));
		cr_expect(eq(int, f->last_steps, expand ? 10 : 5));
		cr_expect(eq(sz, f->values.n, (size_t)expand));
		cr_expect(f->n_refuted == 0 && f->n_open == 0);
		free(got);
		frontier_free(f);
		tear_down();
	}
}

Test(pareto, a_limit_leaves_candidates_open_and_says_so)
{
	struct pareto_options o = {.k = 4, .jobs = 1, .max_steps = 2, .solve = {.timeout = 0.001}};
	set_up("torus:4x4", "allgather", 0);
	struct frontier *f = walk_with(o);
	cr_expect(eq(int, f->ended, ENDED_STEPS), "nothing is below the step bound");
	frontier_free(f);
	o.max_steps = 4;
	f = walk_with(o);
	cr_expect(eq(int, f->ended, ENDED_LIMIT));
	cr_expect(gt(sz, f->n_open, 0));
	frontier_free(f);
	tear_down();
}

/* A folder of the test's own. */
static char folder[] = "/tmp/sccl-pareto-XXXXXX";

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *at)
{
	(void)s, (void)kind, (void)at;
	return remove(path);
}

static void make_folder(void)
{
	cr_assert(mkdtemp(folder) != NULL);
}

static void remove_folder(void)
{
	cr_expect(eq(int, nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0));
}

Test(pareto, what_it_stores_passes_its_judge_and_a_forged_file_does_not, .init = make_folder, .fini = remove_folder)
{
	struct error e = {0};
	char why[256];
	set_up("dgx1", "allgather", 0);
	struct frontier *f = walk_with((struct pareto_options){.k = 4, .jobs = 1, .out = folder});
	char *path = catalog_frontier_path(folder, topology, &collective);
	struct frontier *stored = frontier_open(path, &e);
	cr_assert(stored != NULL, "%s %s", e.where, e.what);
	cr_expect(frontier_judge(stored, why, sizeof why), "%s", why);
	frontier_free(stored);

	struct text text = {0};
	cr_assert(file_read(path, &text, &e));
	char *refuted = strstr(text.bytes, "[5, 2, 6], ");
	cr_assert(refuted != NULL, "(5,2,6) is refuted beside the frontier");
	memset(refuted, ' ', strlen("[5, 2, 6], "));
	cr_assert(file_write(path, text.bytes, text.length, &e));
	stored = frontier_open(path, &e);
	cr_assert(stored != NULL, "%s", e.what);
	cr_expect(not(frontier_judge(stored, why, sizeof why)), "a refutation is missing");
	frontier_free(stored);

	text_free(&text);
	free(path);
	frontier_free(f);
	tear_down();
}

Test(pareto, resumes_from_its_journal_with_the_same_points, .init = make_folder, .fini = remove_folder)
{
	struct error e = {0};
	set_up("dgx1", "allgather", 0);
	struct pareto_options o = {.k = 4, .jobs = 1, .out = folder, .max_steps = 2, .solve = {.engine = "auto"}};
	char *journal = catalog_journal_path(folder, topology, &collective);
	volatile int interrupted = 1;
	o.interrupted = &interrupted;
	cr_expect(eq(ptr, pareto_search(&problem, &o, &e), NULL));
	cr_expect(eq(str, e.what, "interrupted"));
	cr_expect(eq(int, access(journal, F_OK), 0), "the journal is kept");

	o.interrupted = NULL;
	o.resume = true;
	o.max_steps = 0;
	struct frontier *f = walk_with(o);
	char *got = points_of(f);
	cr_expect(eq(str, got, "bound: (2,2,3)latency (6,3,7)bandwidth"));
	cr_expect(ne(int, access(journal, F_OK), 0), "the journal is gone when all is stored");
	free(got);
	frontier_free(f);
	free(journal);
	tear_down();
}

Test(pareto, a_journal_of_another_machine_is_refused, .init = make_folder, .fini = remove_folder)
{
	struct error e = {0};
	set_up("ring:4", "allgather", 0);
	struct pareto_options o = {
		.k = 0, .jobs = 1, .out = folder, .resume = true, .solve = {.engine = "auto"}};
	char *path = catalog_journal_path(folder, topology, &collective);
	char *dir = catalog_folder(folder, topology, &collective);
	static const char other[] = "{\"format\": \"sccl-journal\"}\n";
	cr_assert(folder_make(dir, &e));
	cr_assert(file_write(path, other, sizeof other - 1, &e));
	cr_expect(eq(ptr, pareto_search(&problem, &o, &e), NULL));
	cr_expect(eq(int, e.kind, ERROR_INPUT));
	free(dir);
	free(path);
	tear_down();
}

Test(smt, allreduce_is_solved_by_sharing_its_steps)
{
	struct error e = {0};
	struct candidate_answer got;
	set_up("ring:4", "allreduce", 0);
	cr_assert(candidate_solve(&problem, (struct candidate){8, 4, 6}, &(struct solve_options){.engine = "auto"}, &got, &e));
	cr_expect(eq(int, got.answer, ANSWER_FOUND), "%s", got.why);
	cr_expect(eq(int, algorithm_verify(got.algorithm).fault, FAULT_NONE));
	algorithm_free(got.algorithm);
	cr_assert(candidate_solve(&problem, (struct candidate){8, 4, 5}, &(struct solve_options){.engine = "auto"}, &got, &e));
	cr_expect(eq(int, got.answer, ANSWER_NONE));
	tear_down();
}

Test(smt, an_allreduce_of_both_classes_is_none_only_if_it_is_none_directly)
{
	static const struct {
		const char *machine;
		struct candidate c;
		enum answer answer;
	} cases[] = {
		{"ring:4", {8, 4, 6}, ANSWER_FOUND}, /* composed */
		{"ring:4", {4, 3, 3}, ANSWER_FOUND}, /* fewer steps than any composition */
		{"ring:4", {3, 2, 3}, ANSWER_NONE},  /* C is no multiple of 4 */
		{"ring:4", {8, 4, 5}, ANSWER_NONE},  /* below the bound of all */
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct error e = {0};
		struct candidate_answer got;
		set_up(cases[i].machine, "allreduce", 0);
		cr_assert(allreduce_solve(topology, &collective, cases[i].c, &(struct solve_options){.engine = "auto"}, &got, &e));
		cr_expect(eq(int, got.answer, cases[i].answer), "%zu: %s", i, got.why);
		algorithm_free(got.algorithm);
		tear_down();
	}
}

Test(smt, refuses_what_is_no_candidate)
{
	static const struct {
		struct candidate c;
		const char *where;
	} cases[] = {{{6, 2, 4}, "alltoall"}, {{4, 0, 4}, "-S"}, {{4, STEPS_MAX + 1, ROUNDS_MAX}, "-S"}, {{4, 3, 2}, "-R"}, {{4, 3, ROUNDS_MAX + 1}, "-R"}};

	set_up("ring:4", "alltoall", 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct error e = {0};
		struct candidate_answer got;
		cr_expect(not(candidate_solve(&problem, cases[i].c, &(struct solve_options){.engine = "auto"}, &got, &e)));
		cr_expect(eq(int, e.kind, ERROR_INPUT));
		cr_expect(eq(str, e.where, (char *)cases[i].where), "case %zu: %s", i, e.where);
	}
	tear_down();
}

Test(smt, refuses_an_engine_that_there_is_not)
{
	struct error e = {0};
	struct candidate_answer got;

	set_up("ring:4", "allgather", 0);
	cr_expect(not(candidate_solve(&problem, (struct candidate){2, 2, 3}, &(struct solve_options){.engine = "nosuch"}, &got, &e)));
	cr_expect(eq(int, e.kind, ERROR_INPUT));
	tear_down();
}

/* Neither the composition nor what is asked for directly is begun, and nothing is refuted. */
Test(smt, an_allreduce_without_time_is_given_up)
{
	struct error e = {0};
	struct candidate_answer got;

	set_up("ring:4", "allreduce", 0);
	cr_assert(allreduce_solve(topology, &collective, (struct candidate){8, 4, 6}, &(struct solve_options){.engine = "auto", .timeout = 1e-9}, &got, &e));
	cr_expect(eq(int, got.answer, ANSWER_GAVE_UP));
	cr_expect(eq(int, strncmp(got.why, "time limit", strlen("time limit")), 0), "%s", got.why);
	tear_down();
}

/* A half that a limit leaves open leaves the composition open. */
Test(smt, a_composition_is_open_if_a_half_is)
{
	struct error e = {0};
	struct candidate_answer got;

	set_up("dgx1", "allreduce", 0);
	cr_assert(candidate_solve(&problem, (struct candidate){48, 6, 14}, &(struct solve_options){.engine = "bits", .work = 1}, &got, &e), "%s", e.what);
	cr_expect(eq(int, got.answer, ANSWER_GAVE_UP), "%s", got.why);
	cr_expect(got.why[0] && strncmp(got.why, "among compositions", strlen("among compositions")) != 0, "%s", got.why);
	algorithm_free(got.algorithm);
	tear_down();
}
