#ifndef SCCL_RUNTIME_RUNNER_SESSION_H
#define SCCL_RUNTIME_RUNNER_SESSION_H

/* One rank's part of a run. */

#include "runtime/runner/run.h"

/* How a rank ended. Stored in memory that outlives the rank. */
struct ending {
	int status;         /* EXIT_... */
	sccl_status_t cause; /* if the runtime failed */
	char text[1024];    /* error message; "" if none */
};

/* Runs every row. Rank 0 prints the results. */
void run_session(const struct settings *s, const sccl_program_t *program, sccl_group_t *group, uint32_t rank,
                 struct ending *ending);

#endif
