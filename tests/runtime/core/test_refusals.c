#include "runtime/core/plan.h"
#include "tests/runtime/ring.h"

#include <sccl/sccl.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

TestSuite(refusals, .description = "arguments that cannot be served end a call with a status and a line, and nothing else", .timeout = 60);

enum { MOST = 64 };

/* A call that must be refused, with these words in its line. */
static void refused(sccl_status_t wanted, const char *words, sccl_status_t status, const char *call)
{
	cr_expect(status == wanted, "%s: %s", call, sccl_status_text(status));
	cr_expect(strstr(sccl_error_text(), words) != NULL, "%s: \"%s\" lacks \"%s\"", call, sccl_error_text(), words);
}
#define REFUSED(status, words, call) refused(status, words, call, #call)

Test(refusals, names_of_what_there_is_not)
{
	cr_expect(strcmp(sccl_status_text(SCCL_OK), sccl_status_text((sccl_status_t)-1)) != 0);
	cr_expect(strstr(sccl_status_text(SCCL_STATUSES), "no such") != NULL);
	cr_expect(sccl_dtype_size(SCCL_DTYPES) == 0);
}

Test(refusals, places_that_are_missing)
{
	sccl_comm_t *comm = NULL, *pair[2] = {NULL};
	sccl_group_t *group = NULL;
	sccl_bootstrap_t bootstrap = {0};
	sccl_choice_t *choices = NULL;
	sccl_selector_t *selector = NULL;
	sccl_memory_t *memory = NULL;
	sccl_plan_t *plan = NULL;
	char text[100];
	size_t n;

	REFUSED(SCCL_INVALID, "place", sccl_comm_create(NULL, 0, 1, NULL, NULL));
	REFUSED(SCCL_INVALID, "bootstrap", sccl_comm_create(&comm, 0, 1, &bootstrap, NULL));
	REFUSED(SCCL_INVALID, "needs", sccl_comm_split(NULL, NULL, 0, 0));
	REFUSED(SCCL_INVALID, "needs", sccl_comm_shrink(&comm, NULL, NULL, 0));
	REFUSED(SCCL_INVALID, "needs", sccl_comm_status(NULL, text, sizeof text));
	REFUSED(SCCL_INVALID, "place", sccl_group_create(NULL, 2, 1));
	REFUSED(SCCL_INVALID, "needs", sccl_group_join(group, 0, &bootstrap));
	REFUSED(SCCL_INVALID, "needs", sccl_socket_open(&bootstrap, NULL, 0, 2, 1));
	REFUSED(SCCL_INVALID, "place", sccl_memory_create(NULL, NULL, 8));
	REFUSED(SCCL_INVALID, "communicator", sccl_memory_create(&memory, NULL, 8));
	REFUSED(SCCL_INVALID, "needs", sccl_memory_register(&memory, NULL, NULL, 8));
	REFUSED(SCCL_INVALID, "needs", sccl_memories_create(NULL, pair, 2, NULL, 8));
	REFUSED(SCCL_INVALID, "needs", sccl_plan_create(NULL, NULL, &ring_allgather, SCCL_I32, SCCL_SUM, 1, NULL));
	REFUSED(SCCL_INVALID, "needs", sccl_plans_create(NULL, pair, 2, &ring_allgather, SCCL_I32, SCCL_SUM, 1, NULL));
	REFUSED(SCCL_INVALID, "needs", sccl_plan_describe(plan, text, sizeof text));
	REFUSED(SCCL_INVALID, "needs", sccl_plan_factor(plan, NULL));
	REFUSED(SCCL_INVALID, "needs", sccl_run(plan, NULL, NULL, 0, NULL));
	REFUSED(SCCL_INVALID, "needs", sccl_run_all(NULL, 2, NULL, NULL, 0, NULL));
	REFUSED(SCCL_INVALID, "needs", sccl_choices_read(&choices, &n, NULL, NULL, 0, "allgather", -1));
	REFUSED(SCCL_INVALID, "needs", sccl_choices_cost(&choices, &n, NULL, 0, "allgather", -1, -1, 1));
	REFUSED(SCCL_INVALID, "needs", sccl_selector_create(&selector, NULL, NULL, 0, SCCL_I32, SCCL_SUM, 1, NULL));
	REFUSED(SCCL_INVALID, "missing", sccl_selector_factor(selector, NULL));
	REFUSED(SCCL_INVALID, "missing", sccl_selector_choice(selector, 1, NULL, text, sizeof text));
	sccl_comm_abort(NULL);
	sccl_comm_free(NULL);
	sccl_memory_free(NULL);
	sccl_plan_free(NULL);
	sccl_selector_free(NULL);
	sccl_group_free(NULL);
}

