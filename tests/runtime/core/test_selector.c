#include "tests/runtime/expect_ok.h"
#include "tests/runtime/ranks.h"
#include "tests/runtime/ring.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(selector, .description = "the choice of a program by the size of a call", .timeout = 60);

enum { MOST = 20000 };

static sccl_status_t run_sizes(uint32_t rank, const sccl_bootstrap_t *b)
{
	static const uint64_t counts[] = {1, 100, 101, MOST};
	const sccl_choice_t choices[] = {{.program = &ring_allgather, .most_bytes = UINT64_MAX},
					 {.program = &ring_allgather, .most_bytes = 400, .blocks = 2}};
	const sccl_selector_options_t options = {.adapt = 1};
	sccl_comm_t *comm;
	sccl_selector_t *s;
	sccl_choice_t choice;
	int32_t *in = malloc(MOST * sizeof *in), *out = malloc(RING * MOST * sizeof *out);
	char text[256];

	sccl_status_t status = sccl_comm_create(&comm, rank, RING, b, NULL);
	if (status == SCCL_OK)
		status = sccl_selector_create(&s, comm, choices, 2, SCCL_I32, SCCL_SUM, MOST, &options);
	for (int call = 0; call < 200 && status == SCCL_OK; call++) {
		uint64_t count = counts[call % 4];
		for (uint64_t i = 0; i < count; i++)
			in[i] = (int32_t)(rank * 100000 + i + (uint64_t)call);
		status = sccl_selector_run(s, in, out, count, NULL);
		for (uint64_t i = 0; i < RING * count && status == SCCL_OK; i++)
			if (out[i] != (int32_t)(i / count * 100000 + i % count + (uint64_t)call))
				status = SCCL_STATUSES;
	}
	if (status == SCCL_OK)
		status = sccl_selector_choice(s, 100, &choice, text, sizeof text);
	if (status == SCCL_OK && (choice.blocks != 2 || strstr(text, "allgather of 100 elements (400 bytes)") == NULL))
		status = SCCL_STATUSES;
	if (status == SCCL_OK)
		status = sccl_selector_choice(s, MOST, &choice, text, sizeof text);
	if (status == SCCL_OK && (choice.blocks != 0 || strstr(text, "(measured)") == NULL))
		status = SCCL_STATUSES;
	sccl_selector_free(s);
	sccl_comm_free(comm);
	free(in);
	free(out);
	return status;
}

Test(selector, each_size_has_its_choice_and_open_blocks_settle)
{
	expect_ok(in_threads, run_sizes);
}

/* Copy engines begin with pieces of 1 MiB; a chunk of less is not split. */
static sccl_status_t run_copies(uint32_t rank, const sccl_bootstrap_t *b)
{
	enum { LARGE = (3 << 18) + 3, SMALL = 1000 }; /* 3 MiB and three elements */
	const sccl_choice_t copies = {.program = &ring_allgather, .most_bytes = UINT64_MAX, .mode = SCCL_COPY_ENGINES};
	const sccl_selector_options_t options = {.adapt = 1, .symmetric_only = 1};
	sccl_comm_t *comm;
	sccl_selector_t *s = NULL;
	sccl_memory_t *memory = NULL;
	int32_t *in = malloc(LARGE * sizeof *in);
	char text[256] = "", began[256] = "";

	sccl_status_t status = sccl_comm_create(&comm, rank, RING, b, NULL);
	if (status == SCCL_OK)
		status = sccl_memory_create(&memory, comm, (size_t)RING * LARGE * sizeof *in);
	if (status == SCCL_OK)
		status = sccl_selector_create(&s, comm, &copies, 1, SCCL_I32, SCCL_SUM, LARGE, &options);
	for (int call = 0; call < 24 && status == SCCL_OK; call++) {
		uint64_t count = call % 4 == 3 ? SMALL : LARGE;
		int32_t *out = sccl_memory_at(memory, 0);
		for (uint64_t i = 0; i < count; i++)
			in[i] = (int32_t)(rank * 10000000 + i + (uint64_t)call);
		status = sccl_selector_run(s, in, out, count, NULL);
		for (uint64_t i = 0; i < RING * count && status == SCCL_OK; i++)
			if (out[i] != (int32_t)(i / count * 10000000 + i % count + (uint64_t)call))
				status = SCCL_STATUSES;
		if (call == 0 && status == SCCL_OK)
			status = sccl_selector_choice(s, LARGE, NULL, began, sizeof began);
	}
	if (status == SCCL_OK)
		status = sccl_selector_choice(s, LARGE, NULL, text, sizeof text);
	if (status == SCCL_OK && (!strstr(text, "(measured)") || !strstr(began, "kernels: none, 3 blocks")))
		status = SCCL_STATUSES;
	if (status == SCCL_OK)
		status = sccl_selector_choice(s, SMALL, NULL, text, sizeof text);
	if (status == SCCL_OK && (strstr(text, "measured") || !strstr(text, "kernels: none, 1 blocks")))
		status = SCCL_STATUSES;
	sccl_selector_free(s);
	sccl_memory_free(memory);
	sccl_comm_free(comm);
	free(in);
	return status;
}

