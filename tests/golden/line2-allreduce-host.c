/*
 * line_2_allreduce_c2_s2_r4_hand for host, written by sccl-synth 0.1.0.
 *
 * allreduce on line_2: 2 ranks, 2 chunks, 2 steps, 4 rounds.
 * Cost: 2 alpha + 2 L beta, L the size of one rank's input.
 * Scratch: 1 slot of one chunk each; with packets 1, and 2 packet slots, twice as large.
 */

#include <sccl/device.h>
#include <sccl/program.h>

/* How chunks 0, 1, ... are cut out of L: block, number of blocks, part of the block, number of parts. */
static const sccl_chunk_t cuts[] = {
	{0, 1, 0, 2},
	{0, 1, 1, 2},
};

/*
 * What each rank does, with flags: SCCL_COPY(step, chunk, targets) from, to...; SCCL_REDUCE(step, chunk, sources,
 * targets) from..., to..., or SCCL_TOTAL if the result is that of all ranks; SCCL_SIGNAL and SCCL_WAIT(step, peer, number).
 */

static const uint32_t plain_0[] = {
	SCCL_FLAGS(0, 1),
	SCCL_OFFER(0, 1),
	/* step 1 of 2: 2 rounds */
	SCCL_FLAGS(1, 1),
	SCCL_CREDIT(1, 1),
	SCCL_MOVES(1, 1), 4, 12,
	SCCL_COPY(1, 1, 1), SCCL_INPUT(0), SCCL_SCRATCH(1, 0),
	SCCL_SYNC(1),
	SCCL_FLAGS(1, 1),
	SCCL_SIGNAL(1, 1, 1),
	/* step 2 of 2: 2 rounds */
	SCCL_FLAGS(2, 1),
	SCCL_WAIT(2, 1, 1),
	SCCL_MOVES(2, 1), 4, 16,
	SCCL_TOTAL(2, 0, 2, 2), SCCL_INPUT(0), SCCL_SCRATCH(0, 0), SCCL_OUTPUT(0, 0), SCCL_OUTPUT(1, 0),
	SCCL_SYNC(2),
	SCCL_FLAGS(2, 1),
	SCCL_SIGNAL(2, 1, 2),
	SCCL_FLAGS(2, 1),
	SCCL_WAIT(2, 1, 2),
	SCCL_END,
};

static const uint32_t plain_1[] = {
	SCCL_FLAGS(0, 1),
	SCCL_OFFER(0, 0),
	/* step 1 of 2: 2 rounds */
	SCCL_FLAGS(1, 1),
	SCCL_CREDIT(1, 0),
	SCCL_MOVES(1, 1), 4, 12,
	SCCL_COPY(1, 0, 1), SCCL_INPUT(0), SCCL_SCRATCH(0, 0),
	SCCL_SYNC(1),
	SCCL_FLAGS(1, 1),
	SCCL_SIGNAL(1, 0, 1),
	/* step 2 of 2: 2 rounds */
	SCCL_FLAGS(2, 1),
	SCCL_WAIT(2, 0, 1),
	SCCL_MOVES(2, 1), 4, 16,
	SCCL_TOTAL(2, 1, 2, 2), SCCL_SCRATCH(1, 0), SCCL_INPUT(0), SCCL_OUTPUT(1, 0), SCCL_OUTPUT(0, 0),
	SCCL_SYNC(2),
	SCCL_FLAGS(2, 1),
	SCCL_SIGNAL(2, 0, 2),
	SCCL_FLAGS(2, 1),
	SCCL_WAIT(2, 0, 2),
	SCCL_END,
};

static const uint32_t *const plain_words[] = {
	plain_0,
	plain_1,
};

static const uint32_t plain_lengths[] = {
	61,
	61,
};

/* What each rank does, with packets: reading SCCL_PACKET(sender, i) waits for it. */

static const uint32_t packets_0[] = {
	SCCL_FLAGS(0, 1),
	SCCL_RARE_CREDIT(0, 1),
	/* step 1 of 2: 2 rounds */
	SCCL_MOVES(1, 1), 4, 12,
	SCCL_COPY(1, 1, 1), SCCL_INPUT(0), SCCL_PACKET(1, 0),
	/* step 2 of 2: 2 rounds */
	SCCL_MOVES(2, 2), 5, 17, 25,
	SCCL_TOTAL(2, 0, 2, 2), SCCL_INPUT(0), SCCL_PACKET(1, 0), SCCL_OUTPUT(0, 0), SCCL_PACKET(1, 1),
	SCCL_COPY(2, 1, 1), SCCL_PACKET(1, 1), SCCL_OUTPUT(0, 0),
	SCCL_SYNC(2),
	SCCL_FLAGS(2, 1),
	SCCL_RARE_OFFER(2, 1),
	SCCL_END,
};

