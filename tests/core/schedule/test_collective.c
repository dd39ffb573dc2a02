#include "tests/support/by_hand.h"
#include "core/schedule/collective.h"
#include "core/base/file.h"
#include "core/base/text.h"

#include <stdio.h>
#include <unistd.h>

TestSuite(collective, .description = "what an algorithm must do");

static struct error refusal(struct collective k, int nodes, int chunks)
{
	struct error e = {0};
	cr_expect(not(collective_check(&k, nodes, chunks, &e)));
	cr_expect(eq(int, e.kind, ERROR_INPUT));
	return e;
}

Test(collective, counts_chunks_as_the_table_of_formats_does)
{
	static const int wanted[] = {[ALLGATHER] = 24, [BROADCAST] = 6, [GATHER] = 24, [SCATTER] = 8, [ALLTOALL] = 32,
				     [REDUCE] = 6, [REDUCESCATTER] = 8, [ALLREDUCE] = 6, [SCAN] = 6};
	for (int k = 0; k < CUSTOM; k++) {
		struct error e = {0};
		struct collective c = KIND((enum collective_kind)k, 0);
		int chunks = collective_row(&c)->chunks_in_blocks ? 8 : 6;
		cr_expect(collective_check(&c, 4, chunks, &e), "%s: %s", collective_name(&c), e.what);
		cr_expect(eq(int, collective_global_chunks(&c, 4, chunks), wanted[k]), "%s", collective_name(&c));
	}
}

Test(collective, only_a_scan_wants_less_than_all_parts)
{
	for (int of = 0; of < 4; of++)
		for (int n = 0; n < 4; n++) {
			cr_expect(eq(int, collective_wants_part(&KIND(SCAN, 0), 4, 1, n, of), of <= n));
			cr_expect(collective_wants_part(&KIND(ALLREDUCE, 0), 4, 1, n, of));
			cr_expect(collective_wants_part(&KIND(REDUCE, 2), 4, 1, n, of));
		}
}

/* Written out again from the table, apart from the rows. */
static bool wants(enum collective_kind k, int P, int root, int c, int n, bool post)
{
	bool own = c % P == n, at_root = n == root;
	switch ((int)k) {
	case ALLGATHER: return post || own;
	case BROADCAST: return post || at_root;
	case GATHER: return post ? at_root : own;
	case SCATTER: return post ? own : at_root;
	case ALLTOALL: return post ? c / P % P == n : own;
	case REDUCE: return post ? at_root : true;
	case REDUCESCATTER: return post ? own : true;
	default: return true;
	}
}

Test(collective, places_chunks_before_and_after)
{
	for (int k = 0; k < CUSTOM; k++) {
		struct collective c = KIND((enum collective_kind)k, 2);
		for (int chunk = 0; chunk < collective_global_chunks(&c, 3, 6); chunk++)
			for (int n = 0; n < 3; n++) {
				cr_expect(eq(int, collective_pre(&c, 3, chunk, n), wants(c.kind, 3, 2, chunk, n, false)));
				cr_expect(eq(int, collective_post(&c, 3, chunk, n), wants(c.kind, 3, 2, chunk, n, true)));
			}
	}
}

Test(collective, refuses_counts_that_make_no_sense)
{
	cr_expect(eq(str, refusal(KIND(ALLGATHER, 0), 4, 0).what, "C must be at least 1, not 0"));
	refusal(KIND(BROADCAST, 0), 4, -7);
	for (int k = 0; k < CUSTOM; k++)
		if (collective_rows()[k].chunks_in_blocks)
			cr_expect(eq(str, refusal(KIND((enum collective_kind)k, 0), 4, 6).what,
				     "C must be a multiple of 4 (the number of nodes), not 6"));
	cr_expect(eq(str, refusal(KIND(GATHER, 4), 4, 1).what, "there is no root 4: the nodes are 0 to 3"));
	refusal(KIND(REDUCE, -1), 4, 1);
	refusal(KIND(ALLGATHER, 0), 4096, 4097);
	refusal(KIND(ALLGATHER, 0), 4, 2147483647);
	refusal(KIND(BROADCAST, 0), 4, CHUNKS_MAX + 1);
}

