#include "tests/runtime/ranks.h"
#include "tests/runtime/ring.h"
#include "tests/runtime/spy.h"

#include "runtime/core/comm.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(texts, .description = "what people read is text", .timeout = 60);

/* One line that any terminal prints as it stands; U+0080 to U+009F are commands to some. */
static bool is_plain(const char *text)
{
	for (const unsigned char *c = (const unsigned char *)text; *c; c++)
		if (*c < 0x20 || *c == 0x7f || *c == 0xff || (*c == 0xc2 && c[1] < 0xa0))
			return false;
	return true;
}

static bool says(const char *text)
{
	return strstr(sccl_error_text(), text) && is_plain(sccl_error_text());
}

static sccl_status_t read_choices(const char *path)
{
	sccl_choice_t *choices;
	size_t n;
	return sccl_choices_read(&choices, &n, path, NULL, 0, "allgather", -1);
}

Test(texts, no_byte_of_a_name_reaches_a_terminal_as_a_command)
{
	for (int byte = 1; byte < 256; byte++) {
		char path[] = "/none/a?b", wanted[] = "/none/a?b";
		path[7] = (char)byte;
		wanted[7] = byte < 0x20 || byte >= 0x7f ? '?' : (char)byte;
		cr_expect(eq(int, read_choices(path), SCCL_SYSTEM));
		cr_expect(says(wanted), "byte %d: %s", byte, sccl_error_text());
	}
}

Test(texts, what_is_no_letter_is_a_question_mark)
{
	static const char *const cases[][2] = {
		{"/none/\xc3\xa9", "/none/\xc3\xa9:"},           /* é stays */
		{"/none/\xf0\x9f\x98\x80", "/none/\xf0\x9f\x98\x80:"},
		{"/none/\xc2\x9b" "2J", "/none/??2J:"},             /* U+009B, a terminal's escape in one letter */
		{"/none/\x1b[2J\x07", "/none/?[2J?:"},
		{"/none/\xc0\xaf", "/none/??:"},                   /* too long a form */
		{"/none/\xed\xa0\x80", "/none/???:"},              /* half a pair */
		{"/none/\xf4\x90\x80\x80", "/none/????:"},         /* beyond the last */
		{"/none/\xe2\x82", "/none/??:"},                   /* cut */
		{"/none/a\nsccl: b", "/none/a?sccl: b:"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		cr_expect(eq(int, read_choices(cases[i][0]), SCCL_SYSTEM));
		cr_expect(says(cases[i][1]), "%s", sccl_error_text());
	}
}

static sccl_status_t other_target(uint32_t rank, const sccl_bootstrap_t *b)
{
	sccl_comm_t *comm;
	sccl_comm_options_t options = {.target = rank == 2 ? "c\x1b[31mda\x9b" : "host"};
	return sccl_comm_create(&comm, rank, RING, b, &options);
}

Test(texts, arguments_and_paths_are_plain_on_every_rank)
{
	struct outcome out[RING];
	sccl_bootstrap_t b;

	in_threads(other_target, out);
	for (int r = 0; r < RING; r++) {
		cr_expect(ne(ptr, strstr(out[r].text, "there is no target \"c?[31mda?\""), NULL), "%s", out[r].text);
		cr_expect(is_plain(out[r].text));
	}
	cr_expect(eq(int, sccl_socket_open(&b, "/none/\x1b]0;x\x07", 0, 2, 1), SCCL_BOOTSTRAP));
	cr_expect(says("/none/?]0;x?"), "%s", sccl_error_text());
}

/* Another rank's words: in answers, and on the board of what ended a communicator. */
static void forge_text(void *context, unsigned char *blob, size_t bytes, bool own)
{
	(void)context;
	for (size_t i = 0; i < bytes && !own; i++)
		blob[i] = i % 2 ? '\x1b' : 'x';
}

static void forge_nothing(void *context, unsigned char *blob, size_t bytes, bool own)
{
	(void)context, (void)blob, (void)bytes, (void)own;
}

Test(texts, other_ranks_words_are_plain)
{
	struct forger f = {.rank = 1, .ranks = 2, .forge = forge_text};
	sccl_bootstrap_t b = forger_bootstrap(&f);
	sccl_comm_t *comm;
	char text[2000];

	cr_expect(ne(int, sccl_comm_create(&comm, 1, 2, &b, NULL), SCCL_OK));
	cr_expect(says("rank 0: "), "%s", sccl_error_text());
	f = (struct forger){.rank = 0, .ranks = 1, .forge = forge_nothing};
	cr_assert(eq(int, sccl_comm_create(&comm, 0, 1, &b, NULL), SCCL_OK));
	struct board *board = comm_board(comm, 0);
	snprintf(board->fault_text, sizeof board->fault_text, "\x1b[2J\xff\n");
	board->fault_status = SCCL_TIMEOUT;
	board->fault = 2;
	board->abort_word = 1;
	cr_expect(eq(int, sccl_comm_status(comm, text, sizeof text), SCCL_TIMEOUT));
	cr_expect(eq(str, text, "?[2J??"));
	sccl_comm_free(comm);
}

/* Pieces of copies are told where there are several. */
Test(texts, plans_tell_their_mode_and_blocks)
{
	static const struct {
		sccl_plan_options_t options;
		const char *text;
	} rows[] = {
		{{.blocks = 3}, " of 3 blocks at once;"}, /* how many, depends on the computer */
		{{.mode = SCCL_COPY_ENGINES, .blocks = 3}, ": i32, plain, copy engines, 3 blocks;"},
		{{.mode = SCCL_COPY_ENGINES}, ": i32, plain, copy engines;"},
	};
	sccl_comm_t *comms[RING];
	char text[512];

	cr_assert(eq(int, sccl_comms_create(comms, RING, NULL, NULL), SCCL_OK), "%s", sccl_error_text());
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		sccl_plan_t *plans[RING];
		cr_assert(eq(int, sccl_plans_create(plans, comms, RING, &ring_allgather, SCCL_I32, SCCL_SUM, 10, &rows[i].options), SCCL_OK),
		          "%s", sccl_error_text());
		cr_expect(eq(int, sccl_plan_describe(plans[1], text, sizeof text), SCCL_OK));
		cr_expect(ne(ptr, strstr(text, rows[i].text), NULL), "%s", text);
		for (int r = 0; r < RING; r++)
			sccl_plan_free(plans[r]);
	}
	sccl_comms_free(comms, RING);
}

static sccl_status_t choose(uint32_t rank, const sccl_bootstrap_t *b)
{
	sccl_program_t odd = ring_allgather;
	sccl_choice_t choice = {.program = &odd, .most_bytes = UINT64_MAX};
	sccl_comm_t *comm;
	sccl_selector_t *selector = NULL;
	char text[512] = "";

	odd.name = "a\x1b[2J\xfe";
	sccl_status_t status = sccl_comm_create(&comm, rank, RING, b, NULL);
	if (status == SCCL_OK)
		status = sccl_selector_create(&selector, comm, &choice, 1, SCCL_F32, SCCL_SUM, 10, NULL);
	if (status == SCCL_OK)
		status = sccl_selector_choice(selector, 10, NULL, text, sizeof text);
	if (status == SCCL_OK && (!strstr(text, "a?[2J?") || !is_plain(text)))
		status = SCCL_STATUSES;
	sccl_selector_free(selector);
	sccl_comm_free(comm);
	return status;
}

Test(texts, names_of_programs_are_plain)
{
	struct outcome out[RING];

	in_threads(choose, out);
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, out[r].status, SCCL_OK), "rank %d: %s", r, out[r].text);
}