Test(refusals, options_of_communicators)
{
	static const sccl_carrier_t carrier;
	sccl_comm_t *comms[1] = {NULL};

	REFUSED(SCCL_INVALID, "one communicator or more", sccl_comms_create(comms, 0, NULL, NULL));
	REFUSED(SCCL_INVALID, "blocks", sccl_comms_create(comms, 1, NULL, &(sccl_comm_options_t){.max_blocks = 1 << 20}));
	REFUSED(SCCL_INVALID, "timeout", sccl_comms_create(comms, 1, NULL, &(sccl_comm_options_t){.timeout = -1}));
	REFUSED(SCCL_INVALID, "timeout", sccl_comms_create(comms, 1, NULL, &(sccl_comm_options_t){.timeout = NAN}));
	REFUSED(SCCL_UNSUPPORTED, "abacus", sccl_comms_create(comms, 1, NULL, &(sccl_comm_options_t){.target = "abacus"}));
	REFUSED(SCCL_INVALID, "2^32", sccl_comms_create(comms, 1, NULL, &(sccl_comm_options_t){.message_bytes = ((size_t)1 << 32) + 1}));
	REFUSED(SCCL_UNSUPPORTED, "do not reach other servers",
		sccl_comms_create(comms, 1, NULL, &(sccl_comm_options_t){.message_bytes = 64, .carrier = &carrier}));
	cr_expect(comms[0] == NULL);
}

Test(refusals, ranks_that_there_are_not)
{
	sccl_group_t *group;
	sccl_bootstrap_t bootstrap;
	sccl_comm_t *comm = NULL;

	cr_assert(sccl_group_create(&group, 1, 5) == SCCL_OK && sccl_group_join(group, 0, &bootstrap) == SCCL_OK, "%s", sccl_error_text());
	REFUSED(SCCL_INVALID, "not 0", sccl_comm_create(&comm, 0, 0, &bootstrap, NULL));
	REFUSED(SCCL_INVALID, "not 1000000", sccl_comm_create(&comm, 0, 1000000, &bootstrap, NULL));
	REFUSED(SCCL_INVALID, "no rank 1 of 1", sccl_comm_create(&comm, 1, 1, &bootstrap, NULL));
	cr_expect(comm == NULL);
	cr_expect(sccl_group_join(group, 1, &bootstrap) != SCCL_OK);
	sccl_group_free(group);
}

Test(refusals, memories)
{
	sccl_comm_t *comm[1] = {NULL};
	sccl_memory_t *memory = NULL;

	cr_assert(sccl_comms_create(comm, 1, NULL, NULL) == SCCL_OK, "%s", sccl_error_text());
	REFUSED(SCCL_INVALID, "more than 0", sccl_memory_create(&memory, comm[0], 0));
	REFUSED(SCCL_INVALID, "missing", sccl_memory_register(&memory, comm[0], NULL, 8));
	cr_expect(memory == NULL && sccl_memory_at(memory, 0) == NULL);
	sccl_comms_free(comm, 1);
}

/* ---- plans and calls of four ranks ---- */

struct table_of_four {
	sccl_comm_t *comms[RING];
	sccl_plan_t *plans[RING];
	sccl_memory_t *memories[RING];
	int32_t in[MOST], out[RING * MOST];
};

static void open_four(struct table_of_four *t)
{
	*t = (struct table_of_four){0};
	cr_assert(sccl_comms_create(t->comms, RING, NULL, NULL) == SCCL_OK, "%s", sccl_error_text());
	cr_assert(sccl_memories_create(t->memories, t->comms, RING, NULL, sizeof t->out) == SCCL_OK, "%s", sccl_error_text());
	cr_assert(sccl_plans_create(t->plans, t->comms, RING, &ring_allgather, SCCL_I32, SCCL_SUM, MOST, NULL) == SCCL_OK, "%s",
		  sccl_error_text());
}

