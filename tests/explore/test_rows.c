/* Rows: what is told of a machine, and the order of changes. */

#include "explore/cells.h"
#include "explore/explore.h"
#include "explore/report.h"

#include "core/schedule/cost.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/machine/topology.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

static const int64_t sizes[] = {1024, 1 << 20};

static void add_after(const struct row *before, struct rows *rows, const char *spec, const char *called, enum collective_kind kind,
		      const char *methods)
{
	const struct collective k = {.kind = kind};
	struct error e = {0};
	struct topology *t = topology_open(spec, &e);
	struct explore_options o = {.n_sizes = 2, .sizes = sizes, .keeps = true, .has_alpha = true, .has_beta = true, .alpha = {7, 10}, .beta = {1, 25000},
				    .search = {.k = 4, .jobs = 1, .solve = {.engine = "auto"}}};

	cr_assert(t != NULL, "%s", e.what);
	cr_assert(explore_methods_read(methods, &o.chosen, &e), "%s", e.what);
	cr_assert(explore_row(&o, spec, t, called, &k, before, rows, &e), "%s", e.what);
	free(o.chosen);
	topology_free(t);
}

static void add(struct rows *rows, const char *spec, const char *called, enum collective_kind kind, const char *methods)
{
	add_after(NULL, rows, spec, called, kind, methods);
}

Test(rows, each_method_gives_an_algorithm_or_a_reason)
{
	struct rows rows = {0};
	size_t n;

	explore_methods(&n);
	add(&rows, "ring:4", "allgather", ALLGATHER, "all");
	const struct row *r = &rows.at[0];
	cr_expect(r->n_refusals > 0 && r->n_entries > 0);
	size_t told = r->n_refusals;
	for (size_t i = 0; i < r->n_entries; i++)
		told += i == 0 || strcmp(r->entries[i].method, r->entries[i - 1].method) != 0;
	cr_expect(eq(sz, told, n), "none is left out");
	for (size_t i = 0; i < r->n_entries; i++) {
		cr_expect(rational_compare(r->entries[i].bandwidth, r->bounds.bandwidth) >= 0, "none beats the bound");
		cr_expect(r->entries[i].steps >= r->bounds.steps);
	}
	rows_free(&rows);
}

Test(rows, the_best_of_a_size_is_the_least_time_of_all)
{
	struct rows rows = {0};

	add(&rows, "mesh:2x2", "allreduce", ALLREDUCE, "smt,ring,recursive-doubling");
	const struct row *r = &rows.at[0];
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < r->n_entries; i++) {
			const struct cost c = {r->entries[i].steps, r->entries[i].rounds, r->entries[i].bandwidth};
			cr_expect(rational_compare(r->best[s].microseconds, cost_time(&c, r->alpha, r->beta, sizes[s])) <= 0);
		}
	rows_free(&rows);
}

Test(rows, a_machine_that_cannot_says_why)
{
	struct rows rows = {0};

	add(&rows, "line:3@drop=1-2", "allgather", ALLGATHER, "all");
	cr_expect(rows.at[0].why_not != NULL);
	cr_expect(strstr(rows.at[0].why_not, "cannot be reached") != NULL);
	cr_expect(eq(sz, rows.at[0].n_entries, 0));
	rows_free(&rows);
}

Test(rows, trees_come_to_the_bound_of_a_dgx1)
{
	struct rows rows = {0};

	add(&rows, "dgx1p", "allgather", ALLGATHER, "ring");
	add(&rows, "dgx1p", "allreduce", ALLREDUCE, "ring");
	cr_expect(eq(int, rational_compare(rows.at[0].trees, rational(7, 4)), 0));
	cr_expect(eq(int, rational_compare(rows.at[1].trees, rational(7, 16)), 0), "a reducescatter and an allgather, in the C of the whole");
	rows_free(&rows);
}

static size_t kept_of(const struct row *row)
{
	size_t n = 0;
	for (size_t i = 0; i < row->n_entries; i++)
		n += row->entries[i].kept;
	return n;
}

/* Direct ways of an alltoall get worse with a shorter way for some: what was there before still does it. Without a link it may not. */
Test(rows, what_still_verifies_is_kept)
{
	struct rows rows = {0};

	add(&rows, "dgx1p", "alltoall", ALLTOALL, "direct");
	add_after(&rows.at[0], &rows, "dgx1p@add=0-5", "alltoall", ALLTOALL, "direct");
	cr_expect(eq(sz, kept_of(&rows.at[1]), 1));
	cr_expect(rational_compare(rows.at[1].best[1].microseconds, rows.at[0].best[1].microseconds) <= 0, "no link more makes it slower");
	add(&rows, "ring:4", "allgather", ALLGATHER, "ring");
	add_after(&rows.at[2], &rows, "ring:4@drop=0-1", "allgather", ALLGATHER, "direct");
	cr_expect(eq(sz, kept_of(&rows.at[3]), 0), "what goes over a link that is gone does not");
	add(&rows, "ring:6", "allgather", ALLGATHER, "ring");
	add_after(&rows.at[4], &rows, "ring:6@add=0-3", "allgather", ALLGATHER, "ring");
	cr_expect(eq(sz, rows.at[4].n_entries, 1));
	cr_expect(eq(sz, rows.at[5].n_entries, 1), "what is built again as it was is there once");
	rows_free(&rows);
}

