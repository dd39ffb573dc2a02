#ifndef SCCL_ENCODE_CNF_PLAN_H
#define SCCL_ENCODE_CNF_PLAN_H

/*
 * The variables of the `bits` encodings over expanded time, and the clauses between them (docs/concepts/encodings.md):
 * have(c,n,s): chunk c is at node n after step s; send(c,e,s): chunk c crosses edge e in step s; rho(s,j): step s has
 * at least j rounds. Variables that distances decide are constants, or do not exist.
 */

#include "core/schedule/instance.h"
#include "core/machine/network.h"

#include <stdbool.h>
#include <stddef.h>

enum { NEVER = 0, ALWAYS = -1 }; /* in place of a variable, which is > 0 */

struct fold;

/* The variables of one instance, or of one folded question. Arrays are owned unless stated otherwise. */
struct plan {
	const struct instance *instance;
	const struct network *network;
	const struct fold *fold;         /* borrowed; NULL: the plan has every chunk */
	int chunks, nodes, edges, steps; /* G (or the number of representative chunks), P, E, S */
	const int *chunk;                /* [c]: its number in the instance; borrowed; NULL: the same */
	int extra;                       /* R - S: rounds beyond one per step */
	bool impossible;                 /* a distance alone refutes the instance */
	int most_sends;                  /* upper bound on all sends; 0: none (encode/cnf/direct.h: direct_share) */
	bool too_large;                  /* more variables than can be numbered; the plan must not be written */
	int *have;                       /* [(c * P + n) * (S + 1) + s]; NULL if direct */
	struct direct *direct;           /* of allreduces and scans, adding values on the way (encode/cnf/direct.h) */
	int *send;                       /* [(c * E + e) * S + s - 1] for step s = 1..S */
	struct slots *slots;             /* chunks in transit, if memory is limited (encode/cnf/slots.h); else NULL */
	int *rho;                        /* [(s - 1) * (extra + 2) + j] for j = 1..extra+1 */
	int same;                        /* same + c * P + k: chunk c and the next one like it arrived in the same steps
					  * at the k nodes that they can reach last. 0: not numbered */
	int variables;
};

/*
 * Numbers the variables. I and FOLD (NULL: none) are borrowed and must outlive the plan. The caller frees it with
 * plan_free.
 */
struct plan *plan_new(const struct instance *i, const struct fold *fold);
/* Frees the plan; NULL is allowed. */
void plan_free(struct plan *p);

/* The number in the instance of chunk C of the plan. */
static inline int plan_chunk(const struct plan *p, int c)
{
	return p->chunk ? p->chunk[c] : c;
}

/* Chunk C at node N after step S = 0..steps: a variable, NEVER or ALWAYS. Not for direct plans. */
static inline int plan_have(const struct plan *p, int c, int n, int s)
{
	return p->have[((size_t)c * (size_t)p->nodes + (size_t)n) * (size_t)(p->steps + 1) + (size_t)s];
}
/* Chunk C crosses edge E in step S = 1..steps: a variable or NEVER. */
static inline int plan_send(const struct plan *p, int c, int e, int s)
{
	return p->send[((size_t)c * (size_t)p->edges + (size_t)e) * (size_t)p->steps + (size_t)(s - 1)];
}
/* Step S has at least J = 1..extra+1 rounds: a variable or ALWAYS. */
static inline int plan_rho(const struct plan *p, int s, int j)
{
	return p->rho[(size_t)(s - 1) * (size_t)(p->extra + 2) + (size_t)j];
}

/* Where a formula is written to: a SAT solver, Z3, or a counter. Literals are variables and their negatives. */
struct sink {
	void *context;
	void (*clause)(void *context, const int *literals, size_t n);
	/* Per round of step s at most B of these sends: their number is at most B times the rounds of s. */
	void (*capacity)(void *context, const struct plan *p, int s, const int *sends, size_t n, int bandwidth);
	/* At most EXTRA of these are true. */
	void (*budget)(void *context, const struct plan *p, const int *rhos, size_t n, int extra);
	/*
	 * The rounds of all steps, called last: at least one each, equal for steps that coincide, and at most R in all.
	 * NULL: plan_write says so itself, by clauses and a budget over rho.
	 */
	void (*rounds)(void *context, const struct plan *p);
};

/*
 * With a pipeline, steps this far apart coincide, in different runs (core/schedule/constraints.h); step s <= this is
 * the first of those that do. Without: S.
 */
int plan_interval(const struct plan *p);

/*
 * Chunks with equal pre and post are interchangeable, so they may be required to arrive in the order of their numbers:
 * every schedule can be renumbered that way. ORDER_ONE_NODE requires this at the node farthest from where they begin;
 * ORDER_ALL_NODES compares the arrival steps at all nodes lexicographically, the farthest node first. Either makes
 * refutations much faster, sometimes the one and sometimes the other, and many satisfiable instances slower. An
 * allreduce has a single order for both.
 */
enum plan_order { ORDER_NONE, ORDER_ONE_NODE, ORDER_ALL_NODES };
/* Writes all clauses, capacities and budgets of the plan to a sink. Not for a plan that is too large. */
void plan_write(const struct plan *p, const struct sink *to, enum plan_order order);

/*
 * The schedule of a model (VALUE: is the variable true?), without sends that no post needs, with rounds as in
 * encode/cnf/decode.h. The caller owns the steps.
 */
struct solution;
void plan_decode(const struct plan *p, bool (*value)(void *context, int variable), void *context, struct solution *out);

#endif
