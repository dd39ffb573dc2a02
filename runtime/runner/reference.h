#ifndef SCCL_RUNTIME_RUNNER_REFERENCE_H
#define SCCL_RUNTIME_RUNNER_REFERENCE_H

/*
 * A straightforward definition of each collective, as nested loops would give it. It shares nothing with the lowering
 * whose programs it verifies. Only a custom collective is read from the program itself.
 */

#include "runtime/runner/data.h"

#include <sccl/sccl.h>

/* The N elements of a buffer from element BEGIN on are those that KEY contributed, from its element FIRST on; or, if
 * reduced, the reduction of what all KEYS contributed there. */
struct segment {
	uint64_t begin, n, key, first;
	bool reduced;
};

/* The contents of a buffer, in order, and the keys whose contributions are reduced. */
struct segments {
	size_t n;
	struct segment *of;
	size_t n_keys;
	uint64_t *keys;
};

/* A rank's buffers in a call of COUNT. False: unknown kind of collective, or out of memory. */
bool reference_input(const sccl_program_t *p, uint32_t rank, uint64_t count, struct segments *out);
bool reference_output(const sccl_program_t *p, uint32_t rank, uint64_t count, struct segments *out);
void segments_free(struct segments *s);

/* Number of elements of a buffer. */
uint64_t segments_length(const struct segments *s);

/* Offset in elements of an in-place input within the output. */
uint64_t reference_in_place(const sccl_program_t *p, uint32_t rank, uint64_t count);

/* Load of a collective on each rank's links: busbw = this factor times L over time. */
double reference_bus_factor(const sccl_program_t *p);

#endif