Test(selector, the_pieces_of_copies_are_measured)
{
	expect_ok(in_threads, run_copies);
}

static sccl_status_t too_many(uint32_t rank, const sccl_bootstrap_t *b)
{
	const sccl_choice_t small = {.program = &ring_allgather, .most_bytes = 400};
	static int32_t in[200], out[RING][RING * 200];
	sccl_comm_t *comm;
	sccl_selector_t *s;

	sccl_status_t status = sccl_comm_create(&comm, rank, RING, b, NULL);
	if (status == SCCL_OK)
		status = sccl_selector_create(&s, comm, &small, 1, SCCL_I32, SCCL_SUM, 200, NULL);
	if (status != SCCL_OK)
		return status;
	status = sccl_selector_run(s, in, out[rank], 101, NULL);
	sccl_selector_free(s);
	sccl_comm_free(comm);
	return status;
}

/* Packets, then lines, then plain on NVIDIA's GPUs; nothing but plain in the end. */
Test(selector, costs_propose_lines_between_packets_and_plain)
{
	static const struct {
		const char *target;
		sccl_protocol_t protocols[4];
		size_t n;
	} want[] = {{"cuda", {SCCL_PACKETS, SCCL_LINES, SCCL_PLAIN}, 3}, {"hip", {SCCL_PACKETS, SCCL_PLAIN}, 2}, {"host", {SCCL_PLAIN}, 1}};

	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		sccl_program_t program = ring_allgather;
		const sccl_program_t *programs[] = {&program};
		sccl_choice_t *choices;
		size_t n;

		program.target = want[i].target;
		for (int t = 0; t < SCCL_PROTOCOLS; t++)
			program.tables[t] = ring_allgather.tables[SCCL_PLAIN];
		cr_assert(eq(int, sccl_choices_cost(&choices, &n, programs, 1, "allgather", -1, 3, 0.00004), SCCL_OK));
		cr_expect(eq(sz, n, want[i].n), "%s: %zu", want[i].target, n);
		for (size_t k = 0; k < n && k < want[i].n; k++)
			cr_expect(eq(int, (int)choices[k].protocol, (int)want[i].protocols[k]), "%s: %zu", want[i].target, k);
		cr_expect(eq(u64, choices[n - 1].most_bytes, UINT64_MAX));
		sccl_choices_free(choices);
	}
}

/* A call with each kind of buffers, of a program whose other ranks may read inputs. */
static sccl_status_t share_inputs(uint32_t rank, const sccl_bootstrap_t *b, uint32_t symmetric_only)
{
	enum { N = 1000, BYTES = N * sizeof(int32_t) };
	sccl_program_t program = ring_allgather;
	const sccl_choice_t shared = {.program = &program, .most_bytes = UINT64_MAX, .protocol = SCCL_SHARED};
	const sccl_selector_options_t options = {.symmetric_only = symmetric_only};
	sccl_comm_t *comm = NULL;
	sccl_selector_t *s = NULL;
	sccl_memory_t *memory = NULL;
	int32_t *own = malloc(BYTES);

	program.tables[SCCL_SHARED] = program.tables[SCCL_PLAIN];
	program.tables[SCCL_SHARED].reads_inputs = 1;
	sccl_status_t status = sccl_comm_create(&comm, rank, RING, b, NULL);
	if (status == SCCL_OK)
		status = sccl_memory_create(&memory, comm, (RING + 1) * BYTES);
	if (status == SCCL_OK)
		status = sccl_selector_create(&s, comm, &shared, 1, SCCL_I32, SCCL_SUM, N, &options);
	for (int call = 0; call < 6 && status == SCCL_OK; call++) {
		int32_t *out = sccl_memory_at(memory, 0), *inputs[] = {out + RING * N, out + rank * N, own}, *in = inputs[call % 3];
		for (uint64_t i = 0; i < N; i++)
			in[i] = (int32_t)(rank * 100000 + i + (uint64_t)call);
		status = sccl_selector_run(s, in, out, N, NULL);
		for (uint64_t i = 0; i < RING * N && status == SCCL_OK; i++)
			if (out[i] != (int32_t)(i / N * 100000 + i % N + (uint64_t)call))
				status = SCCL_STATUSES;
	}
	sccl_selector_free(s);
	sccl_memory_free(memory);
	sccl_comm_free(comm);
	free(own);
	return status;
}