/* Every part of every block of the buffers is one chunk's, and both ends of a chunk agree how it is cut. */
static void check_buffers(struct collective k, int nodes, int chunks)
{
	int all = collective_global_chunks(&k, nodes, chunks);
	for (int n = 0; n < nodes; n++)
		for (int side = 0; side < 2; side++) {
			bool seen[128] = {false};
			int count = 0, total = 0;
			for (int c = 0; c < all; c++) {
				struct chunk_place p;
				bool here = (side ? collective_output : collective_input)(&k, nodes, chunks, c, n, &p);
				cr_assert(eq(int, here, (side ? collective_post : collective_pre)(&k, nodes, c, n)));
				if (!here)
					continue;
				cr_assert(p.block >= 0 && p.block < p.blocks && p.part >= 0 && p.part < p.parts);
				cr_expect(not(seen[p.block * p.parts + p.part]), "%s: chunk %d", collective_name(&k), c);
				seen[p.block * p.parts + p.part] = true;
				total = p.blocks * p.parts;
				count++;
			}
			cr_expect(eq(int, count, total), "%s fills the buffer of node %d", collective_name(&k), n);
		}
}

Test(collective, chunks_fill_the_buffers_without_gaps)
{
	for (int k = 0; k < CUSTOM; k++)
		check_buffers(KIND((enum collective_kind)k, 1), 3, 6);
	struct collective k = custom_of(3, 2, "\"pre\": [[0,0],[1,0],[2,0],[3,0]], \"post\": [[0,2],[2,2],[1,1],[3,1]]");
	check_buffers(k, 3, 2);
	collective_free(&k);
}

Test(collective, a_chunk_of_alltoall_is_a_part_of_the_block_for_its_target)
{
	/* P = 3, C = 6: c = (k 3 + d) 3 + n. */
	struct collective k = KIND(ALLTOALL, 0);
	struct chunk_place p;
	cr_assert(collective_input(&k, 3, 6, (1 * 3 + 2) * 3 + 1, 1, &p));
	cr_expect(eq(int, p.block, 2));
	cr_expect(eq(int, p.blocks, 3));
	cr_expect(eq(int, p.part, 1));
	cr_expect(eq(int, p.parts, 2));
	cr_assert(collective_output(&k, 3, 6, (1 * 3 + 2) * 3 + 1, 2, &p));
	cr_expect(eq(int, p.block, 1), "the block of its source");
	cr_expect(not(collective_output(&k, 3, 6, (1 * 3 + 2) * 3 + 1, 1, &p)));
}

Test(collective, opens_by_name_and_refuses_others)
{
	struct error e = {0};
	struct collective k;
	cr_assert(collective_open("broadcast", 4, 3, &k, &e));
	cr_expect(eq(int, k.root, 3));
	cr_assert(collective_open("allgather", 4, 3, &k, &e), "a root does not apply to it");
	cr_expect(eq(int, k.root, 0));
	cr_expect(not(collective_open("broadcast", 4, 4, &k, &e)));
	cr_expect(eq(str, e.what, "there is no node 4: the nodes are 0 to 3"));
	e = (struct error){0};
	cr_expect(collective_open("Broadcast", 4, 0, &k, &e), "as people type it");
	static const char *const wrong[] = {"custom", "allgathers", "", "Broadcasts", "allgather-allgather-allgather-allgather", "./not-there.json", "not-there.json"};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		e = (struct error){0};
		cr_expect(not(collective_open(wrong[i], 4, 0, &k, &e)), "%s", wrong[i]);
		cr_expect(eq(int, e.kind, ERROR_INPUT));
	}
}

Test(collective, only_four_kinds_and_sums_from_files_are_solved_backwards)
{
	struct error e = {0};
	static const enum collective_kind inverse[] = {[SCATTER] = GATHER, [REDUCE] = BROADCAST, [REDUCESCATTER] = ALLGATHER,
						       [ALLREDUCE] = ALLREDUCE};
	for (int i = 0; i < CUSTOM; i++) {
		struct collective k = KIND((enum collective_kind)i, i == SCATTER ? 2 : 0), out;
		bool backwards = i == SCATTER || i == REDUCE || i == REDUCESCATTER;
		e = (struct error){0};
		cr_expect(eq(int, collective_solved_backwards(&k), backwards));
		cr_expect(eq(int, collective_inverse(&k, &out, &e), backwards), "%s", collective_name(&k));
		if (backwards)
			cr_expect(out.kind == inverse[i] && out.root == k.root, "%s", collective_name(&k));
	}
}

