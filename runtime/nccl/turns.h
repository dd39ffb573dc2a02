#ifndef SCCL_NCCL_TURNS_H
#define SCCL_NCCL_TURNS_H

/* What one thread asks of several ranks at once: each may wait for the others, so none may hold another up. */

#include "runtime/nccl/call.h"

/* MEMORY; if it is NULL, ends this process: others wait for it, and there is no other way to notify them. */
void *must_have(void *memory);

/* Runs WORK(of, i) for all i < n. Those of one ncclComm_t, which COMM returns, run one after another in order of i; those of
 * different ones at once, the first on this thread and each other on a thread of its own. */
void turns_by_comm(void (*work)(void *of, size_t i), void *of, size_t n, ncclComm_t (*comm)(const void *of, size_t i));

/* The order in which one thread enqueues N calls: ORDER is a permutation of 0 .. n - 1. Calls of one ncclComm_t, that is of
 * one rank, keep their order. All ranks of a communicator, whose calls have the same NUMBERS[i], take turns, so that none
 * gets far ahead of another; the communicators follow each other as they first occur, as calls on one stream should. */
void turns_order(const struct nccl_call *calls, const uint64_t *numbers, size_t n, size_t *order);

#endif