static void close_four(struct table_of_four *t)
{
	for (int r = 0; r < RING; r++) {
		sccl_plan_free(t->plans[r]);
		sccl_memory_free(t->memories[r]);
	}
	sccl_comms_free(t->comms, RING);
}

static sccl_status_t plans_of(struct table_of_four *t, const sccl_program_t *p, sccl_dtype_t type, sccl_op_t op, uint64_t most,
			      const sccl_plan_options_t *o)
{
	sccl_plan_t *plans[RING] = {NULL};
	sccl_status_t status = sccl_plans_create(plans, t->comms, RING, p, type, op, most, o);

	for (int r = 0; r < RING; r++)
		cr_expect(plans[r] == NULL);
	return status;
}

Test(refusals, programs_and_choices_of_plans)
{
	static const uint32_t beyond[][2] = {{0, RING}};
	struct table_of_four t;
	sccl_program_t p = ring_allgather;

	open_four(&t);
	p.abi++;
	REFUSED(SCCL_UNSUPPORTED, "generate it again", plans_of(&t, &p, SCCL_I32, SCCL_SUM, 1, NULL));
	p = ring_allgather;
	p.cuts = NULL;
	REFUSED(SCCL_INVALID, "incomplete", plans_of(&t, &p, SCCL_I32, SCCL_SUM, 1, NULL));
	p = ring_allgather;
	p.target = "abacus";
	REFUSED(SCCL_UNSUPPORTED, "abacus", plans_of(&t, &p, SCCL_I32, SCCL_SUM, 1, NULL));
	p = ring_allgather;
	p.ranks--;
	REFUSED(SCCL_INVALID, "ranks", plans_of(&t, &p, SCCL_I32, SCCL_SUM, 1, NULL));
	p = ring_allgather;
	p.connections = beyond;
	p.n_connections = 1;
	REFUSED(SCCL_INVALID, "does not have", plans_of(&t, &p, SCCL_I32, SCCL_SUM, 1, NULL));
	p = ring_allgather;
	REFUSED(SCCL_INVALID, "program", plans_of(&t, NULL, SCCL_I32, SCCL_SUM, 1, NULL));
	REFUSED(SCCL_INVALID, "data type", plans_of(&t, &p, SCCL_DTYPES, SCCL_SUM, 1, NULL));
	REFUSED(SCCL_INVALID, "operation", plans_of(&t, &p, SCCL_I32, SCCL_OPS, 1, NULL));
	REFUSED(SCCL_INVALID, "protocol", plans_of(&t, &p, SCCL_I32, SCCL_SUM, 1, &(sccl_plan_options_t){.protocol = SCCL_PROTOCOLS}));
	REFUSED(SCCL_INVALID, "2^40", plans_of(&t, &p, SCCL_I32, SCCL_SUM, (uint64_t)1 << 41, NULL));
	REFUSED(SCCL_INVALID, "blocks", plans_of(&t, &p, SCCL_I32, SCCL_SUM, 1, &(sccl_plan_options_t){.blocks = 1 << 20}));
	REFUSED(SCCL_UNSUPPORTED, "copy engines", plans_of(&t, &p, SCCL_I32, SCCL_SUM, 1,
							   &(sccl_plan_options_t){.protocol = SCCL_PACKETS, .mode = SCCL_COPY_ENGINES}));
	close_four(&t);
}

/* A refused call ends the communicator: the next one says the same. INSIDE: bytes into rank 0's memory; -1: OUT as it is. */
static void refused_call(const char *words, size_t in_at, long inside, bool without_in, bool without_out, uint64_t count)
{
	struct table_of_four t;

	open_four(&t);
	const void *in = without_in ? NULL : (const char *)t.in + in_at;
	void *out = without_out ? NULL : inside >= 0 ? sccl_memory_at(t.memories[0], (size_t)inside) : t.out;
	for (int i = 0; i < 2; i++)
		REFUSED(SCCL_INVALID, words, sccl_run(t.plans[0], in, out, count, NULL));
	cr_expect(sccl_comm_status(t.comms[0], NULL, 0) == SCCL_INVALID);
	close_four(&t);
}

Test(refusals, buffers_of_calls)
{
	refused_call("more than the plan's", 0, -1, false, false, MOST + 1);
	refused_call("the input of 256 bytes is missing", 0, -1, true, false, MOST);
	refused_call("the output of 1024 bytes is missing", 0, -1, false, true, MOST);
	refused_call("not aligned", 1, -1, false, false, MOST - 1);
	refused_call("end beyond", 0, 4, false, false, MOST);
}

