#ifndef SCCL_TESTS_SUPPORT_RANDOM_H
#define SCCL_TESTS_SUPPORT_RANDOM_H

/* Numbers by chance for tests: the same from the same state, everywhere (xorshift64, Marsaglia 2003). */

#include <stdint.h>

/* A state of its own for each seed. */
static inline uint64_t random_start(uint64_t seed)
{
	return (seed * UINT64_C(0x9e3779b97f4a7c15) + 1) | 1;
}

static inline uint64_t random_bits(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* 0 .. n - 1 */
static inline int random_below(uint64_t *state, int n)
{
	return (int)(random_bits(state) >> 33) % n;
}

#endif