Test(collective, a_sum_at_one_node_turns_into_copies_from_it)
{
	struct error e = {0};
	struct collective k = custom_of(3, 1, "\"combining\": true, \"pre\": [[0,0],[0,2],[1,1]], \"post\": [[0,1],[1,0]]"), out;
	cr_expect(collective_row(&k)->combining);
	cr_assert(collective_inverse(&k, &out, &e));
	cr_expect(not(collective_row(&out)->combining));
	cr_expect(collective_pre(&out, 3, 0, 1) && !collective_pre(&out, 3, 0, 0));
	cr_expect(collective_post(&out, 3, 0, 0) && collective_post(&out, 3, 0, 2) && collective_post(&out, 3, 1, 1));
	collective_free(&out);
	collective_free(&k);
	static const char *const several[] = {
		"\"combining\": true, \"pre\": [[0,0],[0,1],[1,1]], \"post\": [[0,1],[1,0],[1,1]]",
		"\"combining\": true, \"pre\": [[0,0],[0,1],[1,1]], \"post\": [[0,1]]",
	};
	for (int i = 0; i < 2; i++) {
		e = (struct error){0};
		k = custom_of(2, 1, several[i]);
		cr_expect(not(collective_inverse(&k, &out, &e)));
		cr_expect(ne(ptr, strstr(e.what, "the sum of chunk 1 must be wanted at exactly one node"), NULL), "%s", e.what);
		collective_free(&k);
	}
}

Test(collective, scaling_cuts_chunks_and_keeps_the_buffers)
{
	struct collective k = custom_of(2, 1, "\"pre\": [[0,0],[1,0],[2,1]], \"post\": [[0,1],[2,0]], \"inputs\": [[1,0],[2]]");
	struct collective three = collective_scaled(&k, 3), six = collective_scaled(&three, 2), one = collective_unscaled(&six);
	struct chunk_place p;

	cr_expect(eq(int, collective_global_chunks(&six, 2, 6), 18));
	cr_expect(eq(int, collective_period(&six, 2), 3));
	for (int c = 0; c < 18; c++)
		for (int n = 0; n < 2; n++)
			cr_expect(eq(int, collective_post(&six, 2, c, n), collective_post(&k, 2, c % 3, n)));
	/* Part 4 of chunk 0, which is the second in node 0's buffer. */
	cr_assert(collective_input(&six, 2, 6, 4 * 3 + 0, 0, &p));
	cr_expect(p.block == 1 && p.blocks == 2 && p.part == 4 && p.parts == 6);
	struct text was = {0}, is = {0};
	collective_write(&k, &was, 0);
	collective_write(&one, &is, 0);
	cr_expect(eq(str, was.bytes, is.bytes));
	text_free(&was);
	text_free(&is);
	struct error e = {0};
	cr_expect(collective_check(&k, 2, 3, &e) && collective_check(&three, 2, 3, &e), "%s", e.what);
	refusal(three, 2, 2);
	refusal(k, 3, 1);
	refusal(k, 2, CHUNKS_MAX / 2);
	collective_free(&k);
	collective_free(&three);
	collective_free(&six);
	collective_free(&one);
}

static bool reads(const char *json, int nodes, int chunks, struct text *again, struct error *e)
{
	struct collective k = {.kind = ALLGATHER};
	struct json_document *d = json_document_parse(json, "k.json", e);
	cr_assert(ne(ptr, d, NULL), "%s", e->what);
	struct json_place top = json_top(d);
	bool ok = collective_read(&top, nodes, chunks, &k, e);
	if (ok && again)
		collective_write(&k, again, 0);
	json_document_close(d);
	if (ok)
		collective_free(&k);
	return ok;
}

