#ifndef SCCL_PROVE_CNF_PARTS_H
#define SCCL_PROVE_CNF_PARTS_H

/* The formula under construction, shared by prove/cnf*.c. */

#include "prove/cnf.h"

#include "core/machine/network.h"

#include <limits.h>

/*
 * Constants that stand for literals: each is the negation of the other. The variable of anything that no useful
 * schedule does is NO.
 */
enum { YES = INT_MAX, NO = -INT_MAX };

/* A formula under construction, its dimensions and its variables. */
struct writer {
	const struct instance *i;
	const struct network *w;
	const struct pattern_question *pattern; /* NULL: rounds and capacities are asked about, not prices */
	int chunks, nodes, edges, steps, extra; /* G, P, E, S, R - S */
	int *send, *rho;                        /* see send_at, rho_at */
	int *near, *far, *have;                 /* of cnf_plain.c */
	int *part, *keep, *stays, *brings;      /* of cnf_direct.c */
	struct cnf *f;
	size_t clause; /* where the current clause begins */
	bool holds, full;
};

/* The variable "chunk c is sent over edge e in step s"; s is from 1. */
static inline int *send_at(const struct writer *k, int c, int e, int s)
{
	return &k->send[((size_t)c * (size_t)k->edges + (size_t)e) * (size_t)k->steps + (size_t)(s - 1)];
}

/* The literal "step s has j rounds or more"; s and j are from 1. */
static inline int *rho_at(const struct writer *k, int s, int j)
{
	return &k->rho[(size_t)(s - 1) * (size_t)(k->extra + 1) + (size_t)(j - 1)];
}

/* Builds a clause: NO is left out, and a clause with YES is discarded when it ends. */
void cnf_add(struct writer *k, int literal);
void cnf_end(struct writer *k);
void cnf_clause(struct writer *k, int a, int b, int c); /* NO in place of a literal that is not needed */

/* Numbers rho; then the clauses that rho is monotone and that the rounds sum to at most R. */
void cnf_number_rounds(struct writer *k);
void cnf_write_rounds(struct writer *k);
/* The capacities of all edges and limits, in all steps. */
void cnf_write_capacities(struct writer *k);
/* At most MOST sends in total. */
void cnf_write_sends(struct writer *k, size_t most);
/*
 * The clauses of OUT = min(X + Y, MOST), numbers in unary: the i-th literal states "i or more". Returns the length of OUT,
 * which has room for so much.
 */
size_t cnf_sum(struct writer *k, const int *x, size_t n_x, const int *y, size_t n_y, size_t most, int *out);
/* What the sends pay, and the symmetries of k->pattern (cnf_prices.c). */
void cnf_write_prices(struct writer *k);

/*
 * Each numbers its variables and writes its clauses; rounds are numbered between the two, and their clauses written
 * after those of the steps.
 */
void cnf_plain(struct writer *k, const struct orders *o, size_t most_sends);
void cnf_direct(struct writer *k, const struct orders *o, size_t most_sends);
/* The whole formula of a gossip that pays no more than k->pattern allows. */
void cnf_gossip(struct writer *k);

#endif
