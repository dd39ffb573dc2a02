#include "tests/support/by_hand.h"
#include "core/base/text.h"
#include "core/machine/prices.h"
#include "core/verify/verify.h"

#include <stdio.h>

TestSuite(algorithm, .description = "schedules and their files");

static struct algorithm *parsed(const char *json, struct error *e)
{
	struct json_document *d = json_document_parse(json, "a.json", e);
	struct algorithm *a = d ? algorithm_read(d, e) : NULL;
	if (a && !algorithm_expand(a, e)) {
		algorithm_free(a);
		a = NULL;
	}
	json_document_close(d);
	return a;
}

static char *written(const struct algorithm *a)
{
	struct text text = {0};
	algorithm_write(a, &text);
	return text_take(&text);
}

static struct algorithm *with_claims(struct algorithm *a)
{
	static const struct candidate refuted[] = {{3, 2, 4}, {4, 2, 5}};
	a->has_bounds = true;
	a->bound_steps = 1;
	a->bound_bandwidth = rational(7, 6);
	a->optimality = (struct optimality){CLASS_PARETO, PROOF_EXHAUSTED, WITHIN_ALL, 4, 2, NULL};
	a->optimality.refuted = copy_bytes(refuted, sizeof refuted);
	return a;
}

Test(algorithm, what_is_written_reads_and_writes_the_same)
{
	for (int k = 0; k < HANDMADE; k++) {
		struct error e = {0};
		struct algorithm *a = with_claims(handmade(k));
		char *first = written(a);
		struct algorithm *b = parsed(first, &e);
		cr_assert(ne(ptr, b, NULL), "%s: %s", e.where, e.what);
		char *second = written(b);
		cr_expect(eq(str, first, second));
		cr_expect(eq(int, b->optimality.class_k, 4));
		cr_expect(eq(int, b->optimality.refuted[1].rounds, 5));
		free(first);
		free(second);
		algorithm_free(a);
		algorithm_free(b);
	}
}

Test(algorithm, prices_that_show_a_bound_are_kept)
{
	static const struct price prices[] = {{1, 0, -1, 2, ""}, {-1, -1, 0, 7, ""}};
	struct error e = {0};
	struct algorithm *a = with_claims(ring_alltoall());

	a->bound_prices = copy_bytes(prices, sizeof prices);
	a->n_bound_prices = 2;
	char *first = written(a);
	cr_expect(ne(ptr, strstr(first, "\"prices\": [[1, 0, 2]], \"limit_prices\": [[0, 7]]}"), NULL), "%s", first);
	struct algorithm *b = parsed(first, &e);
	cr_assert(ne(ptr, b, NULL), "%s: %s", e.where, e.what);
	char *second = written(b);
	cr_expect(eq(str, first, second));
	free(first);
	free(second);
	algorithm_free(a);
	algorithm_free(b);
}

Test(algorithm, is_written_with_sorted_sends_one_a_line)
{
	struct algorithm *a = HAND("line:2", KIND(ALLREDUCE, 0), 2, "1: 1 0 1, +0 0 1", "2: 1 1 0, 0 1 0");
	char *text = written(a);
	cr_expect(ne(ptr, strstr(text, "\n  \"name\": \"line:2-allreduce-c2-s2-r3-hand\",\n  \"collective\": {\"kind\": \"allreduce\"},\n"
				       "  \"chunks\": 2,\n  \"global_chunks\": 2,\n  \"topology\": {"), NULL), "%s", text);
	cr_expect(ne(ptr, strstr(text, "\n  \"steps\": [\n"
				       "    {\"rounds\": 1, \"sends\": [\n      [1, 0, 1]], \"reduces\": [\n      [0, 0, 1]]},\n"
				       "    {\"rounds\": 2, \"sends\": [\n      [0, 1, 0],\n      [1, 1, 0]]}\n  ],\n"
				       "  \"cost\": {\"steps\": 2, \"rounds\": 3, \"bandwidth\": \"3/2\"},\n"
				       "  \"optimality\": {\"class\": \"none\"},\n"), NULL), "%s", text);
	free(text);
	algorithm_free(a);
}

