#ifndef SCCL_TESTS_LOWER_PROGRAM_FREE_RUN_H
#define SCCL_TESTS_LOWER_PROGRAM_FREE_RUN_H

#include <stdbool.h>

struct program;

/*
 * Executes a program for several calls in a row, one instruction at a time of a rank drawn at random; no rank waits for
 * another but where its program says so, so that some are calls ahead. Shares nothing with the judges. True: every rank
 * had its whole output whenever it left a call.
 */
bool free_run(const struct program *p, int calls, bool in_place, unsigned seed);

#endif
