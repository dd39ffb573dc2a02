#define _XOPEN_SOURCE 700 /* nftw */
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "core/verify/verify.h"
#include "synth/frontier/catalog.h"
#include "synth/frontier/compose_frontier.h"
#include "synth/frontier/direct_allreduce.h"
#include "synth/frontier/pareto.h"
#include "synth/frontier/program_values.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(program_search, .description = "frontiers without k", .timeout = 200);

static struct topology *topology;
static struct collective collective;

/* Of an allreduce both classes. */
static struct frontier *search(const char *machine, const char *kind, int root, struct pareto_options o)
{
	struct problem p, direct;
	struct error e = {0};

	o.k = WITHOUT_K;
	o.jobs = 1;
	o.solve.engine = "auto";
	topology = topology_open(machine, &e);
	cr_assert(topology != NULL, "%s: %s", e.where, e.what);
	cr_assert(collective_open(kind, topology->nodes, root, &collective, &e), "%s: %s", e.where, e.what);
	cr_assert(problem_open(topology, &collective, &p, &e), "%s: %s", e.where, e.what);
	cr_assert(problem_open_direct(topology, &collective, &direct, &e), "%s: %s", e.where, e.what);
	struct frontier *f = collective.kind == ALLREDUCE ? pareto_search_both(&p, &direct, &o, &e) : pareto_search(&p, &o, &e);
	cr_assert(f != NULL, "%s: %s", e.where, e.what);
	problem_close(&p);
	problem_close(&direct);
	return f;
}

static void done(struct frontier *f)
{
	frontier_free(f);
	collective_free(&collective);
	topology_free(topology);
}

/* Steps and values; "~" before a value that need not be attained. */
static void add_values(const struct step_values *l, struct text *t)
{
	char ratio[RATIONAL_TEXT];

	for (size_t i = 0; i < l->n; i++)
		text_add(t, "%s%d:%s%s", t->length ? " " : "", l->of[i].steps, l->of[i].attained ? "" : "~", rational_text(l->of[i].at_least, ratio));
}

/* Every point verifies, and is at the value of its steps and claimed to be. */
static void expect_proved(const struct frontier *f)
{
	for (size_t i = 0; i < f->n_points; i++) {
		struct algorithm *a = f->points[i];
		struct verdict v = algorithm_verify(a);
		cr_expect(eq(int, v.fault, FAULT_NONE), "%s: %s", a->name, v.why);
		cr_expect(eq(dbl, frontier_gap(f, a), 0), "%s", a->name);
		cr_expect(ne(int, a->optimality.class, CLASS_NONE), "%s", a->name);
	}
}

static void expect_values(const char *machine, const char *kind, int root, const char *wanted)
{
	struct frontier *f = search(machine, kind, root, (struct pareto_options){0});
	struct text got = {0};

	add_values(&f->values, &got);
	cr_expect(eq(str, got.bytes, (char *)wanted), "%s on %s", kind, machine);
	expect_proved(f);
	text_free(&got);
	done(f);
}

Test(program_search, one_step_is_optimal_in_both_behind_a_switch)
{
	struct frontier *f = search("dgx-h100", "allgather", 0, (struct pareto_options){0});

	cr_assert(eq(sz, f->n_points, 1));
	cr_expect(eq(int, f->points[0]->chunks, 18));
	cr_expect(eq(int, algorithm_rounds(f->points[0]), 7));
	cr_expect(eq(int, f->points[0]->optimality.class, CLASS_BOTH));
	cr_expect(eq(int, f->ended, ENDED_BOUND));
	done(f);
}