Test(algorithm, a_rooted_one_is_named_by_its_root)
{
	struct algorithm *a = ring_gather();
	cr_expect(eq(str, a->name, "ring:3-gather-c1-s1-r1-root1-hand"));
	algorithm_free(a);
}

Test(algorithm, a_copy_shares_nothing)
{
	struct algorithm *a = with_claims(handmade(CUSTOM)), *b = algorithm_copy(a);
	char *was = written(a);
	a->steps[0].sends[0].chunk = 1;
	a->collective.custom->pre[0].node = 1;
	a->optimality.refuted[0].steps = 9;
	a->name[0] = '?';
	algorithm_free(a);
	char *is = written(b);
	cr_expect(eq(str, was, is));
	free(was);
	free(is);
	algorithm_free(b);
}

Test(algorithm, a_file_is_saved_and_opened)
{
	struct error e = {0};
	char folder[] = "/tmp/sccl-algorithm-XXXXXX", path[64];
	cr_assert(ne(ptr, mkdtemp(folder), NULL));
	snprintf(path, sizeof path, "%s/a.json", folder);
	struct algorithm *a = ring_allgather(3);
	cr_assert(algorithm_save(a, path, &e), "%s", e.what);
	struct algorithm *b = algorithm_open(path, &e);
	cr_assert(ne(ptr, b, NULL), "%s: %s", e.where, e.what);
	cr_expect(eq(int, algorithm_verify(b).fault, FAULT_NONE));
	algorithm_free(a);
	algorithm_free(b);
	cr_expect(eq(ptr, algorithm_open_up_to(path, 5, &e), NULL), "it lists 6 sends");
	cr_expect(eq(int, e.kind, ERROR_LIMIT));
	e = (struct error){0};
	remove(path);
	remove(folder);
	cr_expect(eq(ptr, algorithm_open(path, &e), NULL));
	cr_expect(eq(int, e.kind, ERROR_INPUT));
}

/* A whole file with one place left open, and what the reader must say of what is put there. */
static const char whole[] =
	"{\"format\": \"sccl-algorithm\", \"version\": 1, \"name\": \"a\", \"collective\": {\"kind\": \"allgather\"}, "
	"\"chunks\": 1, \"global_chunks\": 3, \"topology\": {\"format\": \"sccl-topology\", \"version\": 1, \"name\": \"t\", "
	"\"nodes\": 3, \"links\": [{\"src\": 0, \"dst\": 1, \"bandwidth\": 1}]}, "
	"\"steps\": [{\"rounds\": 1, \"sends\": [[0, 0, 1]]}, {\"rounds\": 2, \"sends\": []}], "
	"\"cost\": {\"steps\": 2, \"rounds\": 3, \"bandwidth\": 3}, \"bounds\": {\"steps\": 1, \"bandwidth\": \"7/6\"}, "
	"\"optimality\": {\"class\": \"none\"}, \"made_by\": {\"method\": \"m\", \"version\": \"v\"}}";

static char *edited(const char *old, const char *new_text)
{
	struct text text = {0};
	const char *at = strstr(whole, old);
	cr_assert(at != NULL, "%s", old);
	text_add(&text, "%.*s%s%s", (int)(at - whole), whole, new_text, at + strlen(old));
	return text_take(&text);
}