static sccl_status_t share_any_inputs(uint32_t rank, const sccl_bootstrap_t *b)
{
	return share_inputs(rank, b, 0);
}

static sccl_status_t share_symmetric_inputs(uint32_t rank, const sccl_bootstrap_t *b)
{
	return share_inputs(rank, b, 1);
}

Test(selector, inputs_that_others_cannot_read_are_sent)
{
	expect_ok(in_threads, share_any_inputs);
}

/* Those who ask for symmetric memory alone have no second plan. */
Test(selector, they_are_refused_where_all_is_to_be_symmetric)
{
	struct outcome out[RING];
	in_threads(share_symmetric_inputs, out);
	for (int r = 0; r < RING; r++) {
		cr_expect(eq(int, out[r].status, SCCL_INVALID), "rank %d", r);
		cr_expect(ne(ptr, strstr(out[r].text, "the input, which the other ranks read, overlaps the output"), NULL), "%s", out[r].text);
	}
}

/* The second plan needs 2^32 - 1 chunks of scratch memory, more than can be mapped. */
static sccl_status_t lack_memory_for_plain(uint32_t rank, const sccl_bootstrap_t *b)
{
	sccl_program_t program = ring_allgather;
	const sccl_choice_t shared = {.program = &program, .most_bytes = UINT64_MAX, .protocol = SCCL_SHARED};
	sccl_comm_t *comm = NULL;
	sccl_selector_t *s = NULL;

	program.tables[SCCL_SHARED] = program.tables[SCCL_PLAIN];
	program.tables[SCCL_SHARED].reads_inputs = 1;
	program.tables[SCCL_PLAIN].scratch_slots = UINT32_MAX;
	sccl_status_t status = sccl_comm_create(&comm, rank, RING, b, NULL);
	if (status == SCCL_OK && sccl_selector_create(&s, comm, &shared, 1, SCCL_I32, SCCL_SUM, (uint64_t)1 << 20, NULL) != SCCL_NO_MEMORY)
		status = SCCL_STATUSES;
	if (status == SCCL_OK)
		status = s == NULL ? sccl_comm_status(comm, NULL, 0) : SCCL_STATUSES;
	sccl_selector_free(s);
	sccl_comm_free(comm);
	return status;
}

Test(selector, they_need_memory_for_the_second_plan)
{
	expect_ok(in_threads, lack_memory_for_plain);
}

/* The program has no packets. */
static sccl_status_t choose_what_is_not_there(uint32_t rank, const sccl_bootstrap_t *b)
{
	const sccl_choice_t choices[] = {{.program = &ring_allgather, .most_bytes = 4000, .protocol = SCCL_PACKETS},
					 {.program = &ring_allgather, .most_bytes = UINT64_MAX},
					 {.program = &ring_allgather, .most_bytes = 400, .protocol = SCCL_PACKETS}};
	sccl_comm_t *comm;
	sccl_selector_t *s = NULL;
	int32_t in[10] = {0}, out[10 * RING];
	sccl_choice_t choice;
	sccl_status_t status = sccl_comm_create(&comm, rank, RING, b, NULL);

	if (status == SCCL_OK && sccl_selector_create(&s, comm, choices, 1, SCCL_I32, SCCL_SUM, 10, NULL) != SCCL_UNSUPPORTED)
		status = SCCL_STATUSES;
	if (status == SCCL_OK)
		status = sccl_selector_create(&s, comm, choices, 3, SCCL_I32, SCCL_SUM, 10, NULL);
	if (status == SCCL_OK)
		status = sccl_selector_run(s, in, out, 10, NULL);
	if (status == SCCL_OK)
		status = sccl_selector_choice(s, 10, &choice, NULL, 0);
	if (status == SCCL_OK && choice.protocol != SCCL_PLAIN)
		status = SCCL_STATUSES;
	sccl_selector_free(s);
	sccl_comm_free(comm);
	return status;
}

Test(selector, a_choice_that_is_not_supported_leaves_the_others)
{
	expect_ok(in_threads, choose_what_is_not_there);
}

