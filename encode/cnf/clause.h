#ifndef SCCL_ENCODE_CNF_CLAUSE_H
#define SCCL_ENCODE_CNF_CLAUSE_H

/*
 * A clause under construction. Constants (NEVER, ALWAYS) are folded as they are added, and a clause that is trivially
 * true is not passed to the sink.
 */

#include "encode/cnf/plan.h"

/* Initialized with TO set and all else zero. */
struct clause {
	const struct sink *to;
	int *literals; /* owned and reused: the caller frees it after the last clause */
	size_t n, capacity;
	bool holds;
};

/* Starts an empty clause; the memory of the previous one is reused. */
void clause_begin(struct clause *k);
/* Adds the variable, or its negation if POSITIVE is false. VARIABLE may be NEVER or ALWAYS. */
void clause_add(struct clause *k, int variable, bool positive);
/* Passes the clause to the sink unless it is trivially true. */
void clause_end(struct clause *k);

/* premise -> conclusion, or premise -> not conclusion if POSITIVE is false. */
void clause_implies(struct clause *k, int premise, int conclusion, bool positive);

#endif
