#ifndef SCCL_RUNTIME_CORE_PROCESS_H
#define SCCL_RUNTIME_CORE_PROCESS_H

/* Who runs a rank, told so that others can see when it has ended. */

#include <stdbool.h>
#include <stdint.h>

/* The start time tells a process from a later one with its number; the nonce tells apart processes that cannot see each
 * other and happen to share both. */
struct process {
	int64_t pid;
	uint64_t start, nonce;
};

/* False with the error text set: the system gives no random numbers. */
bool sccli_process_self(struct process *p);

/* False once it has ended, reaped by its parent or not. Also false for a process that this one cannot see: ask at the
 * beginning, when it must still be there. */
bool sccli_process_alive(const struct process *p);

/* Drawn by the system. False with the error text set. */
bool sccli_process_random(uint64_t *number);

bool sccli_process_same(const struct process *a, const struct process *b);

#endif