Test(selector, a_size_that_no_choice_is_for_is_refused)
{
	struct outcome out[RING];
	in_threads(too_many, out);
	for (int r = 0; r < RING; r++) {
		cr_expect(eq(int, out[r].status, SCCL_INVALID));
		cr_expect(eq(str, out[r].text, "no choice serves 101 elements"));
	}
}

static sccl_status_t read_text(const char *text, sccl_choice_t **choices, size_t *n)
{
	static const sccl_program_t *const programs[] = {&ring_reducescatter, &ring_allgather};
	char path[] = "/tmp/sccl-choices-XXXXXX";
	int file = mkstemp(path);

	cr_assert(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
	close(file);
	sccl_status_t status = sccl_choices_read(choices, n, path, programs, 2, "allgather", -1);
	unlink(path);
	return status;
}

Test(selector, a_table_gives_the_rows_of_its_collective)
{
	sccl_choice_t *choices;
	size_t n;
	char text[512];

	snprintf(text, sizeof text,
		 "# comment\n\n%s 4096 packets step 4 yes\n%s - plain one - no\nunknown 1 plain one - no\n%s - plain one - no\n",
		 ring_allgather.name, ring_allgather.name, ring_reducescatter.name);
	cr_assert(eq(int, read_text(text, &choices, &n), SCCL_OK), "%s", sccl_error_text());
	cr_assert(eq(sz, n, 2));
	cr_expect(choices[0].program == &ring_allgather && choices[0].most_bytes == 4096 && choices[0].blocks == 4 &&
		  choices[0].overlap == 1 && choices[0].protocol == SCCL_PACKETS && choices[0].mode == SCCL_KERNEL_A_STEP);
	cr_expect(choices[1].most_bytes == UINT64_MAX && choices[1].blocks == 0 && choices[1].mode == SCCL_ONE_KERNEL);
	sccl_choices_free(choices);
}

Test(selector, what_is_no_table_is_told_with_its_line)
{
	static const struct {
		const char *text, *wrong;
	} bad[] = {
		{"a 1 plain one 1\n", ":1: must be six fields"},
		{"a 1 plain one 1 no more\n", ":1: must be six fields"},
		{"\n#\na x plain one 1 no\n", ":3: must be a number of bytes or -, not \"x\""},
		{"a -1 plain one 1 no\n", "a number of bytes"},
		{"a 99999999999999999999999 plain one 1 no\n", "a number of bytes"},
		{"a 1 fast one 1 no\n", "there is no protocol \"fast\""},
		{"a 1 plain two 1 no\n", "there is no kernel mode \"two\""},
		{"a 1 plain one 0 no\n", "1 to 1024 blocks"},
		{"a 1 plain one 2000 no\n", "1 to 1024 blocks"},
		{"a 1 plain one 1 perhaps\n", "must be yes or no, not \"perhaps\""},
	};
	sccl_choice_t *choices;
	size_t n;
	char *lines = calloc(1, 2000);

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		cr_expect(eq(int, read_text(bad[i].text, &choices, &n), SCCL_INVALID), "%s", bad[i].text);
		cr_expect(ne(ptr, strstr(sccl_error_text(), bad[i].wrong), NULL), "%s", sccl_error_text());
		cr_expect(eq(ptr, choices, NULL));
	}
	memset(lines, 'a', 1990);
	cr_expect(eq(int, read_text(lines, &choices, &n), SCCL_INVALID));
	cr_expect(ne(ptr, strstr(sccl_error_text(), ":1: the line is too long"), NULL), "%s", sccl_error_text());
	free(lines);
	cr_expect(eq(int, sccl_choices_read(&choices, &n, "/nonexistent/table", NULL, 0, "allgather", -1), SCCL_SYSTEM));
}

Test(selector, a_pipe_in_place_of_a_table_is_not_waited_for)
{
	char folder[] = "/tmp/sccl-table-XXXXXX", path[64];
	sccl_choice_t *choices;
	size_t n;

	cr_assert(mkdtemp(folder) != NULL);
	snprintf(path, sizeof path, "%s/table", folder);
	cr_assert(eq(int, mkfifo(path, 0600), 0));
	alarm(20);
	cr_expect(eq(int, sccl_choices_read(&choices, &n, path, NULL, 0, "allgather", -1), SCCL_SYSTEM));
	cr_expect(eq(int, sccl_choices_read(&choices, &n, folder, NULL, 0, "allgather", -1), SCCL_SYSTEM));
	alarm(0);
	unlink(path);
	rmdir(folder);
}
