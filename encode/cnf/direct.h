#ifndef SCCL_ENCODE_CNF_DIRECT_H
#define SCCL_ENCODE_CNF_DIRECT_H

/*
 * Allreduce, or a scan, as one question, not as a reducescatter and an allgather. A node has one value of each chunk, a set of
 * contributions: part(c,o,n,s) says that node n's value of chunk c has that of node o after step s. What arrives in a step
 * is added to what the node had, if that stays, or else takes its place; no contribution may come together twice.
 */

#include "encode/cnf/plan.h"

struct clause;

/* Beside the plan's send and rho. */
struct direct {
	int *part;   /* [((c * P + o) * P + n) * (S + 1) + s] */
	int *drop;   /* [(c * P + n) * S + s - 1]: what arrives in step s replaces the value before it */
	int *kept;   /* [((c * P + o) * P + n) * S + s - 1]: part before step s, and it is not dropped */
	int *brings; /* [((c * P + o) * E + e) * S + s - 1]: a send over edge e in step s carries o's contribution */
	int *alike;  /* [c * E + e]: chunks c and c + 1 cross the same of the edges 0..e in the first step */
};

/* Numbers the variables, the plan's sends too. */
void direct_number(struct plan *p);
void direct_free(struct direct *d); /* NULL is fine */

/* All clauses but those on rounds. ORDERED: interchangeable chunks by what they cross in the first step. */
void direct_write(const struct plan *p, struct clause *k, bool ordered);

/*
 * All sends of R rounds, shared among the chunks: some chunk has no more than so many. If one chunk alone cannot do with
 * them in S steps, C chunks cannot in R rounds. 0: nothing follows.
 */
int direct_share(const struct plan *p);

struct solution;
/* Without what no sum needs, with the rounds. */
void direct_decode(const struct plan *p, bool (*value)(void *context, int variable), void *context, struct solution *out);

#endif