Test(algorithm, a_small_file_is_read)
{
	struct error e = {0};
	struct algorithm *a = parsed(whole, &e);
	cr_assert(ne(ptr, a, NULL), "%s: %s", e.where, e.what);
	cr_expect(eq(str, a->version, "v"));
	algorithm_free(a);
	static const char *const fine[][2] = {
		{", \"made_by\": {\"method\": \"m\", \"version\": \"v\"}", ""},
		{", \"bounds\": {\"steps\": 1, \"bandwidth\": \"7/6\"}", ""},
		{", \"optimality\": {\"class\": \"none\"}", ", \"x-of-mine\": [1]"},
		{"\"class\": \"none\"", "\"class\": \"latency\", \"proof\": \"bound\", \"within\": \"all\""},
		{"\"sends\": []", "\"sends\": [], \"reduces\": []"},
	};
	for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
		char *text = edited(fine[i][0], fine[i][1]);
		a = parsed(text, &e);
		cr_expect(ne(ptr, a, NULL), "%s: %s", e.where, e.what);
		algorithm_free(a);
		free(text);
	}
}

Test(algorithm, each_fault_of_a_file_is_told_with_its_place)
{
	static const struct {
		const char *old, *new_text, *says;
	} faults[] = {
		{"\"sccl-algorithm\"", "\"sccl-topology\"", "format"},
		{"\"version\": 1, \"name\": \"a\"", "\"version\": 2, \"name\": \"a\"", "version"},
		{"\"name\": \"a\", ", "", "name"},
		{"\"name\": \"a\"", "\"name\": 1", "name"},
		{"\"chunks\": 1, ", "\"chunk\": 1, ", "chunk"},
		{"\"chunks\": 1, ", "\"chunks\": 0, ", "chunks"},
		{"\"chunks\": 1, ", "\"chunks\": 1.0, ", "chunks"},
		{"\"chunks\": 1, ", "\"chunks\": 99999999999999999999, ", "a.json"},
		{"\"global_chunks\": 3", "\"global_chunks\": 4", "global_chunks: is 4"},
		{"{\"kind\": \"allgather\"}", "{\"kind\": \"reducescatter\"}", "multiple of 3"},
		{"{\"kind\": \"allgather\"}", "\"allgather\"", "collective"},
		{"\"nodes\": 3", "\"nodes\": 1000000000", "topology.nodes"},
		{"\"bandwidth\": 1}]", "\"bandwidth\": -1}]", "topology.links[0].bandwidth"},
		{"[[0, 0, 1]]", "[[3, 0, 1]]", "steps[0].sends[0][0]"},
		{"[[0, 0, 1]]", "[[0, 0, 3]]", "steps[0].sends[0][2]"},
		{"[[0, 0, 1]]", "[[0, -1, 1]]", "steps[0].sends[0][1]"},
		{"[[0, 0, 1]]", "[[0, 0]]", "steps[0].sends[0]: must be [chunk, src, dst]"},
		{"[[0, 0, 1]]", "{}", "steps[0].sends"},
		{"\"sends\": []", "\"reduces\": []", "sends"},
		{"\"sends\": []", "\"sends\": [], \"send\": []", "send"},
		{"\"rounds\": 1, ", "\"rounds\": 0, ", "steps[0].rounds"},
		{"\"rounds\": 1, ", "\"rounds\": 16777216, ", "steps[1]"},
		{"[{\"rounds\": 1, \"sends\": [[0, 0, 1]]}, {\"rounds\": 2, \"sends\": []}]", "[]", "steps"},
		{"\"steps\": 2, ", "\"steps\": 3, ", "cost.steps: is 3, but the schedule has 2"},
		{"\"rounds\": 3, ", "\"rounds\": 4, ", "cost.rounds"},
		{"\"bandwidth\": 3}", "\"bandwidth\": \"7/2\"}", "cost.bandwidth"},
		{"\"bandwidth\": 3}", "\"bandwidth\": 3.0}", "cost.bandwidth"},
		{"\"7/6\"", "\"7/0\"", "bounds.bandwidth"},
		{"\"bounds\": {\"steps\": 1, ", "\"bounds\": {", "steps"},
		{"\"class\": \"none\"", "\"class\": \"best\"", "optimality.class"},
		{"\"class\": \"none\"", "\"class\": \"none\", \"proof\": \"bound\"", "optimality"},
		{"\"class\": \"none\"", "\"class\": \"none\", \"proof\": \"none\"", "optimality"},
		{"\"class\": \"none\"", "\"class\": \"both\"", "optimality"},
		{"\"class\": \"none\"", "\"class\": \"both\", \"proof\": \"bound\", \"within\": \"some\"", "within"},
		{"\"class\": \"none\"", "\"class\": \"both\", \"proof\": \"bound\", \"class_k\": 4", "optimality.class_k"},
		{"\"class\": \"none\"", "\"class\": \"pareto\", \"proof\": \"exhausted\", \"refuted\": []", "class_k"},
		{"\"class\": \"none\"", "\"class\": \"pareto\", \"proof\": \"exhausted\", \"class_k\": 4", "refuted"},
		{"\"class\": \"none\"", "\"class\": \"pareto\", \"proof\": \"exhausted\", \"class_k\": 4, \"refuted\": [[1, 2]]",
		 "optimality.refuted[0]"},
		{"\"class\": \"none\"", "\"class\": \"pareto\", \"proof\": \"exhausted\", \"class_k\": 4, \"refuted\": [[0, 2, 2]]",
		 "optimality.refuted[0][0]"},
		{"{\"method\": \"m\", ", "{", "method"},
		{"\"method\": \"m\", ", "\"method\": \"m\", \"host\": \"h\", ", "host"},
	};
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		struct error e = {0};
		char all[1100], *text = edited(faults[i].old, faults[i].new_text);
		struct algorithm *a = parsed(text, &e);
		cr_expect(eq(ptr, a, NULL), "%s", faults[i].new_text);
		cr_expect(eq(int, e.kind, ERROR_INPUT));
		snprintf(all, sizeof all, "%s: %s", e.where, e.what);
		cr_expect(ne(ptr, strstr(all, faults[i].says), NULL), "%s gives %s", faults[i].new_text, all);
		cr_expect(eq(ptr, strchr(all, '\n'), NULL), "one line");
		free(text);
	}
}

