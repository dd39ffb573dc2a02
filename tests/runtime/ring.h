#ifndef SCCL_TESTS_RUNTIME_RING_H
#define SCCL_TESTS_RUNTIME_RING_H

/* Two programs as a generator would write them, by hand: 4 ranks in a ring. */

#include <sccl/program.h>

enum { RING = 4 };

extern const sccl_program_t ring_allgather;
extern const sccl_program_t ring_reducescatter;
/* The first, but rank 2 never waits nor sends: the others wait for it until someone ends it. */
extern const sccl_program_t ring_stuck;

#endif
