#ifndef SCCL_RUNTIME_RUNNER_BUFFERS_H
#define SCCL_RUNTIME_RUNNER_BUFFERS_H

/* A rank's buffers, surrounded by guard bytes that must not be written. */

#include "runtime/runner/data.h"
#include "runtime/runner/machine.h"
#include "runtime/runner/reference.h"
#include "runtime/runner/report.h"
#include "runtime/runner/session.h"

/* The state of a rank, grouped by lifetime: of the run, of the plan, of the row. */
struct session {
	const struct settings *settings;
	const sccl_program_t *program;
	uint32_t rank;
	struct ending *ending;
	sccl_bootstrap_t bootstrap;
	sccl_comm_t *comm;
	struct run_machine machine;

	struct report_total total; /* of what rank 0 has printed */

	struct data data;
	sccl_plan_t *plan;
	sccl_memory_t *memory;             /* of the output; NULL if it is staged */
	sccl_memory_t *in_memory;          /* of the input; NULL unless inputs are shared */
	void *lent;                        /* the output if the runtime did not allocate it */
	unsigned char *in_room, *out_room; /* including both guards, for the largest count: to be filled and checked */
	unsigned char *in_work, *out_work; /* the copies that the program works on; on CPUs the same memory */
	uint64_t room;

	unsigned char *in, *out;           /* to be filled and checked */
	bool in_place;                     /* of the calls that are made now */
	const unsigned char *run_in;       /* what is passed to the program */
	unsigned char *run_out;
	struct segments input, output;
	uint64_t in_bytes, out_bytes;
};

/* Collective. */
sccl_status_t buffers_open(struct session *x, uint64_t most);
/* Collective with --registered. Frees the buffers; allowed after a failed buffers_open. */
void buffers_close(struct session *x);

/* Places both buffers for calls of COUNT, by x->in_place. False: out of memory. */
bool buffers_place(struct session *x, uint64_t count);
/* Fills the input for a call, and overwrites the output and its surroundings with known bytes. */
sccl_status_t buffers_fill(struct session *x, uint64_t call);
/* Copies the result of a call to where it is checked. */
sccl_status_t buffers_fetch(struct session *x);
/* The number of wrong elements; memory outside of the buffers that was written counts as one. If it is not 0, TEXT states
 * where the first is. */
uint64_t buffers_check(struct session *x, uint64_t call, char *text, size_t size);

#endif
