#include "tests/runtime/ring.h"

#include <sccl/device.h>

/* Chunk c is all of rank c's input. */
static const sccl_chunk_t whole[] = {{0, 1, 0, 1}, {0, 1, 0, 1}, {0, 1, 0, 1}, {0, 1, 0, 1}};
/* Chunk c is block c of every rank's input. */
static const sccl_chunk_t quarters[] = {{0, 4, 0, 1}, {1, 4, 0, 1}, {2, 4, 0, 1}, {3, 4, 0, 1}};

/* Each passes on to the right what it has heard from the left; ME, its neighbours, and what it hears in each step. */
#define GATHER(me, left, right, first, second)                                                            \
	{                                                                                                 \
		SCCL_OFFER(0, left),                                                                      \
		SCCL_CREDIT(1, right),                                                                    \
		SCCL_COPY(1, me, 2), SCCL_INPUT(0), SCCL_OUTPUT(right, me), SCCL_OUTPUT(me, me),          \
		SCCL_SIGNAL(1, right, 1),                                                                 \
		SCCL_WAIT(2, left, 1),                                                                    \
		SCCL_COPY(2, first, 1), SCCL_OUTPUT(me, first), SCCL_OUTPUT(right, first),                \
		SCCL_SIGNAL(2, right, 2),                                                                 \
		SCCL_WAIT(3, left, 2),                                                                    \
		SCCL_COPY(3, second, 1), SCCL_OUTPUT(me, second), SCCL_OUTPUT(right, second),             \
		SCCL_SIGNAL(3, right, 3),                                                                 \
		SCCL_WAIT(3, left, 3),                                                                    \
		SCCL_END,                                                                                 \
	}

/* Partial sums go once around; slot k holds what came in step k. */
#define REDUCE(me, left, right, second, third)                                                                    \
	{                                                                                                         \
		SCCL_OFFER(0, left),                                                                              \
		SCCL_CREDIT(1, right),                                                                            \
		SCCL_COPY(1, left, 1), SCCL_INPUT(0), SCCL_SCRATCH(right, 0),                                     \
		SCCL_SIGNAL(1, right, 1),                                                                         \
		SCCL_WAIT(2, left, 1),                                                                            \
		SCCL_REDUCE(2, second, 2, 1), SCCL_SCRATCH(me, 0), SCCL_INPUT(0), SCCL_SCRATCH(right, 1),         \
		SCCL_SIGNAL(2, right, 2),                                                                         \
		SCCL_WAIT(3, left, 2),                                                                            \
		SCCL_REDUCE(3, third, 2, 1), SCCL_SCRATCH(me, 1), SCCL_INPUT(0), SCCL_SCRATCH(right, 2),          \
		SCCL_SIGNAL(3, right, 3),                                                                         \
		SCCL_WAIT(3, left, 3),                                                                            \
		SCCL_TOTAL(3, me, 2, 1), SCCL_SCRATCH(me, 2), SCCL_INPUT(0), SCCL_OUTPUT(me, 0),                 \
		SCCL_END,                                                                                         \
	}

static const uint32_t gather_0[] = GATHER(0, 3, 1, 3, 2);
static const uint32_t gather_1[] = GATHER(1, 0, 2, 0, 3);
static const uint32_t gather_2[] = GATHER(2, 1, 3, 1, 0);
static const uint32_t gather_3[] = GATHER(3, 2, 0, 2, 1);
static const uint32_t reduce_0[] = REDUCE(0, 3, 1, 2, 1);
static const uint32_t reduce_1[] = REDUCE(1, 0, 2, 3, 2);
static const uint32_t reduce_2[] = REDUCE(2, 1, 3, 0, 3);
static const uint32_t reduce_3[] = REDUCE(3, 2, 0, 1, 0);
/* It waits for a signal that never comes. */
static const uint32_t stuck_2[] = {SCCL_OFFER(0, 1), SCCL_WAIT(7, 1, 3), SCCL_WAIT(7, 1, 4), SCCL_END};

static const uint32_t *const gather_ranks[] = {gather_0, gather_1, gather_2, gather_3};
static const uint32_t *const reduce_ranks[] = {reduce_0, reduce_1, reduce_2, reduce_3};
static const uint32_t *const stuck_ranks[] = {gather_0, gather_1, stuck_2, gather_3};
#define LENGTH(words) ((uint32_t)(sizeof(words) / sizeof *(words)))
#define LENGTHS(words) {LENGTH(words##_0), LENGTH(words##_1), LENGTH(words##_2), LENGTH(words##_3)}
static const uint32_t gather_lengths[] = LENGTHS(gather);
static const uint32_t reduce_lengths[] = LENGTHS(reduce);
static const uint32_t stuck_lengths[] = {LENGTH(gather_0), LENGTH(gather_1), LENGTH(stuck_2), LENGTH(gather_3)};
#define NO_PACKETS {NULL, NULL, 0, 0, 0, 0}

SCCL_COPYING_KERNELS(gathering)
SCCL_REDUCING_KERNELS(reducing)

static const uint32_t connections[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
static const sccl_place_t gather_inputs[] = {{0, 0, 0, 1, 0, 1}, {1, 1, 0, 1, 0, 1}, {2, 2, 0, 1, 0, 1}, {3, 3, 0, 1, 0, 1}};
#define ROW(rank) {rank, 0, 0, 4, 0, 1}, {rank, 1, 1, 4, 0, 1}, {rank, 2, 2, 4, 0, 1}, {rank, 3, 3, 4, 0, 1}
static const sccl_place_t rows[] = {ROW(0), ROW(1), ROW(2), ROW(3)};

static uint64_t all(uint64_t count)
{
	return count;
}

static uint64_t quarter(uint64_t count)
{
	return sccl_longest(count, 4, 1);
}

static uint64_t own(uint32_t rank, uint64_t count)
{
	(void)rank;
	return count;
}

static uint64_t four(uint32_t rank, uint64_t count)
{
	(void)rank;
	return 4 * count;
}

static uint64_t block(uint32_t rank, uint64_t count)
{
	sccl_extent_t e = {1, rank, 4};
	return sccl_extent_count(&e, count);
}

const sccl_program_t ring_allgather = {
	SCCL_ABI, "ring_allgather", "host", "allgather", -1, 0, 0, 4, 1, 4, 3, 3, 1,
	{{gather_ranks, gather_lengths, 3, 0, 0, 0}, NO_PACKETS}, whole, all, own, four,
	4, connections, 4, 16, gather_inputs, rows, SCCL_COPYING_ROWS(gathering)};

const sccl_program_t ring_reducescatter = {
	SCCL_ABI, "ring_reducescatter", "host", "reducescatter", -1, 1, 0, 4, 4, 4, 3, 3, 1,
	{{reduce_ranks, reduce_lengths, 3, 3, 0, 0}, NO_PACKETS}, quarters, quarter, own, block,
	4, connections, 16, 4, rows, gather_inputs, SCCL_REDUCING_ROWS(reducing)};

const sccl_program_t ring_stuck = {
	SCCL_ABI, "ring_stuck", "host", "allgather", -1, 0, 0, 4, 1, 4, 3, 3, 1,
	{{stuck_ranks, stuck_lengths, 3, 0, 0, 0}, NO_PACKETS}, whole, all, own, four,
	4, connections, 4, 16, gather_inputs, rows, SCCL_COPYING_ROWS(gathering)};