/* ---- programs whose ranks read each other's inputs, and sums with factors ---- */

/* PROGRAM with its plain table under PROTOCOL as well. */
static sccl_program_t with_table(const sccl_program_t *program, sccl_protocol_t protocol, uint32_t reads_inputs)
{
	sccl_program_t p = *program;

	p.tables[protocol] = p.tables[SCCL_PLAIN];
	p.tables[protocol].reads_inputs = reads_inputs;
	return p;
}

Test(refusals, inputs_that_others_read)
{
	static const struct {
		const char *words;
		long in, out; /* in rank 0's memory; -1: elsewhere */
	} rows[] = {
		{"the input is not in symmetric memory, where the other ranks read it", -1, 0},
		{"the input's 256 bytes end beyond the symmetric memory that it begins in", RING * MOST * 4 - 128, 0},
		{"the input, which the other ranks read, overlaps the output", 512, 0},
		{"the input, which the other ranks read, overlaps the output", 0, 0},
	};
	const sccl_program_t shared = with_table(&ring_allgather, SCCL_SHARED, 1);

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct table_of_four t;
		sccl_plan_t *plans[RING];
		open_four(&t);
		cr_assert(sccl_plans_create(plans, t.comms, RING, &shared, SCCL_I32, SCCL_SUM, MOST, &(sccl_plan_options_t){.protocol = SCCL_SHARED}) == SCCL_OK,
			  "%s", sccl_error_text());
		const void *in = rows[i].in < 0 ? (const void *)t.in : sccl_memory_at(t.memories[0], (size_t)rows[i].in);
		REFUSED(SCCL_INVALID, rows[i].words, sccl_run(plans[0], in, sccl_memory_at(t.memories[0], (size_t)rows[i].out), MOST, NULL));
		for (int r = 0; r < RING; r++)
			sccl_plan_free(plans[r]);
		close_four(&t);
	}
}

Test(refusals, sums_with_factors)
{
	static const struct {
		const char *collective, *words;
		sccl_protocol_t protocol;
		sccl_dtype_t type;
		sccl_op_t op;
		bool fails;
	} rows[] = {
		{"reducescatter", NULL, SCCL_PLAIN, SCCL_F32, SCCL_AVG, false},
		{"reducescatter", NULL, SCCL_PLAIN, SCCL_F32, SCCL_PREMUL_SUM, false},
		{"scan", "a scan has no averages: its sums are not of all ranks", SCCL_PLAIN, SCCL_F32, SCCL_AVG, true},
		{"scan", NULL, SCCL_PLAIN, SCCL_F32, SCCL_PREMUL_SUM, false},
		{"reducescatter", NULL, SCCL_SHARED, SCCL_I32, SCCL_AVG, false},
		{"reducescatter", "shared inputs are read as they are, and avg of f32 multiplies them first", SCCL_SHARED, SCCL_F32, SCCL_AVG, true},
		{"reducescatter", "shared inputs are read as they are, and premulsum of i32 multiplies", SCCL_SHARED, SCCL_I32, SCCL_PREMUL_SUM, true},
		{"reducescatter", "switches add inputs as they are, and in their type: no avg of i32", SCCL_MULTIMEM, SCCL_I32, SCCL_AVG, true},
		{"reducescatter", "no sum of f8e4m3", SCCL_MULTIMEM, SCCL_F8E4M3, SCCL_SUM, true},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct table_of_four t;
		sccl_plan_t *plans[RING] = {NULL};
		sccl_program_t p = with_table(&ring_reducescatter, rows[i].protocol, 0);
		p.collective = rows[i].collective;
		open_four(&t);
		sccl_status_t status = sccl_plans_create(plans, t.comms, RING, &p, rows[i].type, rows[i].op, MOST,
							 &(sccl_plan_options_t){.protocol = rows[i].protocol});
		if (rows[i].fails)
			REFUSED(SCCL_UNSUPPORTED, rows[i].words, status);
		else
			cr_expect(status == SCCL_OK, "row %zu: %s", i, sccl_error_text());
		for (int r = 0; r < RING; r++)
			sccl_plan_free(plans[r]);
		close_four(&t);
	}
}

