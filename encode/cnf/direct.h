#ifndef SCCL_ENCODE_CNF_DIRECT_H
#define SCCL_ENCODE_CNF_DIRECT_H

/*
 * Allreduce, or a scan, as a single question instead of a reducescatter and an allgather. A node has one value of each
 * chunk, a set of contributions: part(c,o,n,s) means that node n's value of chunk c contains node o's contribution
 * after step s. What arrives in a step is added to the node's value if that stays, and replaces it otherwise; no
 * contribution may be added twice.
 */

#include "encode/cnf/plan.h"

struct clause;

/* The variables in addition to the plan's send and rho. Arrays are owned. */
struct direct {
	int *part;   /* [((c * P + o) * P + n) * (S + 1) + s] */
	int *drop;   /* [(c * P + n) * S + s - 1]: what arrives in step s replaces the previous value */
	int *kept;   /* [((c * P + o) * P + n) * S + s - 1]: part before step s, and not dropped */
	int *brings; /* [((c * P + o) * E + e) * S + s - 1]: a send over edge e in step s carries o's contribution */
	int *equal;  /* [c * E + e]: of the edges 0..e, chunks c and c + 1 cross the same ones in the first step */
};

/* Numbers the variables, including the plan's sends. */
void direct_number(struct plan *p);
void direct_free(struct direct *d); /* NULL is allowed */

/*
 * Writes all clauses except those on rounds and capacities. ORDERED: interchangeable chunks are ordered by the edges
 * that they cross in the first step.
 */
void direct_write(const struct plan *p, struct clause *k, bool ordered);

/*
 * The average number of sends per chunk that R rounds allow, rounded down: some chunk has at most this many. If a
 * single chunk is infeasible with this many sends in S steps, then C chunks are infeasible in R rounds. 0: nothing can
 * be concluded.
 */
int direct_share(const struct plan *p);

struct solution;
/*
 * Reads the schedule out of a model (VALUE: is the variable true?), without sends that no final sum needs, and with
 * rounds. The caller owns the steps.
 */
void direct_decode(const struct plan *p, bool (*value)(void *context, int variable), void *context, struct solution *out);

#endif
