#define _XOPEN_SOURCE 700 /* nftw */
#include "tests/fuzz/mutation.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "synth/frontier/journal.h"
#include "synth/frontier/search.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(journal, .description = "what a search had learnt, damaged and forged", .timeout = 100);

static char folder[] = "/tmp/sccl-journal-XXXXXX";
static const char *const path = "a.journal";
static struct topology *topology;
static struct collective collective;
static struct problem problem;
static size_t n_notes;

static int remove_one(const char *file, const struct stat *s, int kind, struct FTW *at)
{
	(void)s, (void)kind, (void)at;
	return remove(file);
}

static void set_up(void)
{
	struct error e = {0};
	topology = topology_open("line:3", &e);
	cr_assert(topology && collective_open("broadcast", topology->nodes, 0, &collective, &e) &&
		  problem_open(topology, &collective, &problem, &e), "%s: %s", e.where, e.what);
	cr_assert(mkdtemp(folder) != NULL);
	cr_assert(eq(int, chdir(folder), 0));
	setenv("XDG_STATE_HOME", folder, 1);
}

static void tear_down(void)
{
	problem_close(&problem);
	collective_free(&collective);
	topology_free(topology);
	cr_expect(eq(int, nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0));
}

static void note(const char *file, const char *line)
{
	cr_expect(eq(str, (char *)file, (char *)path));
	cr_expect(eq(ptr, strchr(line, '\n'), NULL));
	n_notes++;
}

/* Every point, and what was refuted: what a walk says. NULL: it refused the journal. The caller frees. */
static char *walk_says(bool resume, struct error *e)
{
	struct pareto_options o = {.k = 2, .jobs = 1, .max_steps = 4, .resume = resume, .note = note, .solve = {.engine = "auto"}};
	struct answers known = {0};
	struct frontier *f = frontier_search(&problem, &o, path, &known, e);
	struct text t = {0};

	if (f)
		frontier_json(f, &t);
	answers_free(&known);
	frontier_free(f);
	return f ? text_take(&t) : NULL;
}

static void read_journal(struct text *t)
{
	struct error e = {0};
	text_free(t);
	cr_assert(file_read(path, t, &e));
}

/* A journal of these bytes, resumed: the walk says what it would say without it. */
static void expect_same(const char *wanted, const char *bytes, size_t n)
{
	struct error e = {0};
	cr_assert(file_write(path, bytes, n, &e));
	char *says = walk_says(true, &e);
	if (says)
		cr_expect(eq(str, says, (char *)wanted), "%.*s", (int)n, bytes);
	else
		cr_expect(eq(int, e.kind, ERROR_INPUT), "%s", e.what);
	free(says);
}

Test(journal, cut_short_anywhere, .init = set_up, .fini = tear_down)
{
	struct error e = {0};
	struct text whole = {0}, again = {0};
	char *wanted = walk_says(false, &e);
	read_journal(&whole);
	cr_assert(gt(sz, whole.length, 300));
	for (size_t n = 0; n <= whole.length; n++) {
		cr_assert(file_write(path, whole.bytes, n, &e));
		struct journal *j = journal_open(path, &problem, true, NULL, &e);
		cr_expect(ne(ptr, j, NULL), "%zu bytes: %s", n, e.what);
		journal_close(j);
		if (n % 17 == 0)
			expect_same(wanted, whole.bytes, n);
	}
	n_notes = 0;
	expect_same(wanted, whole.bytes, whole.length);
	cr_expect(eq(sz, n_notes, 1), "what is used is reported");
	read_journal(&again);
	cr_expect(eq(str, again.bytes, whole.bytes), "nothing was asked again");
	text_free(&again);
	text_free(&whole);
	free(wanted);
}

Test(journal, changed_by_chance, .init = set_up, .fini = tear_down)
{
	const char *cases = getenv("JOURNAL_CASES");
	struct error e = {0};
	struct text whole = {0};
	char *wanted = walk_says(false, &e);
	read_journal(&whole);
	mutation_seed(11);
	for (int i = 0; i < (cases ? atoi(cases) : 150); i++) {
		struct text changed = {0};
		text_add_bytes(&changed, whole.bytes, whole.length);
		mutate(&changed);
		expect_same(wanted, changed.bytes, changed.length);
		text_free(&changed);
	}
	text_free(&whole);
	free(wanted);
}

