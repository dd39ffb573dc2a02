#ifndef SCCL_TESTS_RUNTIME_RANKS_H
#define SCCL_TESTS_RUNTIME_RANKS_H

/* Four ranks for a test, each a process or a thread of its own. */

#include <sccl/sccl.h>

struct outcome {
	sccl_status_t status; /* what the rank's part returned */
	char text[1024];      /* and its line */
};

typedef sccl_status_t (*part_t)(uint32_t rank, const sccl_bootstrap_t *bootstrap);

/* Runs PART on every rank to its end. A process that was killed leaves SCCL_STATUSES. */
void in_processes(part_t part, struct outcome out[4]);
void in_threads(part_t part, struct outcome out[4]);

#endif