/* One of several collectives, the machines before their changes, those by what they gain. */
Test(rows, changes_are_ranked_behind_their_machine)
{
	static const char *const changed[] = {"ring:8@add=0-2", "ring:8@drop=0-1", "ring:8@add=0-4"};
	struct rows rows = {0};

	add(&rows, "ring:8", "alltoall", ALLTOALL, "direct");
	for (int i = 0; i < 3; i++) {
		add(&rows, changed[i], "alltoall", ALLTOALL, "direct");
		rows.at[rows.n - 1].base = 0;
	}
	add(&rows, "ring:4", "alltoall", ALLTOALL, "direct");
	rows_rank(&rows, 2, BY_BANDWIDTH);
	cr_expect(eq(str, rows.at[0].spec, "ring:8"));
	cr_expect(eq(str, rows.at[1].spec, "ring:4"));
	cr_expect(eq(str, rows.at[4].spec, "ring:8@drop=0-1"), "what loses is last");
	for (size_t i = 2; i < 5; i++) {
		cr_expect(eq(int, rows.at[i].base, 0));
		cr_expect(eq(int, rows.at[i].rank, (int)i - 1));
		struct rational gain = row_gain_bandwidth(&rows, &rows.at[i]);
		cr_expect(eq(int, rational_compare(rational_mul(gain, rows.at[i].bounds.bandwidth), rows.at[0].bounds.bandwidth), 0));
	}
	cr_expect(rational_compare(row_gain_bandwidth(&rows, &rows.at[4]), rational(1, 1)) < 0);
	cr_expect(not(rational_ok(row_gain_bandwidth(&rows, &rows.at[0]))), "a machine as it was gains nothing");
	rows_free(&rows);
}

/* A change of which only what ranks it is told; TIMES: at the smaller and the larger size. */
static struct row change_of(const char *spec, int steps, struct rational bandwidth, struct best *times)
{
	return (struct row){.spec = (char *)spec, .collective = "allgather", .bounds = {.steps = steps, .bandwidth = bandwidth}, .best = times};
}

Test(rows, equal_changes_share_a_rank_and_others_are_told_apart_by_the_next_measure)
{
	struct best slow[] = {{0, {9, 1}}, {0, {9, 1}}}, first[] = {{0, {5, 1}}, {0, {9, 1}}}, last[] = {{0, {6, 1}}, {0, {8, 1}}};
	static const struct {
		enum rank_by by;
		const char *order; /* of a to d */
		int ranks[4];
	} wanted[] = {{BY_BANDWIDTH, "bcad", {1, 1, 3, 4}}, {BY_STEPS, "dbca", {1, 2, 2, 4}}, {BY_TIME, "bcad", {1, 1, 3, 4}}};

	for (size_t i = 0; i < 3; i++) {
		struct row at[] = {
			change_of("as it was", 4, rational(2, 1), slow),  change_of("a", 4, rational(1, 1), first),
			change_of("b", 3, rational(1, 1), last),          change_of("c", 3, rational(1, 1), last),
			change_of("d", 2, rational(3, 2), slow),
		};
		struct rows rows = {5, 5, at};
		at[0].base = -1;
		rows_rank(&rows, 2, wanted[i].by);
		for (int k = 0; k < 4; k++) {
			cr_expect(eq(chr, at[k + 1].spec[0], wanted[i].order[k]), "by %s, %d: %s", rank_by_names[wanted[i].by], k, at[k + 1].spec);
			cr_expect(eq(int, at[k + 1].rank, wanted[i].ranks[k]), "by %s: %s", rank_by_names[wanted[i].by], at[k + 1].spec);
		}
	}
}

Test(rows, columns_are_as_wide_as_their_letters)
{
	struct cells c = {.columns = 2};
	struct text into = {0};

	cells_add(&c, "%s", "\316\273\342\202\254"); /* two letters, of two bytes and of three */
	cells_add(&c, "x");
	cells_add(&c, "abc");
	cells_add(&c, "%s", "");
	cells_columns(&c, &into);
	cr_expect(eq(str, into.bytes, "  \316\273\342\202\254   x\n  abc  \n"));
	text_free(&into);
	cells_free(&c);
}

Test(rows, pictures_escape_what_names_hold)
{
	struct rows rows = {0};
	struct text svg = {0};

	add(&rows, "ring:4", "allgather", ALLGATHER, "ring");
	free(rows.at[0].name);
	rows.at[0].name = strdup("<a & \"b\">\t");
	const struct report r = {&rows, 2, sizes, BY_BANDWIDTH};
	report_svg(&r, &svg);
	cr_expect(strstr(svg.bytes, "&lt;a &amp; &quot;b&quot;&gt; ") != NULL);
	cr_expect(strstr(svg.bytes, "<a &") == NULL);
	text_free(&svg);
	rows_free(&rows);
}
