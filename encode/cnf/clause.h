#ifndef SCCL_ENCODE_CNF_CLAUSE_H
#define SCCL_ENCODE_CNF_CLAUSE_H

/* A clause as it grows: constants (NEVER, ALWAYS) are taken in at once, and a clause that holds anyway is not told. */

#include "encode/cnf/plan.h"

struct clause {
	const struct sink *to;
	int *literals; /* owned: free at the end of all clauses */
	size_t n, capacity;
	bool holds;
};

void clause_begin(struct clause *k);
void clause_add(struct clause *k, int variable, bool positive);
void clause_end(struct clause *k);

/* premise -> conclusion, or -> not conclusion. */
void clause_implies(struct clause *k, int premise, int conclusion, bool positive);

#endif
