#ifndef SCCL_ENCODE_CNF_DECODE_H
#define SCCL_ENCODE_CNF_DECODE_H

#include "core/schedule/instance.h"
#include "encode/solve.h"

/*
 * From "chunk c reaches dst from src in step s" to the steps of a solution. ARRIVALS has at most one for each chunk and
 * node; those that serve no post are dropped. Each step gets the rounds that its loads need, the last what is over of R.
 */
struct arrival {
	struct send send;
	int step; /* 1..S */
};
void decode_arrivals(const struct instance *i, struct arrival *arrivals, size_t n, struct solution *out);

/* Gives each step of the solution the rounds that its loads need, and the last what is over of R; with a pipeline less than R
 * may be needed, and then that is the answer. */
void decode_rounds(const struct instance *i, struct solution *out);

#endif
