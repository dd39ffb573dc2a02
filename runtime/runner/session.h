#ifndef SCCL_RUNTIME_RUNNER_SESSION_H
#define SCCL_RUNTIME_RUNNER_SESSION_H

/* One rank's life in a run. */

#include "runtime/runner/run.h"

/* How it ended. In memory that outlives the rank. */
struct ending {
	int status;         /* EXIT_... */
	sccl_status_t cause; /* where the runtime failed */
	char text[1024];    /* what to complain about; "" nothing */
};

/* Runs every row. Rank 0 prints them. */
void run_session(const struct settings *s, const sccl_program_t *program, sccl_group_t *group, uint32_t rank,
                 struct ending *ending);

#endif