Test(algorithm, no_truncated_file_is_read)
{
	for (size_t n = 0; n < sizeof whole - 1; n += 3) {
		struct error e = {0};
		char text[sizeof whole] = "";
		memcpy(text, whole, n);
		cr_expect(eq(ptr, parsed(text, &e), NULL), "%zu", n);
		cr_expect(eq(int, e.kind, ERROR_INPUT));
	}
}

/* The compact form of the file of A: generators, and of each step only the sends of chunk 0 (of its reduces too). */
static char *compact(const struct algorithm *a, const char *generators)
{
	struct algorithm *few = algorithm_copy(a);
	for (size_t s = 0; s < few->n_steps; s++) {
		struct step *step = &few->steps[s];
		size_t kept = 0;
		for (size_t i = 0; i < step->n_sends; i++)
			if (step->sends[i].chunk == 0)
				step->sends[kept++] = step->sends[i];
		step->n_sends = kept;
		kept = 0;
		for (size_t i = 0; i < step->n_reduces; i++)
			if (step->reduces[i].chunk == 0)
				step->reduces[kept++] = step->reduces[i];
		step->n_reduces = kept;
	}
	char *full = written(few), *at = strstr(full, "  \"topology\"");
	struct text text = {0};
	text_add(&text, "%.*s  \"symmetry\": %s,\n%s", (int)(at - full), full, generators, at);
	free(full);
	algorithm_free(few);
	return text_take(&text);
}

static void expect_same_when_expanded(struct algorithm *a, const char *generators)
{
	struct error e = {0};
	char *short_text = compact(a, generators), *full = written(a);
	struct algorithm *read = parsed(short_text, &e);
	cr_assert(ne(ptr, read, NULL), "%s: %s", e.where, e.what);
	char *again = written(read);
	cr_expect(eq(str, full, again), "%s", a->name);
	free(short_text);
	free(full);
	free(again);
	algorithm_free(read);
	algorithm_free(a);
}

