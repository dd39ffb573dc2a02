/* Whole files: what is accepted is judged, and what is written of it reads as the same. */
#include "tests/fuzz/targets.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/base/work.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"
#include "core/schedule/collective.h"
#include "core/verify/verify.h"
#include "simulate/workload.h"
#include "synth/frontier/frontier.h"
#include "synth/frontier/journal.h"
#include "tests/fuzz/refusal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is written of an algorithm or a machine, once read, is written so again. */
static void need_same(struct text *first, struct text *second, const char *what)
{
	fuzz_need(first->length == second->length && memcmp(first->bytes, second->bytes, first->length) == 0, what);
	text_free(first);
	text_free(second);
}

static struct topology *parse_topology(const char *bytes, struct error *e)
{
	struct json_document *d = json_document_parse(bytes, "fuzzed", e);
	struct json_place top = d ? json_top(d) : (struct json_place){0};
	struct topology *t = d ? topology_read(&top, e) : NULL;

	json_document_close(d);
	return t;
}

bool fuzz_topology(const char *bytes, size_t n)
{
	struct error e = {0}, again = {0};
	struct text first = {0}, second = {0};
	struct topology *t = parse_topology(bytes, &e);

	(void)n;
	refusal_check(t != NULL, &e);
	if (!t)
		return false;
	topology_write(t, &first, 0);
	struct topology *copy = parse_topology(first.bytes, &again);
	fuzz_need(copy && topology_same(t, copy), "a machine that was written reads as another");
	topology_write(copy, &second, 0);
	need_same(&first, &second, "a machine is written in two ways");
	topology_free(copy);
	topology_free(t);
	return true;
}

bool fuzz_collective(const char *bytes, size_t n)
{
	struct error e = {0};
	struct collective k;
	bool ok = collective_open(fuzz_file(bytes, n), 4, 0, &k, &e);

	refusal_check(ok, &e);
	if (!ok)
		return false;
	ok = collective_check(&k, 4, 3, &e);
	refusal_check(ok, &e);
	if (ok) {
		struct collective cut = collective_scaled(&k, 3);
		collective_free(&cut);
	}
	collective_free(&k);
	return ok;
}

static struct algorithm *parse_algorithm(const char *bytes, struct error *e)
{
	struct json_document *d = json_document_parse(bytes, "fuzzed", e);
	struct algorithm *a = d ? algorithm_read(d, e) : NULL;

	json_document_close(d);
	return a;
}

bool fuzz_algorithm(const char *bytes, size_t n)
{
	enum { STATE_MOST = 1 << 18 }; /* what the verifier plays takes as long as there are chunks and nodes */
	struct error e = {0}, again = {0};
	struct text first = {0}, second = {0};
	struct algorithm *a = parse_algorithm(bytes, &e);

	(void)n;
	refusal_check(a != NULL, &e);
	if (!a)
		return false;
	if ((size_t)a->global_chunks * (size_t)a->topology->nodes < STATE_MOST) {
		struct verdict v = algorithm_verify(a);
		fuzz_need(v.fault == FAULT_NONE || refusal_is_line(v.why), "a verdict that is not one line");
	}
	algorithm_write(a, &first);
	struct algorithm *copy = parse_algorithm(first.bytes, &again);
	if (!copy)
		fprintf(stderr, "%s: %s\n", again.where, again.what);
	fuzz_need(copy, "an algorithm that was written is refused");
	algorithm_write(copy, &second);
	need_same(&first, &second, "an algorithm is written in two ways");
	algorithm_free(copy);
	algorithm_free(a);
	return true;
}

/* A frontier names the files of its points, which lie beside it: those of the seed. */
static const char *frontier_path(const char *bytes, size_t n)
{
	static const char *const points[] = {"c2-s2-r2-root0.json", "c4-s3-r3-root0.json"};
	static char folder[] = "/tmp/fuzzed-frontier-XXXXXX", path[64];

	if (!*path) {
		const char *source = getenv("SOURCE_ROOT");
		fuzz_need(source && mkdtemp(folder), "no folder for a frontier, or no SOURCE_ROOT");
		for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
			struct text from = {0}, to = {0};
			text_add(&from, "%s/tests/fuzz/seeds/frontier/%s", source, points[i]);
			text_add(&to, "%s/%s", folder, points[i]);
			fuzz_need(symlink(from.bytes, to.bytes) == 0, "no points");
			text_free(&from);
			text_free(&to);
		}
		snprintf(path, sizeof path, "%s/frontier.json", folder);
	}
	FILE *f = fopen(path, "wb");
	fuzz_need(f && fwrite(bytes, 1, n, f) == n && fclose(f) == 0, "no frontier to begin with");
	return path;
}

bool fuzz_frontier(const char *bytes, size_t n)
{
	enum { STEPS_OF_WORK = 2000000 };
	struct error e = {0};
	struct text line = {0};
	char why[512] = "";
	struct frontier *f = frontier_open(frontier_path(bytes, n), &e);

	refusal_check(f != NULL, &e);
	if (!f)
		return false;
	struct work before = work_begin(STEPS_OF_WORK);
	bool holds = frontier_judge(f, why, sizeof why);
	bool over = work_is_over();
	work_end(before);
	fuzz_need(over || holds || refusal_is_line(why), "a frontier is refused without a line");
	frontier_json(f, &line);
	fuzz_need(refusal_is_line(line.bytes) || line.bytes[line.length - 1] == '\n', "an answer of several lines");
	text_free(&line);
	frontier_free(f);
	return holds;
}

bool fuzz_workload(const char *bytes, size_t n)
{
	struct error e = {0};
	struct workload *w = workload_open(fuzz_file(bytes, n), 16, 10, NULL, &e);

	refusal_check(w != NULL, &e);
	workload_free(w);
	return w != NULL;
}

static void read_note(const char *path, const char *line)
{
	(void)path;
	fuzz_need(refusal_is_line(line), "a note of several lines");
}

/*
 * A journal is opened to be continued, so it is a real file. Its first line names the problem and must be right: the
 * bytes follow it.
 */
bool fuzz_journal(const char *bytes, size_t n)
{
	static struct problem problem;
	static struct collective allgather;
	static char path[] = "/tmp/fuzzed-journal-XXXXXX";
	static struct text header;
	struct error e = {0};

	if (!header.bytes) {
		struct topology *ring = topology_open("ring:4", &e);
		int file = mkstemp(path);
		fuzz_need(ring && collective_open("allgather", 4, 0, &allgather, &e) && problem_open(ring, &allgather, &problem, &e) &&
		                  file >= 0 && close(file) == 0,
		          "no problem to begin with");
		journal_close(journal_open(path, &problem, false, NULL, &e));
		fuzz_need(file_read(path, &header, &e), "no header");
	}
	FILE *f = fopen(path, "wb");
	fuzz_need(f && fwrite(header.bytes, 1, header.length, f) == header.length && fwrite(bytes, 1, n, f) == n && fclose(f) == 0,
	          "no journal to begin with");
	struct journal *j = journal_open(path, &problem, true, read_note, &e);
	fuzz_need(j, "a journal with damage is refused as a whole");
	bool any = false;
	for (int c = 1; c < 4; c++)
		for (int r = 2; r < 8; r++) {
			struct journal_entry *entry = journal_find(j, (struct candidate){c, 2, r});
			fuzz_need(!entry || entry->found, "a refutation is believed that nobody signed");
			any |= entry != NULL;
		}
	journal_close(j);
	unlink(path);
	return any;
}
