#ifndef SCCL_PROVE_CNF_PARTS_H
#define SCCL_PROVE_CNF_PARTS_H

/* What the files of prove/cnf*.c share: the growing formula. */

#include "prove/cnf.h"

#include "core/machine/network.h"

#include <limits.h>

/* Constants among literals: each is the other's negative. What no useful schedule does has NO for its variable. */
enum { YES = INT_MAX, NO = -INT_MAX };

struct writer {
	const struct instance *i;
	const struct network *w;
	int chunks, nodes, edges, steps, extra; /* G, P, E, S, R - S */
	int *send, *rho;                        /* send_at, rho_at */
	int *near, *far, *have;                 /* cnf_plain.c's */
	int *part, *keep, *stays, *brings;      /* cnf_direct.c's */
	struct cnf *f;
	size_t clause; /* where the one that grows begins */
	bool holds, full;
};

static inline int *send_at(const struct writer *k, int c, int e, int s)
{
	return &k->send[((size_t)c * (size_t)k->edges + (size_t)e) * (size_t)k->steps + (size_t)(s - 1)];
}

static inline int *rho_at(const struct writer *k, int s, int j)
{
	return &k->rho[(size_t)(s - 1) * (size_t)(k->extra + 1) + (size_t)(j - 1)];
}

/* A clause as it grows: NO is left out, and a clause with YES is taken back at its end. */
void cnf_add(struct writer *k, int literal);
void cnf_end(struct writer *k);
void cnf_clause(struct writer *k, int a, int b, int c); /* NO for what is not wanted */

/* Numbers rho. */
void cnf_number_rounds(struct writer *k);
void cnf_write_rounds(struct writer *k);
/* Over links and limits, in all steps. */
void cnf_write_capacities(struct writer *k);
/* No more than so many sends in all. */
void cnf_write_sends(struct writer *k, size_t most);

/* Each numbers its variables and writes its clauses; the rounds are numbered in between, and written behind. */
void cnf_plain(struct writer *k, const struct orders *o, size_t most_sends);
void cnf_direct(struct writer *k, const struct orders *o, size_t most_sends);

#endif
