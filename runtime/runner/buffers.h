#ifndef SCCL_RUNTIME_RUNNER_BUFFERS_H
#define SCCL_RUNTIME_RUNNER_BUFFERS_H

/* A rank's buffers, between bytes that nobody may write. */

#include "runtime/runner/data.h"
#include "runtime/runner/machine.h"
#include "runtime/runner/reference.h"
#include "runtime/runner/session.h"

/* What a rank works with: the run's, then the plan's, then the row's. */
struct session {
	const struct settings *settings;
	const sccl_program_t *program;
	uint32_t rank;
	struct ending *ending;
	sccl_bootstrap_t bootstrap;
	sccl_comm_t *comm;
	struct run_machine machine;

	struct data data;
	sccl_plan_t *plan;
	sccl_memory_t *memory;             /* of the output; NULL where it is staged */
	void *lent;                        /* the output where it is no memory of the runtime's making */
	unsigned char *in_room, *out_room; /* from guard to guard, for the largest count: to be filled and checked */
	unsigned char *in_work, *out_work; /* the same where the program works; on processors the very same */
	uint64_t room;

	unsigned char *in, *out;           /* to be filled and checked */
	const unsigned char *run_in;       /* what the program is given */
	unsigned char *run_out;
	struct segments input, output;
	uint64_t in_bytes, out_bytes;
};

/* Collective. */
sccl_status_t buffers_open(struct session *x, uint64_t most);
void buffers_close(struct session *x);

/* Places both buffers for calls of COUNT. False: no memory. */
bool buffers_place(struct session *x, uint64_t count);
/* The input of a call; the output and what surrounds it are spoilt. */
sccl_status_t buffers_fill(struct session *x, uint64_t call);
/* What a call has left, to be checked. */
sccl_status_t buffers_fetch(struct session *x);
/* Is the output right, and everything else untouched? If not, TEXT says where. */
bool buffers_check(struct session *x, uint64_t call, char *text, size_t size);

#endif