Test(collective, what_is_written_reads_the_same)
{
	static const char *const all[] = {
		"{\"kind\": \"allgather\"}",
		"{\"kind\": \"gather\", \"root\": 2}",
		"{\"kind\": \"custom\", \"combining\": true,\n  \"pre\": [[0, 0], [0, 1]],\n  \"post\": [[0, 2]]\n}",
		("{\"kind\": \"custom\",\n  \"pre\": [[0, 0], [1, 0], [2, 0], [3, 0]],\n  \"post\": [[1, 1], [3, 1]],\n"
		 "  \"inputs\": [[1, 3, 0, 2], [], []]\n}"),
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct error e = {0};
		struct text text = {0};
		cr_assert(reads(all[i], 3, i == 3 ? 2 : 1, &text, &e), "%s: %s", e.where, e.what);
		cr_expect(eq(str, text.bytes, (char *)all[i]));
		text_free(&text);
	}
}

Test(collective, each_fault_of_an_object_is_told)
{
	static const struct {
		const char *json, *what;
		int chunks;
	} faults[] = {
		{"[]", "object", 1},
		{"{}", "kind", 1},
		{"{\"kind\": 3}", "string", 1},
		{"{\"kind\": \"allgather \"}", "no collective", 1},
		{"{\"kind\": \"allgather\", \"root\": 0}", "root", 1},
		{"{\"kind\": \"reduce\"}", "root", 1},
		{"{\"kind\": \"reduce\", \"root\": 3}", "3", 1},
		{"{\"kind\": \"reduce\", \"root\": -1}", "-1", 1},
		{"{\"kind\": \"reduce\", \"root\": 1.0}", "integer", 1},
		{"{\"kind\": \"reduce\", \"roots\": []}", "1 to 3", 1},
		{"{\"kind\": \"reduce\", \"roots\": [0,1,2,0]}", "1 to 3", 1},
		{"{\"kind\": \"reduce\", \"roots\": [1,1]}", "ascending", 1},
		{"{\"kind\": \"reduce\", \"roots\": [0,1]}", "too many", 16777216},
		{"{\"kind\": \"custom\", \"pre\": [[0,0]]}", "post", 1},
		{"{\"kind\": \"custom\", \"pre\": [], \"post\": [[0,0]]}", "1 to", 1},
		{"{\"kind\": \"custom\", \"pre\": [[0,0]], \"post\": []}", "1 to", 1},
		{"{\"kind\": \"custom\", \"pre\": [[0,0]], \"post\": [[0,3]]}", "3", 1},
		{"{\"kind\": \"custom\", \"pre\": [[0,0,1]], \"post\": [[0,1]]}", "[chunk, node]", 1},
		{"{\"kind\": \"custom\", \"pre\": [[0,0],[0,0]], \"post\": [[0,1]]}", "twice", 1},
		{"{\"kind\": \"custom\", \"pre\": [[0,0],[2,0]], \"post\": [[0,1]]}", "chunk 1 is missing", 1},
		{"{\"kind\": \"custom\", \"pre\": [[1,0]], \"post\": [[1,1]]}", "chunk 0 is missing", 1},
		{"{\"kind\": \"custom\", \"pre\": [[0,0]], \"post\": [[1,1]]}", "chunk 1 of \"post\"", 1},
		{"{\"kind\": \"custom\", \"pre\": [[16777216,0]], \"post\": [[0,1]]}", "16777216", 1},
		{"{\"kind\": \"custom\", \"pre\": [[0,0],[1,1]], \"post\": [[0,1]]}", "C = 2", 2},
		{"{\"kind\": \"custom\", \"pre\": [[0,0],[1,0],[2,0]], \"post\": [[0,1]]}", "C = 2", 2},
		{"{\"kind\": \"custom\", \"pre\": [[0,0],[1,0],[1,1]], \"post\": [[0,1],[1,1]]}", "C = 2", 2},
		{"{\"kind\": \"custom\", \"pre\": [[0,0]], \"post\": [[0,1]], \"inputs\": [[0]]}", "3 nodes", 1},
		{"{\"kind\": \"custom\", \"pre\": [[0,0]], \"post\": [[0,1]], \"inputs\": [[],[0],[]]}", "chunks", 1},
		{"{\"kind\": \"custom\", \"pre\": [[0,0],[1,0]], \"post\": [[0,1]], \"inputs\": [[0,0],[],[]]}", "once", 1},
		{"{\"kind\": \"custom\", \"pre\": [[0,0],[1,0],[2,0],[3,0]], \"post\": [[0,1],[2,1]], \"inputs\": [[0,1,2,3],[],[]]}",
		 "adjacent", 2},
		{"{\"kind\": \"custom\", \"pre\": [[0,0]], \"post\": [[0,1]], \"output\": []}", "output", 1},
		{"{\"kind\": \"custom\", \"pre\": [[0,0]], \"post\": [[0,1]], \"combining\": 1}", "combining", 1},
	};
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		struct error e = {0};
		char all[1100];
		cr_expect(not(reads(faults[i].json, 3, faults[i].chunks, NULL, &e)), "%s", faults[i].json);
		cr_expect(eq(int, e.kind, ERROR_INPUT));
		snprintf(all, sizeof all, "%s: %s", e.where, e.what);
		cr_expect(ne(ptr, strstr(all, faults[i].what), NULL), "%s gives %s", faults[i].json, all);
	}
}

