#ifndef SCCL_TESTS_RUNTIME_EXPECT_OK_H
#define SCCL_TESTS_RUNTIME_EXPECT_OK_H

#include "tests/runtime/ranks.h"
#include "tests/runtime/ring.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

/* Runs PART by RUN, in_processes or in_threads, and expects success of every rank. */
static inline void expect_ok(void (*run)(part_t part, struct outcome out[RING]), part_t part)
{
	struct outcome out[RING];

	run(part, out);
	for (int r = 0; r < RING; r++)
		cr_expect(eq(int, out[r].status, SCCL_OK), "rank %d: %s", r, out[r].text);
}

#endif