static const uint32_t packets_1[] = {
	SCCL_FLAGS(0, 1),
	SCCL_RARE_CREDIT(0, 0),
	/* step 1 of 2: 2 rounds */
	SCCL_MOVES(1, 1), 4, 12,
	SCCL_COPY(1, 0, 1), SCCL_INPUT(0), SCCL_PACKET(0, 0),
	/* step 2 of 2: 2 rounds */
	SCCL_MOVES(2, 2), 5, 17, 25,
	SCCL_TOTAL(2, 1, 2, 2), SCCL_PACKET(0, 0), SCCL_INPUT(0), SCCL_OUTPUT(1, 0), SCCL_PACKET(0, 1),
	SCCL_COPY(2, 0, 1), SCCL_PACKET(0, 1), SCCL_OUTPUT(1, 0),
	SCCL_SYNC(2),
	SCCL_FLAGS(2, 1),
	SCCL_RARE_OFFER(2, 0),
	SCCL_END,
};

static const uint32_t *const packets_words[] = {
	packets_0,
	packets_1,
};

static const uint32_t packets_lengths[] = {
	49,
	49,
};

/* What each rank does, with flags and inputs that others read: SCCL_INPUT_OF(rank, i). */

static const uint32_t shared_0[] = {
	/* step 1 of 2: 2 rounds */
	SCCL_FLAGS(1, 1),
	SCCL_SIGNAL(1, 1, 1),
	/* step 2 of 2: 2 rounds */
	SCCL_FLAGS(2, 1),
	SCCL_WAIT(2, 1, 1),
	SCCL_MOVES(2, 1), 4, 16,
	SCCL_TOTAL(2, 0, 2, 2), SCCL_INPUT(0), SCCL_INPUT_OF(1, 0), SCCL_OUTPUT(0, 0), SCCL_OUTPUT(1, 0),
	SCCL_SYNC(2),
	SCCL_FLAGS(2, 1),
	SCCL_SIGNAL(2, 1, 2),
	SCCL_FLAGS(2, 1),
	SCCL_WAIT(2, 1, 2),
	SCCL_END,
};

static const uint32_t shared_1[] = {
	/* step 1 of 2: 2 rounds */
	SCCL_FLAGS(1, 1),
	SCCL_SIGNAL(1, 0, 1),
	/* step 2 of 2: 2 rounds */
	SCCL_FLAGS(2, 1),
	SCCL_WAIT(2, 0, 1),
	SCCL_MOVES(2, 1), 4, 16,
	SCCL_TOTAL(2, 1, 2, 2), SCCL_INPUT_OF(0, 0), SCCL_INPUT(0), SCCL_OUTPUT(1, 0), SCCL_OUTPUT(0, 0),
	SCCL_SYNC(2),
	SCCL_FLAGS(2, 1),
	SCCL_SIGNAL(2, 0, 2),
	SCCL_FLAGS(2, 1),
	SCCL_WAIT(2, 0, 2),
	SCCL_END,
};

static const uint32_t *const shared_words[] = {
	shared_0,
	shared_1,
};

static const uint32_t shared_lengths[] = {
	38,
	38,
};

/* What each rank does, with flags and loads from peers: SCCL_SCRATCH(rank, i) may be another rank's. */

static const uint32_t pull_0[] = {
	/* step 1 of 2: 2 rounds */
	SCCL_MOVES(1, 1), 4, 12,
	SCCL_COPY(1, 1, 1), SCCL_INPUT(0), SCCL_SCRATCH(0, 0),
	SCCL_SYNC(1),
	SCCL_FLAGS(1, 1),
	SCCL_SIGNAL(1, 1, 1),
	/* step 2 of 2: 2 rounds */
	SCCL_FLAGS(2, 1),
	SCCL_WAIT(2, 1, 1),
	SCCL_MOVES(2, 1), 4, 16,
	SCCL_TOTAL(2, 0, 2, 2), SCCL_INPUT(0), SCCL_SCRATCH(1, 0), SCCL_OUTPUT(0, 0), SCCL_SCRATCH(0, 1),
	SCCL_SYNC(2),
	SCCL_FLAGS(2, 1),
	SCCL_SIGNAL(2, 1, 2),
	SCCL_FLAGS(2, 1),
	SCCL_WAIT(2, 1, 2),
	SCCL_MOVES(2, 1), 4, 12,
	SCCL_COPY(2, 1, 1), SCCL_SCRATCH(1, 1), SCCL_OUTPUT(0, 0),
	SCCL_SYNC(2),
	SCCL_FLAGS(2, 1),
	SCCL_SIGNAL(2, 1, 3),
	SCCL_FLAGS(2, 1),
	SCCL_WAIT(2, 1, 3),
	SCCL_END,
};