Test(collective, a_file_of_its_own_has_a_format_and_may_name_its_nodes)
{
	static const struct {
		const char *text, *what;
	} files[] = {
		{"{\"format\": \"sccl-collective\", \"version\": 1, \"name\": \"x\", \"description\": \"y\", \"nodes\": 3, \"x-own\": 1, "
		 "\"pre\": [[0,0]], \"post\": [[0,1]]}", NULL},
		{"{\"format\": \"sccl-collective\", \"version\": 1, \"nodes\": 4, \"pre\": [[0,0]], \"post\": [[0,1]]}", "4 nodes"},
		{"{\"format\": \"sccl-collective\", \"version\": 2, \"pre\": [[0,0]], \"post\": [[0,1]]}", "version"},
		{"{\"format\": \"sccl-algorithm\", \"version\": 1, \"pre\": [[0,0]], \"post\": [[0,1]]}", "format"},
		{"{\"format\": \"sccl-collective\", \"version\": 1, \"kind\": \"custom\", \"pre\": [[0,0]], \"post\": [[0,1]]}", "kind"},
		{"{\"format\": \"sccl-collective\", \"version\": 1, \"nodes\": 0, \"pre\": [[0,0]], \"post\": [[0,1]]}", "nodes"},
		{"[]", "object"},
		{"{\"format\": ", ".json:1:"},
	};
	char path[] = "/tmp/sccl-collective-XXXXXX";
	cr_assert(ne(ptr, mkdtemp(path), NULL));
	char file[64];
	snprintf(file, sizeof file, "%s/k.json", path);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct error e = {0};
		struct collective k;
		char all[1100];
		cr_assert(file_write(file, files[i].text, strlen(files[i].text), &e));
		bool ok = collective_open(file, 3, 0, &k, &e);
		cr_expect(eq(int, ok, files[i].what == NULL), "%zu: %s: %s", i, e.where, e.what);
		snprintf(all, sizeof all, "%s: %s", e.where, e.what);
		if (ok)
			collective_free(&k);
		else
			cr_expect(ne(ptr, strstr(all, files[i].what), NULL), "%zu: %s", i, all);
	}
	unlink(file);
	rmdir(path);
}