/* Stored as the bits of f32, the type that sums of such are made in. */
Test(refusals, factors_that_are_infinite_or_no_numbers)
{
	static const struct {
		sccl_dtype_t type;
		uint16_t bits;
		uint64_t factor;
	} rows[] = {
		{SCCL_F16, 0x3c00, 0x3f800000},    {SCCL_F16, 0x7c00, 0x7f800000},    {SCCL_F16, 0xfc00, 0xff800000},
		{SCCL_F16, 0x7e00, 0x7fc00000},    {SCCL_F8E5M2, 0x7c, 0x7f800000},   {SCCL_F8E5M2, 0xfe, 0xffc00000},
		{SCCL_F8E4M3, 0x7e, 0x43e00000},   {SCCL_F8E4M3, 0x7f, 0x7fc00000},   {SCCL_F8E4M3, 0xff, 0xffc00000},
		{SCCL_BF16, 0x7f80, 0x7f800000},
	};
	struct table_of_four t;

	open_four(&t);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		sccl_plan_t *plans[RING];
		uint8_t byte = (uint8_t)rows[i].bits;
		cr_assert(sccl_plans_create(plans, t.comms, RING, &ring_reducescatter, rows[i].type, SCCL_PREMUL_SUM, 1, NULL) == SCCL_OK, "%s",
			  sccl_error_text());
		cr_assert(sccl_plan_factor(plans[0], sccl_dtype_size(rows[i].type) == 1 ? (const void *)&byte : &rows[i].bits) == SCCL_OK);
		cr_expect(plans[0]->factor == rows[i].factor, "row %zu: %llx", i, (unsigned long long)plans[0]->factor);
		for (int r = 0; r < RING; r++)
			sccl_plan_free(plans[r]);
	}
	close_four(&t);
}

/* A sum of some of the ranks multiplies an input where other sends still read it, in place. */
Test(refusals, sums_of_some_ranks_in_place)
{
	struct table_of_four t;
	sccl_plan_t *plans[RING];
	float data[RING * MOST] = {0};
	sccl_program_t p = ring_reducescatter;

	p.collective = "scan";
	open_four(&t);
	cr_assert(sccl_plans_create(plans, t.comms, RING, &p, SCCL_F32, SCCL_PREMUL_SUM, MOST, NULL) == SCCL_OK, "%s", sccl_error_text());
	cr_expect(sccli_may_overlap(plans[0], 0, MOST, sizeof *data, data, data + RING * MOST));
	cr_expect(sccli_may_overlap(plans[0], 0, MOST, sizeof *data, data, data) == false);
	for (int r = 0; r < RING; r++)
		sccl_plan_free(plans[r]);
	close_four(&t);
}

Test(refusals, measurements)
{
	sccl_choice_t *choices = NULL;
	sccl_comm_t *comm[1] = {NULL};
	const sccl_program_t *programs[] = {&ring_allgather};
	size_t n = 0;

	cr_assert(sccl_comms_create(comm, 1, NULL, NULL) == SCCL_OK, "%s", sccl_error_text());
	REFUSED(SCCL_INVALID, "needs a communicator", sccl_choices_measure(&choices, &n, NULL, programs, 1, "allgather", -1, SCCL_I32, SCCL_SUM, 8));
	REFUSED(SCCL_INVALID, "needs a communicator", sccl_choices_measure(&choices, &n, comm[0], NULL, 1, "allgather", -1, SCCL_I32, SCCL_SUM, 8));
	REFUSED(SCCL_INVALID, "a type", sccl_choices_measure(&choices, &n, comm[0], programs, 1, "allgather", -1, SCCL_DTYPES, SCCL_SUM, 8));
	REFUSED(SCCL_INVALID, "an operation", sccl_choices_measure(&choices, &n, comm[0], programs, 1, "allgather", -1, SCCL_I32, SCCL_OPS, 8));
	cr_expect(choices == NULL && n == 0);
	sccl_comms_free(comm, 1);
}

Test(refusals, what_is_beyond_a_memory_and_factors)
{
	struct table_of_four t;

	open_four(&t);
	cr_expect(sccl_memory_at(t.memories[0], sizeof t.out) != NULL);
	cr_expect(sccl_memory_at(t.memories[0], sizeof t.out + 1) == NULL);
	REFUSED(SCCL_INVALID, "factor", sccl_plan_factor(t.plans[0], t.in));
	close_four(&t);
}
