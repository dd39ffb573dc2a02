/*
 * Frontier files without k, and the algorithms of their points, changed by chance: whatever comes is refused in one
 * line, or is read, judged and written again.
 */

#define _XOPEN_SOURCE 700 /* nftw */
#include "tests/fuzz/mutation.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "synth/frontier/catalog.h"
#include "synth/frontier/pareto.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(changed_frontier, .description = "changed frontiers without k", .timeout = 3000);

static char folder[] = "/tmp/sccl-changed-frontier-XXXXXX";

static int delete_entry(const char *path, const struct stat *s, int type, struct FTW *at)
{
	(void)s, (void)type, (void)at;
	return remove(path);
}

static void remove_folder(void)
{
	nftw(folder, delete_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static struct frontier *search(const struct topology *t, const struct collective *k, struct error *e)
{
	const struct pareto_options o = {.k = WITHOUT_K, .jobs = 1, .solve.engine = "auto", .out = folder};
	struct problem p, direct;

	if (!problem_open(t, k, &p, e) || !problem_open_direct(t, k, &direct, e))
		return NULL;
	struct frontier *f = k->kind == ALLREDUCE ? pareto_search_both(&p, &direct, &o, e) : pareto_search(&p, &o, e);
	problem_close(&p);
	problem_close(&direct);
	return f;
}

static bool is_one_line(const char *s)
{
	return *s && !strpbrk(s, "\n\r\t\033");
}

/* Is the frontier at PATH read and found to be right? */
static bool holds(const char *path)
{
	struct error e = {0};
	struct text again = {0};
	char why[300] = "";
	struct frontier *f = frontier_open(path, &e);

	cr_expect(eq(int, f == NULL, e.kind != ERROR_NONE));
	if (!f) {
		cr_expect(is_one_line(e.what), "%s", e.what);
		return false;
	}
	bool ok = frontier_judge(f, why, sizeof why);
	cr_expect(ok || is_one_line(why), "%s", why);
	frontier_write(f, &again);
	cr_expect(gt(sz, again.length, 0));
	text_free(&again);
	frontier_free(f);
	return ok;
}

static int cases(void)
{
	const char *s = getenv("CHANGED_CASES");
	return s ? atoi(s) : 800;
}

/* Changes FILE, by which PATH may or may not hold, again and again. */
static void change(const char *path, const char *file)
{
	struct text original = {0};
	struct error e = {0};
	int held = 0;

	cr_assert(file_read(file, &original, &e), "%s", e.what);
	cr_expect(holds(path), "as it was written");
	for (int nth = 0; nth < cases(); nth++) {
		struct text changed = {0};
		text_add_bytes(&changed, original.bytes, original.length);
		mutate(&changed);
		cr_assert(file_write(file, changed.bytes, changed.length, &e), "%s", e.what);
		held += holds(path);
		text_free(&changed);
	}
	cr_expect(lt(int, held, cases()), "some changes do harm");
	cr_assert(file_write(file, original.bytes, original.length, &e));
	text_free(&original);
}

static void change_all(const char *machine, const char *kind)
{
	struct error e = {0};
	struct collective k;
	struct topology *t = topology_open(machine, &e);

	cr_assert(t && mkdtemp(folder) && collective_open(kind, t->nodes, 0, &k, &e), "%s", e.what);
	struct frontier *f = search(t, &k, &e);
	cr_assert(f != NULL, "%s", e.what);
	char *path = catalog_frontier_path(folder, t, &k);
	mutation_seed(7);
	change(path, path);
	change(path, f->files[0]);
	free(path);
	frontier_free(f);
	collective_free(&k);
	topology_free(t);
}

Test(changed_frontier, of_a_broadcast, .fini = remove_folder)
{
	change_all("switch:3", "broadcast");
}

Test(changed_frontier, of_an_allreduce, .fini = remove_folder)
{
	change_all("line:3", "allreduce");
}
