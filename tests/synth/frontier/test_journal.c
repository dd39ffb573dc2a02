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

/* A refutation, and an algorithm whose second step also adds. */
static void add_two(struct journal *j, struct send sends[2])
{
	struct step steps[] = {{.rounds = 1, .n_sends = 1, .sends = &sends[0]}, {.rounds = 1, .n_reduces = 1, .reduces = &sends[1]}};
	const struct journal_entry refuted = {.candidate = {1, 2, 2}}, found = {.candidate = {2, 2, 3}, .found = true, .n_steps = 2, .steps = steps};
	struct error e = {0};

	cr_assert(journal_add(j, &refuted, &e) && journal_add(j, &found, &e), "%s", e.what);
}

/* Is the refutation that add_two wrote believed? The algorithm is read back whatever becomes of that. */
static bool is_believed(void)
{
	struct error e = {0};
	struct journal *j = journal_open(path, &problem, true, note, &e);

	cr_assert(j != NULL, "%s", e.what);
	bool believed = journal_find(j, (struct candidate){1, 2, 2});
	const struct journal_entry *found = journal_find(j, (struct candidate){2, 2, 3});
	cr_assert(found && found->found && found->n_steps == 2);
	const struct step *first = &found->steps[0], *second = &found->steps[1];
	cr_assert(first->n_sends == 1 && first->n_reduces == 0 && second->n_sends == 0 && second->n_reduces == 1);
	cr_expect(first->sends[0].chunk == 1 && first->sends[0].src == 0 && first->sends[0].dst == 1);
	cr_expect(second->reduces[0].chunk == 0 && second->reduces[0].src == 2 && second->reduces[0].dst == 1);
	journal_close(j);
	return believed;
}

static struct journal *begin(struct send sends[2])
{
	struct error e = {0};
	struct journal *j = journal_open(path, &problem, false, NULL, &e);

	cr_assert(j != NULL, "%s", e.what);
	add_two(j, sends);
	return j;
}

Test(journal, refutations_are_believed_with_the_signature_of_their_line, .init = set_up, .fini = tear_down)
{
	struct send sends[] = {{1, 0, 1}, {0, 2, 1}};
	struct error e = {0};
	struct text whole = {0};

	journal_close(begin(sends));
	cr_expect(is_believed());
	read_journal(&whole);
	char *signature = strstr(whole.bytes, "\"signature\": \"") + strlen("\"signature\": \"");
	*signature = *signature == '0' ? '1' : '0';
	cr_assert(file_write(path, whole.bytes, whole.length, &e));
	cr_expect(not(is_believed()), "another signature");
	text_free(&whole);

	cr_assert(eq(int, setenv("XDG_STATE_HOME", "/dev/null", 1), 0));
	journal_close(begin(sends));
	read_journal(&whole);
	cr_expect(eq(ptr, strstr(whole.bytes, "signature"), NULL), "without a key nothing is signed");
	cr_expect(not(is_believed()), "nor believed");
	text_free(&whole);
}

/* What this user's searches refuted is not asked again, right or wrong. */
Test(journal, what_is_signed_is_not_asked_again, .init = set_up, .fini = tear_down)
{
	struct send sends[] = {{1, 0, 1}, {0, 2, 1}};
	struct error e = {0};
	char *wanted = walk_says(false, &e);

	cr_expect(ne(ptr, strstr(wanted, "\"chunks\": 1, \"steps\": 2, \"rounds\": 2"), NULL));
	journal_close(begin(sends));
	char *says = walk_says(true, &e);
	cr_assert(says != NULL, "%s", e.what);
	cr_expect(eq(ptr, strstr(says, "\"chunks\": 1, \"steps\": 2, \"rounds\": 2"), NULL));
	cr_expect(ne(ptr, strstr(says, "\"chunks\": 2, \"steps\": 2, \"rounds\": 4"), NULL), "twice as many take its place: %s", says);
	free(says);
	free(wanted);
}

Test(journal, a_line_ends_with_its_json, .init = set_up, .fini = tear_down)
{
	static const char more[] = "{\"candidate\": [1, 2, 2], \"steps\": [[1, [0, 0, 1]], [1, [0, 1, 2]]]}\0, and more\n";
	struct error e = {0};
	struct text changed = {0};

	free(walk_says(false, &e));
	read_journal(&changed);
	changed.length = strcspn(changed.bytes, "\n") + 1;
	text_add_bytes(&changed, more, sizeof more - 1);
	cr_assert(file_write(path, changed.bytes, changed.length, &e));
	struct journal *j = journal_open(path, &problem, true, NULL, &e);
	cr_assert(j != NULL, "%s", e.what);
	cr_expect(eq(ptr, journal_find(j, (struct candidate){1, 2, 2}), NULL));
	journal_close(j);
	text_free(&changed);
}

Test(journal, that_of_another_problem_is_not_begun_anew, .init = set_up, .fini = tear_down)
{
	struct send sends[] = {{1, 0, 1}, {0, 2, 1}};
	struct error e = {0};
	struct text before = {0}, after = {0};
	struct problem other;
	struct collective from_one;

	cr_assert(collective_open("broadcast", topology->nodes, 1, &from_one, &e) && problem_open(topology, &from_one, &other, &e), "%s", e.what);
	journal_close(begin(sends));
	read_journal(&before);
	for (int resume = 0; resume < 2; resume++) {
		e = (struct error){0};
		cr_expect(eq(ptr, journal_open(path, &other, resume, NULL, &e), NULL));
		cr_expect(eq(int, e.kind, ERROR_INPUT));
	}
	read_journal(&after);
	cr_expect(eq(str, after.bytes, before.bytes));
	text_free(&before);
	text_free(&after);
	problem_close(&other);
	collective_free(&from_one);
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
