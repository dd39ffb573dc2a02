#ifndef SCCL_ENCODE_CNF_DECODE_H
#define SCCL_ENCODE_CNF_DECODE_H

#include "core/schedule/instance.h"
#include "encode/solve.h"

/*
 * From "chunk c reaches dst from src in step s" to the steps of a solution. ARRIVALS has at most one entry for each
 * chunk and node and is reordered; those that serve no post are dropped. Rounds as in decode_rounds. The caller owns
 * the steps in *out.
 */
struct arrival {
	struct send send;
	int step; /* 1..S */
};
void decode_arrivals(const struct instance *i, struct arrival *arrivals, size_t n, struct solution *out);

/*
 * Gives each step of the solution the rounds that its loads need, and adds what is left of R to the last step. With a
 * pipeline nothing is added: the rounds may then sum to less than R.
 */
void decode_rounds(const struct instance *i, struct solution *out);

#endif
