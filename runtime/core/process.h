#ifndef SCCL_RUNTIME_CORE_PROCESS_H
#define SCCL_RUNTIME_CORE_PROCESS_H

/* The identity of the process that runs a rank, such that other processes can detect its end. */

#include <stdbool.h>
#include <stdint.h>

/* The start time distinguishes a process from a later one with the same number; the nonce distinguishes processes that
 * cannot see each other and happen to have both in common. */
struct process {
	int64_t pid;
	uint64_t start, nonce;
};

/* Returns false, with the error text set, if the system provides no random numbers. */
bool sccli_process_self(struct process *p);

/* False once the process has exited, whether or not its parent has reaped it. Also false for a process that is not
 * visible to this one, so check visibility at the start, when it must still exist. */
bool sccli_process_alive(const struct process *p);

/* A random number from the system. Returns false, with the error text set, on failure. */
bool sccli_process_random(uint64_t *number);

/* Whether A and B identify the same process. */
bool sccli_process_same(const struct process *a, const struct process *b);

#endif