static const uint32_t pull_1[] = {
	/* step 1 of 2: 2 rounds */
	SCCL_MOVES(1, 1), 4, 12,
	SCCL_COPY(1, 0, 1), SCCL_INPUT(0), SCCL_SCRATCH(1, 0),
	SCCL_SYNC(1),
	SCCL_FLAGS(1, 1),
	SCCL_SIGNAL(1, 0, 1),
	/* step 2 of 2: 2 rounds */
	SCCL_FLAGS(2, 1),
	SCCL_WAIT(2, 0, 1),
	SCCL_MOVES(2, 1), 4, 16,
	SCCL_TOTAL(2, 1, 2, 2), SCCL_SCRATCH(0, 0), SCCL_INPUT(0), SCCL_OUTPUT(1, 0), SCCL_SCRATCH(1, 1),
	SCCL_SYNC(2),
	SCCL_FLAGS(2, 1),
	SCCL_SIGNAL(2, 0, 2),
	SCCL_FLAGS(2, 1),
	SCCL_WAIT(2, 0, 2),
	SCCL_MOVES(2, 1), 4, 12,
	SCCL_COPY(2, 0, 1), SCCL_SCRATCH(0, 1), SCCL_OUTPUT(1, 0),
	SCCL_SYNC(2),
	SCCL_FLAGS(2, 1),
	SCCL_SIGNAL(2, 0, 3),
	SCCL_FLAGS(2, 1),
	SCCL_WAIT(2, 0, 3),
	SCCL_END,
};

static const uint32_t *const pull_words[] = {
	pull_0,
	pull_1,
};

static const uint32_t pull_lengths[] = {
	74,
	74,
};

SCCL_REDUCING_KERNELS(kernel)

static uint64_t chunk_limit(uint64_t count)
{
	return sccl_longest(count, 1, 2);
}

static const sccl_extent_t inputs[] = {
	{1, 0, 1},
	{1, 0, 1},
};

static uint64_t input_count(uint32_t rank, uint64_t count)
{
	return sccl_extent_count(&inputs[rank], count);
}

static const sccl_extent_t outputs[] = {
	{1, 0, 1},
	{1, 0, 1},
};

static uint64_t output_count(uint32_t rank, uint64_t count)
{
	return sccl_extent_count(&outputs[rank], count);
}

static const uint32_t connections[][2] = {
	{0, 1},
	{1, 0},
};

static const sccl_place_t input_places[] = {
	{0, 0, 0, 1, 0, 2},
	{0, 1, 0, 1, 1, 2},
	{1, 0, 0, 1, 0, 2},
	{1, 1, 0, 1, 1, 2},
};

static const sccl_place_t output_places[] = {
	{0, 0, 0, 1, 0, 2},
	{0, 1, 0, 1, 1, 2},
	{1, 0, 0, 1, 0, 2},
	{1, 1, 0, 1, 1, 2},
};

#if !SCCL_DEVICE_PASS
SCCL_EXTERN const sccl_program_t line_2_allreduce_c2_s2_r4_hand;
const sccl_program_t line_2_allreduce_c2_s2_r4_hand = {
	SCCL_ABI, "line_2_allreduce_c2_s2_r4_hand", "host", "allreduce", -1,
	1, /* combining */
	0, /* wide */
	2, 2, 2, 2, 4, /* ranks, chunks, global chunks, steps, rounds */
	1, /* width */
	{ /* words, their lengths, signals, scratch slots, packet slots, whether inputs are shared */
		{plain_words, plain_lengths, 2, 1, 0, 0},
		{packets_words, packets_lengths, 0, 1, 2, 0},
		{shared_words, shared_lengths, 2, 0, 0, 1},
		{0, 0, 0, 0, 0, 0},
		{pull_words, pull_lengths, 3, 2, 0, 0},
		{packets_words, packets_lengths, 0, 1, 2, 0},
	},
	cuts,
	chunk_limit, input_count, output_count,
	2, connections, 4, 4, input_places, output_places,
	SCCL_REDUCING_ROWS(kernel),
};
#endif