Test(program_search, values_of_the_reference)
{
	static const struct {
		const char *machine, *kind;
		int root;
		const char *values;
	} rows[] = {
		{"dgx-h100", "broadcast", 0, "1:7/18 2:7/72 3:7/90 4:7/99 5:35/522"},
		{"dgx1", "broadcast", 0, "2:1 3:1/2 4:1/3 5:5/18 6:1/4"},
		{"dgx1", "broadcast", 1, "2:1 3:9/22 4:4/13 5:5/19 6:6/25"},
		{"dgx1", "gather", 1, "2:7/6"},
		{"dgx1", "alltoall", 0, "2:1/3"},
		{"dgx1", "allgather", 0, "2:3/2 3:7/6"},
		{"dgx1", "reducescatter", 0, "2:3/16 3:7/48"},
		{"dgx1", "reduce", 1, "2:1 3:9/22 4:4/13 5:5/19 6:6/25"},
		{"amd-z52", "broadcast", 0, "4:2 5:5/4 6:1 7:7/8 8:4/5"},
		{"switch:16", "allgather", 0, "1:15"},
		{"switch:5", "scatter", 0, "1:4/5"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		expect_values(rows[i].machine, rows[i].kind, rows[i].root, rows[i].values);
}

/* Where a chunk takes several rounds too, a solver is asked for one chunk first. */
Test(program_search, a_value_of_whole_rounds_has_one_chunk)
{
	struct frontier *f = search("a100-pcie-pairs", "gather", 0, (struct pareto_options){0});

	cr_assert(eq(sz, f->n_points, 2));
	cr_expect(eq(int, rational_compare(algorithm_bandwidth(f->points[1]), rational(2, 1)), 0));
	cr_expect(eq(int, f->points[1]->chunks, 1), "(25,2,50) is what trees give");
	done(f);
}

Test(program_search, an_allreduce_directly_and_composed)
{
	struct frontier *f = search("dgx1", "allreduce", 0, (struct pareto_options){0});
	struct text direct = {0}, composed = {0};

	add_values(&f->values, &direct);
	add_values(&f->composed->values, &composed);
	cr_expect(eq(str, direct.bytes, (char *)"2:1 3:1/2"), "the values of broadcasts, attained");
	cr_expect(eq(str, composed.bytes, (char *)"4:3/8 5:1/3 6:7/24"));
	cr_expect(eq(int, f->values.of[0].root, 0));
	cr_expect(eq(int, f->points[0]->optimality.proof, PROOF_PROGRAM));
	cr_expect(eq(int, f->points[0]->optimality.within, WITHIN_ALL));
	expect_proved(f);
	text_free(&direct);
	text_free(&composed);
	done(f);
}

Test(program_search, an_allreduce_in_one_step_is_an_exchange)
{
	struct frontier *f = search("dgx-a100", "allreduce", 0, (struct pareto_options){0});

	cr_assert(eq(sz, f->n_points, 2));
	cr_expect(eq(int, f->points[0]->chunks, 12));
	cr_expect(eq(int, algorithm_rounds(f->points[0]), 7));
	cr_expect(eq(int, f->points[0]->optimality.class, CLASS_LATENCY));
	cr_expect(eq(int, f->points[0]->optimality.proof, PROOF_PROGRAM));
	expect_proved(f);
	done(f);
}

Test(program_search, within_few_chunks_the_distance_to_the_value_stands_beside)
{
	struct frontier *f = search("dgx1", "broadcast", 1, (struct pareto_options){.max_chunks = 12});

	for (size_t i = 0; i < f->n_points; i++) {
		struct algorithm *a = f->points[i];
		const struct step_value *v = step_values_at(&f->values, (int)a->n_steps);
		bool met = rational_compare(v->at_least, algorithm_bandwidth(a)) == 0;
		cr_expect(le(int, a->chunks, 12));
		cr_expect(v->attained, "by an algorithm of more chunks");
		cr_expect(eq(int, met, frontier_gap(f, a) == 0));
		cr_expect(eq(int, met, a->optimality.class != CLASS_NONE || a->n_steps == 2), "%s", a->name);
	}
	done(f);
}

/* Without it the point of five steps has 1400 chunks. */
Test(program_search, a_limit_in_addition_leaves_each_step_count_a_point)
{
	struct frontier *f = search("a100-pcie-pairs", "allreduce", 0, (struct pareto_options){.chunks_at_most = 400});
	char steps[64] = "";

	for (size_t i = 0; i < f->composed->n_points; i++) {
		cr_expect(le(int, f->composed->points[i]->chunks, 400));
		snprintf(steps + strlen(steps), sizeof steps - strlen(steps), "%zu ", f->composed->points[i]->n_steps);
	}
	cr_expect(eq(str, steps, "2 3 4 5 6 "));
	cr_expect(eq(int, f->composed->max_chunks, 0));
	done(f);
}

Test(program_search, what_does_not_cross_a_link_is_one_idle_step)
{
	struct frontier *f = search("dgx1@gpus=0", "broadcast", 0, (struct pareto_options){0});

	cr_assert(eq(sz, f->n_points, 1));
	cr_expect(eq(int, f->ended, ENDED_BOUND));
	done(f);
}

Test(program_search, ends_with_its_time)
{
	double deadline = stop_within(0);
	struct frontier *f = search("dgx1", "broadcast", 1, (struct pareto_options){0});

	stop_restore(deadline);
	cr_expect(eq(int, f->ended, ENDED_TIME));
	cr_assert(eq(sz, f->values.n, 5));
	for (size_t i = 0; i < f->values.n; i++)
		cr_expect(rational_compare(f->values.of[i].at_least, f->bound_bandwidth) >= 0);
	done(f);
}

static bool has_constructed_points(bool no_constructions)
{
	struct frontier *f = search("ring:5", "allgather", 0, (struct pareto_options){.solve.timeout = 60, .no_constructions = no_constructions});
	bool any = false;

	for (size_t i = 0; i < f->n_points; i++)
		any = any || strcmp(f->points[i]->method, "orbits") == 0;
	cr_expect(gt(sz, f->n_points, 0));
	done(f);
	return any;
}

/* A caller that constructs itself does not wait for it to be done again. */
Test(program_search, leaves_constructions_to_the_caller_if_asked)
{
	cr_expect(has_constructed_points(false), "where time is limited they come first");
	cr_expect(not(has_constructed_points(true)));
}

Test(program_search, of_two_splits_with_one_value_one_that_is_attained_is_enough)
{
	static const bool attained[][2] = {{false, true}, {true, false}, {true, true}, {false, false}};

	for (size_t i = 0; i < sizeof attained / sizeof *attained; i++) {
		struct frontier of[HALVES] = {{.bound_steps = 1, .bound_bandwidth = {1, 4}}, {.bound_steps = 1, .bound_bandwidth = {1, 2}}};
		const struct frontier *const halves[HALVES] = {&of[0], &of[1]};
		/* With two blocks an allgather's value counts half: 1 + 1/4 in steps 1 and 2, 3/4 + 1/2 in 2 and 1. */
		step_values_add(&of[SCATTERED].values, (struct step_value){.steps = 1, .at_least = {1, 1}, .attained = attained[i][0], .root = -1});
		step_values_add(&of[SCATTERED].values, (struct step_value){.steps = 2, .at_least = {3, 4}, .attained = attained[i][1], .root = -1});
		step_values_add(&of[GATHERED].values, (struct step_value){.steps = 1, .at_least = {1, 1}, .attained = true, .root = -1});
		step_values_add(&of[GATHERED].values, (struct step_value){.steps = 2, .at_least = {1, 2}, .attained = true, .root = -1});
		struct step_value v = composed_value(halves, 2, 3);
		cr_expect(eq(int, rational_compare(v.at_least, rational(5, 4)), 0));
		cr_expect(eq(int, v.attained, i < 3), "case %zu", i);
		v = composed_value(halves, 2, 1);
		cr_expect(not(rational_ok(v.at_least)));
		for (int h = 0; h < HALVES; h++)
			step_values_free(&of[h].values);
	}
}

Test(program_search, a_bound_for_more_steps_holds_for_fewer)
{
	struct step_values l = {0};

	step_values_add(&l, (struct step_value){.steps = 2, .at_least = {3, 1}, .root = 0});
	step_values_add(&l, (struct step_value){.steps = 3, .at_least = {1, 1}, .root = 1});
	step_values_add(&l, (struct step_value){.steps = 4, .at_least = {2, 1}, .root = -1, .patterns = true});
	cr_assert(eq(sz, l.n, 3));
	cr_expect(eq(int, rational_compare(l.of[0].at_least, rational(3, 1)), 0));
	cr_expect(eq(int, rational_compare(l.of[1].at_least, rational(2, 1)), 0));
	cr_expect(l.of[0].root == 0 && !l.of[0].patterns);
	cr_expect(l.of[1].root == -1 && l.of[1].patterns, "it is shown as that of more steps is");
	step_values_free(&l);
}

static void follow(void *context, const struct pareto_news *news)
{
	struct candidate *best = context;

	*best = news->best.chunks ? news->best : *best;
}

/* What compositions have is the first point of its number of steps. */
Test(program_search, tells_of_the_composition_that_it_begins_with)
{
	struct candidate best = {0};
	struct frontier *f = search("line:3", "allreduce", 0, (struct pareto_options){.max_steps = 4, .progress = follow, .context = &best, .expand = true});

	cr_expect(best.chunks == 3 && best.steps == 4 && best.rounds == 4, "(%d,%d,%d)", best.chunks, best.steps, best.rounds);
	expect_proved(f);
	done(f);
}

Test(program_search, a_symmetric_schedule_of_too_many_steps_is_not_taken)
{
	struct frontier *f = search("hypercube:5", "allgather", 0, (struct pareto_options){.max_steps = 4});

	cr_expect(eq(sz, f->n_points, 0));
	cr_expect(eq(int, f->ended, ENDED_STEPS));
	done(f);
	f = search("hypercube:5", "allgather", 0, (struct pareto_options){.max_steps = 5});
	cr_expect(eq(sz, f->n_points, 1));
	cr_expect(eq(int, f->ended, ENDED_BOUND));
	done(f);
}

/* ---- files ---- */

static char folder[] = "/tmp/sccl-program-search-XXXXXX";

static int delete_entry(const char *path, const struct stat *s, int type, struct FTW *at)
{
	(void)s, (void)type, (void)at;
	return remove(path);
}

static void remove_folder(void)
{
	nftw(folder, delete_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* Is a frontier file with FROM replaced by TO read and judged to be right? */
static bool holds_with(const char *path, const char *from, const char *to)
{
	struct text before = {0}, after = {0};
	struct error e = {0};
	char why[256] = "";

	cr_assert(file_read(path, &before, &e));
	const char *at = strstr(before.bytes, from);
	cr_assert(at != NULL, "%s", from);
	text_add_bytes(&after, before.bytes, (size_t)(at - before.bytes));
	text_add(&after, "%s%s", to, at + strlen(from));
	cr_assert(file_write(path, after.bytes, after.length, &e));
	struct frontier *f = frontier_open(path, &e);
	bool ok = f && frontier_judge(f, why, sizeof why);
	frontier_free(f);
	cr_assert(file_write(path, before.bytes, before.length, &e));
	text_free(&before);
	text_free(&after);
	return ok;
}

Test(program_search, a_file_that_was_changed_does_not_hold, .fini = remove_folder)
{
	static const struct {
		const char *from, *to;
	} forged[] = {
		{"\"k\": null", "\"k\": 4"},
		{"\"k\": null", "\"k\": -1"},
		{"\"last_steps\": 6", "\"last_steps\": 7"},
		{"\"last_steps\": 6", "\"last_steps\": 5"},
		{"\"ended\": \"steps\"", "\"ended\": \"bound\""},
		{"{\"steps\": 3, \"value\": \"9/22\"}", "{\"steps\": 3, \"value\": \"10/22\"}"},
		{"{\"steps\": 3, \"value\": \"9/22\"}", "{\"steps\": 3, \"value\": \"8/22\"}"},
		{"{\"steps\": 3, \"value\": \"9/22\"}", "{\"steps\": 3, \"at_least\": \"9/22\"}"},
		{"{\"steps\": 3, \"value\": \"9/22\"}", "{\"steps\": 3, \"value\": \"9/22\", \"root\": 1}"},
		{"{\"steps\": 3, \"value\": \"9/22\"}", "{\"steps\": 4, \"value\": \"9/22\"}"},
		{"{\"steps\": 6, \"value\": \"6/25\"}", "{\"steps\": 6, \"value\": \"1/7\"}"},
		{"\"value\": \"9/22\"", "\"value\": \"4/13\""},
		{"\"value\": \"9/22\", \"file\"", "\"file\""},
		{"\"class\": \"pareto\"", "\"class\": \"latency\""},
		{"\"refuted\": []", "\"refuted\": [[5, 2, 6]]"},
		{"\"bandwidth\": \"1/6\"", "\"bandwidth\": \"-1/6\""},
		{"\"bandwidth\": \"1/6\"", "\"bandwidth\": \"1/6000000000\""},
		{"\"last_steps\": 6", "\"last_steps\": 100000"},
		{"\"last_steps\": 6", "\"last_steps\": 0"},
		{"{\"steps\": 3, \"value\": \"9/22\"}", "{\"steps\": 3, \"value\": \"2\"}"},
		{"{\"steps\": 3, \"value\": \"9/22\"}", "{\"steps\": 3, \"value\": \"9/22\", \"within\": \"one-value\"}"},
		{"{\"steps\": 3, \"value\": \"9/22\"}", "{\"steps\": 3, \"value\": \"9/22\", \"within\": 1}"},
		{"\"file\"", "\"within\": \"one-value\", \"file\""},
	};
	struct error e = {0};

	cr_assert(mkdtemp(folder) != NULL);
	struct frontier *f = search("dgx1", "broadcast", 1, (struct pareto_options){.out = folder});
	char *path = catalog_frontier_path(folder, topology, &collective);
	cr_expect(holds_with(path, "dgx1", "dgx1"));
	for (size_t i = 0; i < sizeof forged / sizeof *forged; i++)
		cr_expect(not(holds_with(path, forged[i].from, forged[i].to)), "%s to %s", forged[i].from, forged[i].to);

	struct frontier *read = frontier_open(path, &e);
	cr_assert(read != NULL, "%s", e.what);
	struct text wrote = {0}, again = {0};
	frontier_write(f, &wrote);
	frontier_write(read, &again);
	cr_expect(eq(str, wrote.bytes, again.bytes));
	struct rational last = read->values.of[read->values.n - 1].at_least;
	char why[256] = "";
	read->values.of[read->values.n - 1].at_least = rational(1, 7);
	cr_expect(not(frontier_judge(read, why, sizeof why)), "below the bound of all step counts");
	cr_expect(ne(ptr, strstr(why, "1/6"), NULL), "%s", why);
	read->values.of[read->values.n - 1].at_least = last;
	cr_expect(frontier_solve_values(read, &e), "%s", e.what);
	for (size_t i = 0; i < f->values.n; i++) {
		cr_expect(eq(int, rational_compare(f->values.of[i].at_least, read->values.of[i].at_least), 0));
		cr_expect(eq(sz, f->values.of[i].n_prices, read->values.of[i].n_prices));
	}
	text_free(&wrote);
	text_free(&again);
	frontier_free(read);
	free(path);
	done(f);
}

/* No time at all is less than any, not a search without a limit. */
Test(program_search, no_pattern_is_asked_about_when_the_time_is_over)
{
	struct step_value in_time = {.steps = 3, .at_least = rational(0, 1), .root = -1}, late = in_time;
	struct collective k = {.kind = ALLREDUCE};
	struct error e = {0};
	struct problem p;
	struct topology *t = topology_open("ring:4", &e);

	cr_assert(t && problem_open_direct(t, &k, &p, &e), "%s", e.what);
	cr_expect(direct_patterns(&p, rational(2, 1), NULL, &in_time), "there is a bound to be found");
	double before = stop_within(0);
	cr_expect(not(direct_patterns(&p, rational(2, 1), NULL, &late)));
	stop_restore(before);
	cr_expect(eq(int, late.at_least.num, 0));
	cr_expect(eq(ptr, direct_exchange(&p, rational(1, 1), 1, 100), NULL), "not all nodes are joined");
	free(in_time.prices);
	problem_close(&p);
	topology_free(t);
}