Test(algorithm, the_compact_form_gives_every_image_once)
{
	expect_same_when_expanded(ring_allgather(4), "[{\"nodes\": [1, 2, 3, 0], \"parts\": [0]}]");
	/* Two generators of the same group, and one that does nothing. */
	expect_same_when_expanded(ring_allgather(4), "[{\"nodes\": [1, 2, 3, 0], \"parts\": [0]}, {\"nodes\": [2, 3, 0, 1], "
						     "\"parts\": [0]}, {\"nodes\": [0, 1, 2, 3], \"parts\": [0]}]");
	expect_same_when_expanded(ring_reducescatter(4), "[{\"nodes\": [3, 0, 1, 2], \"parts\": [0]}]");
	expect_same_when_expanded(ring_allreduce(3), "[{\"nodes\": [1, 2, 0], \"chunks\": [1, 2, 0]}]");
	struct error e = {0};
	struct algorithm *a = ring_allgather(3), *two = algorithm_scaled(a, 2, &e);
	expect_same_when_expanded(two, "[{\"nodes\": [1, 2, 0], \"parts\": [0, 1]}, {\"nodes\": [0, 1, 2], \"parts\": [1, 0]}]");
	algorithm_free(a);
}

/* c = (k 3 + d) 3 + n: chunk 1, from 1 to 0, goes to chunk 5, from 2 to 1, and so on round. */
Test(algorithm, alltoall_moves_both_node_numbers_of_a_chunk)
{
	struct error e = {0};
	struct algorithm *a = HAND("ring:3", KIND(ALLTOALL, 0), 3, "1: 1 1 0, 2 2 0");
	char *text = written(a), *at = strstr(text, "  \"topology\"");
	struct text all = {0};
	text_add(&all, "%.*s\"symmetry\": [{\"nodes\": [1, 2, 0], \"parts\": [0]}], %s", (int)(at - text), text, at);
	struct algorithm *read = parsed(all.bytes, &e);
	cr_assert(ne(ptr, read, NULL), "%s: %s", e.where, e.what);
	cr_expect(eq(sz, read->steps[0].n_sends, 6));
	cr_expect(eq(int, algorithm_verify(read).fault, FAULT_NONE));
	free(text);
	text_free(&all);
	algorithm_free(a);
	algorithm_free(read);
}

Test(algorithm, generators_must_be_permutations_of_the_right_length)
{
	static const struct {
		const char *generators, *says;
	} faults[] = {
		{"{}", "symmetry"},
		{"[[]]", "symmetry[0]"},
		{"[{\"nodes\": [1, 2, 3, 0]}]", "parts"},
		{"[{\"parts\": [0]}]", "nodes"},
		{"[{\"nodes\": [1, 2, 0], \"parts\": [0]}]", "symmetry[0].nodes"},
		{"[{\"nodes\": [1, 2, 3, 3], \"parts\": [0]}]", "symmetry[0].nodes[3]"},
		{"[{\"nodes\": [1, 2, 3, 4], \"parts\": [0]}]", "symmetry[0].nodes[3]"},
		{"[{\"nodes\": [1, 2, 3, 0], \"parts\": [0, 1]}]", "symmetry[0].parts"},
		{"[{\"nodes\": [1, 2, 3, 0], \"chunks\": [0, 1, 2, 3]}]", "chunks"},
	};
	struct algorithm *a = ring_allgather(4);
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		struct error e = {0};
		char all[1100], *text = compact(a, faults[i].generators);
		cr_expect(eq(ptr, parsed(text, &e), NULL), "%s", faults[i].generators);
		snprintf(all, sizeof all, "%s: %s", e.where, e.what);
		cr_expect(ne(ptr, strstr(all, faults[i].says), NULL), "%s gives %s", faults[i].generators, all);
		free(text);
	}
	algorithm_free(a);
}