/* Each root's block is where the collective of that root alone has it, and a file that names the roots gives the same again. */
Test(collective, of_several_roots_is_one_of_each)
{
	static const enum collective_kind kinds[] = {BROADCAST, GATHER, SCATTER, REDUCE};
	const int roots[] = {1, 3}, twice[] = {2, 2}, falling[] = {2, 0}, far[] = {0, 4};

	for (int i = 0; i < 4; i++) {
		struct error e = {0};
		struct collective k, again;
		cr_assert(collective_of_roots(kinds[i], 4, roots, 2, &k, &e), "%s", e.what);
		int block = k.custom->global_chunks / 2;
		cr_expect(eq(int, block, kinds[i] == GATHER || kinds[i] == SCATTER ? 4 : 1));
		for (int c = 0; c < 2 * block; c++)
			for (int n = 0; n < 4; n++) {
				struct collective one = KIND(kinds[i], roots[c / block]);
				cr_expect(eq(int, collective_pre(&k, 4, c, n), collective_pre(&one, 4, c % block, n)));
				cr_expect(eq(int, collective_post(&k, 4, c, n), collective_post(&one, 4, c % block, n)));
			}
		struct collective cut = collective_scaled(&k, 3);
		struct text t = {0};
		collective_write(&cut, &t, 0);
		cr_expect(ne(ptr, strstr(t.bytes, "\"roots\": [1, 3]}"), NULL), "%s", t.bytes);
		struct json_document *d = json_document_parse(t.bytes, "roots", &e);
		struct json_place top = json_top(d);
		cr_assert(collective_read(&top, 4, 3, &again, &e), "%s", e.what);
		cr_expect(eq(sz, again.custom->n_pre, cut.custom->n_pre));
		cr_expect(eq(int, memcmp(again.custom->pre, cut.custom->pre, cut.custom->n_pre * sizeof *cut.custom->pre), 0));
		cr_expect(eq(int, memcmp(again.custom->post, cut.custom->post, cut.custom->n_post * sizeof *cut.custom->post), 0));
		cr_expect(eq(str, (char *)collective_called(&again), (char *)collective_rows()[kinds[i]].name));
		json_document_close(d);
		text_free(&t);
		collective_free(&again);
		collective_free(&cut);
		collective_free(&k);
		cr_expect(not(collective_of_roots(kinds[i], 4, twice, 2, &k, &e)));
		cr_expect(not(collective_of_roots(kinds[i], 4, falling, 2, &k, &e)));
		cr_expect(not(collective_of_roots(kinds[i], 4, far, 2, &k, &e)));
	}
}

static void expect_same(struct collective a, struct collective b, bool same)
{
	cr_expect(eq(int, collective_same(&a, &b), same));
	cr_expect(eq(int, collective_same(&b, &a), same));
	collective_free(&a);
	collective_free(&b);
}

static struct collective of_roots(enum collective_kind kind, int a, int b, int chunks)
{
	struct error e = {0};
	struct collective k;

	cr_assert(collective_of_roots(kind, 4, (const int[]){a, b}, 2, &k, &e), "%s", e.what);
	struct collective cut = collective_scaled(&k, chunks);
	collective_free(&k);
	return cut;
}

Test(collective, is_the_same_by_content_whatever_its_chunks_are_cut_into)
{
	static const char halo[] = "\"pre\": [[0, 0], [1, 1], [2, 0]], \"post\": [[0, 1], [1, 0], [2, 1]]";
	static const char *const others[] = {
		"\"pre\": [[0, 0], [1, 1], [2, 0]], \"post\": [[0, 1], [1, 0]]",
		"\"pre\": [[0, 0], [1, 1], [2, 1]], \"post\": [[0, 1], [1, 0], [2, 1]]",
		"\"pre\": [[0, 0], [1, 1], [2, 0]], \"post\": [[0, 1], [1, 0], [2, 1]], \"combining\": true",
		"\"pre\": [[0, 0], [1, 1], [2, 0]], \"post\": [[0, 1], [1, 0], [2, 1]], \"inputs\": [[2, 0], [1]]",
		"\"pre\": [[0, 0], [1, 1], [2, 0]], \"post\": [[0, 1], [1, 0], [2, 1]], \"outputs\": [[1], [2, 0]]",
	};
	struct collective whole = custom_of(2, 1, halo);

	expect_same(KIND(GATHER, 1), KIND(GATHER, 1), true);
	expect_same(KIND(GATHER, 1), KIND(GATHER, 2), false);
	expect_same(KIND(GATHER, 1), KIND(SCATTER, 1), false);
	expect_same(KIND(ALLTOALL, 0), custom_of(2, 1, halo), false);
	expect_same(custom_of(2, 1, halo), collective_scaled(&whole, 3), true);
	expect_same(custom_of(2, 1, halo), custom_of(3, 1, halo), false);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		expect_same(custom_of(2, 1, halo), custom_of(2, 1, others[i]), false);
	expect_same(of_roots(BROADCAST, 0, 2, 1), of_roots(BROADCAST, 0, 2, 4), true);
	expect_same(of_roots(BROADCAST, 0, 2, 1), of_roots(BROADCAST, 0, 1, 1), false);
	expect_same(of_roots(BROADCAST, 0, 2, 1), of_roots(REDUCE, 0, 2, 1), false);
	collective_free(&whole);
}
