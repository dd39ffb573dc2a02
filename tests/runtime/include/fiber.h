#ifndef SCCL_TESTS_RUNTIME_INCLUDE_FIBER_H
#define SCCL_TESTS_RUNTIME_INCLUDE_FIBER_H

/* Threads of execution that take turns in one real thread, in an order that is drawn from a seed. */

#include <stdbool.h>
#include <stdint.h>

/* A new one, which lives until WORK returns. Its stack is of STACK bytes. */
void fiber_start(void (*work)(void *), void *argument);

/* Lets another go on. VAIN: there was nothing to do; where every fiber says so for long, that is a deadlock. */
void fiber_yield(bool vain);
/* Yields, or not. */
void fiber_maybe_yield(void);

uint64_t fiber_draw(uint64_t *state);

/* Runs all fibers to their end. Calls STUCK at a deadlock, which must make them end. */
void fiber_run(unsigned seed, void (*stuck)(void));

#endif
