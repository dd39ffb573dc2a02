#ifndef SCCL_ENCODE_CNF_PATTERN_H
#define SCCL_ENCODE_CNF_PATTERN_H

/*
 * What one chunk of an allreduce costs at least: is there a pattern of sends in S steps that pays no more than so much, where
 * each send has a price? See docs/concepts/bounds.md.
 */

#include "encode/solve.h"

/* The question, beside an instance of one chunk. All pointers are borrowed. */
struct pattern_limit {
	const int *price;      /* [(step - 1) * n_edges + edge], at least 0 */
	int most;              /* a pattern may pay; at least 0 */
	bool gossip;           /* contributions may arrive more than once (encode/cnf/gossip.h): many fewer variables */
	bool mirrored;         /* links and prices are the same backwards, as far as they are of any use */
	size_t n_symmetries;
	const int *symmetries; /* [k * nodes + node]: automorphisms that keep the prices */
};

/* An engine's function (struct engine, encode/solve.h). */
enum answer solve_pattern(const struct instance *i, const struct pattern_limit *l, struct solution *out);

#endif