Test(journal, lines_that_no_walk_writes, .init = set_up, .fini = tear_down)
{
	static const char *const lines[] = {
		"{\"candidate\": [1, 2, 2]}", "{\"candidate\": [2, 2, 3], \"signature\": \"\"}", "{\"candidate\": [1, 2, 2], \"steps\": []}",
		"{\"candidate\": [0, 2, 2], \"steps\": []}", "{\"candidate\": [1, 0, 0], \"steps\": []}", "{\"candidate\": [1, 3, 2]}",
		"{\"candidate\": [16777216, 2, 2], \"steps\": [[1], [1]]}", "{\"candidate\": [1, 2, 2], \"steps\": [[1], [1]]}",
		"{\"candidate\": [1, 2, 2], \"steps\": [[1, [0, 0, 1]], [1, [0, 1, 4000]]]}",
		"{\"candidate\": [1, 2, 2], \"steps\": [[1, [9, 0, 1]], [1, [0, 1, 2]]]}",
		"{\"candidate\": [1, 2, 2], \"steps\": [[1, [0, 0, 2]], [1, [0, 2, 1]]]}",
		"{\"candidate\": [1, 2, 2], \"steps\": [[16777216], [16777216]]}", "{\"candidate\": [1, 2, 2], \"steps\": [[]]}",
		"{\"candidate\": [1, 2]}", "{\"candidate\": \"\"}", "{}", "[]", "", "{\"candidate\": [1, 2, 2], \"more\": 0}",
	};
	struct error e = {0};
	struct text whole = {0};
	char *wanted = walk_says(false, &e);
	read_journal(&whole);
	size_t header = strcspn(whole.bytes, "\n") + 1;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct text forged = {0};
		text_add_bytes(&forged, whole.bytes, header);
		text_add(&forged, "%s\n", lines[i]);
		n_notes = 0;
		expect_same(wanted, forged.bytes, forged.length);
		cr_expect(eq(sz, n_notes, 1), "%s", lines[i]);
		text_free(&forged);
	}
	text_free(&whole);
	free(wanted);
}

Test(journal, refusals_of_another_user_or_machine_are_asked_again, .init = set_up, .fini = tear_down)
{
	struct error e = {0};
	struct text whole = {0}, again = {0};
	char *wanted = walk_says(false, &e);
	read_journal(&whole);
	cr_assert(eq(int, setenv("XDG_STATE_HOME", "/dev/null", 1), 0));
	expect_same(wanted, whole.bytes, whole.length);
	read_journal(&again);
	cr_expect(gt(sz, again.length, whole.length), "asked again, and unsigned");
	cr_assert(eq(int, setenv("XDG_STATE_HOME", folder, 1), 0));
	cr_assert(eq(int, chmod("sccl-synth/signing.key", 0644), 0));
	expect_same(wanted, whole.bytes, whole.length);
	read_journal(&again);
	cr_expect(gt(sz, again.length, whole.length), "a key that others can read signs nothing");
	text_free(&again);
	text_free(&whole);
	free(wanted);
}

Test(journal, links_are_not_written_through, .init = set_up, .fini = tear_down)
{
	struct error e = {0}, f = {0};
	struct text kept = {0};
	cr_assert(file_write("ours", "not a journal\n", 14, &e));
	cr_assert(eq(int, symlink("ours", path), 0));
	cr_expect(eq(ptr, walk_says(true, &f), NULL));
	cr_expect(eq(str, f.what, "is a symbolic link"));
	free(walk_says(false, &e));
	cr_expect(eq(int, unlink(path), 0));
	cr_assert(eq(int, link("ours", path), 0));
	f = (struct error){0};
	cr_expect(eq(ptr, walk_says(true, &f), NULL));
	free(walk_says(false, &e));
	cr_expect(eq(int, unlink(path), 0));
	cr_assert(file_read("ours", &kept, &e));
	cr_expect(eq(str, kept.bytes, "not a journal\n"));
	text_free(&kept);
}
