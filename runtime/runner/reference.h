#ifndef SCCL_RUNTIME_RUNNER_REFERENCE_H
#define SCCL_RUNTIME_RUNNER_REFERENCE_H

/*
 * What each collective is, told plainly, as nested loops would: it shares nothing with the lowering whose programs it
 * judges. Only a custom collective is read from the program itself.
 */

#include "runtime/runner/data.h"

#include <sccl/sccl.h>

/* N elements of a buffer, from element BEGIN, are those that KEY put in, from its element FIRST; or the reduction of
 * what all of KEYS put in there. */
struct segment {
	uint64_t begin, n, key, first;
	bool reduced;
};

struct segments {
	size_t n;
	struct segment *of;
	size_t n_keys;
	uint64_t *keys;
};

/* A rank's buffers in a call of COUNT. False: the collective's kind is unknown, or there is no memory. */
bool reference_input(const sccl_program_t *p, uint32_t rank, uint64_t count, struct segments *out);
bool reference_output(const sccl_program_t *p, uint32_t rank, uint64_t count, struct segments *out);
void segments_free(struct segments *s);

/* Elements of a buffer. */
uint64_t segments_length(const struct segments *s);

/* Where in the output an input in place begins, in elements. */
uint64_t reference_in_place(const sccl_program_t *p, uint32_t rank, uint64_t count);

/* What the L of a collective asks of each rank's links: busbw = this times L over time. */
double reference_bus_factor(const sccl_program_t *p);

#endif
