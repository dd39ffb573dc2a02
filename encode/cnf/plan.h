#ifndef SCCL_ENCODE_CNF_PLAN_H
#define SCCL_ENCODE_CNF_PLAN_H

/*
 * The variables of the `bits` encodings over expanded time, and the clauses between them (docs/concepts/encodings.md):
 * have(c,n,s): chunk c is at node n after step s; send(c,e,s): chunk c crosses edge e in step s; rho(s,j): step s has j
 * rounds or more. What distances decide is a constant or not there at all.
 */

#include "core/schedule/instance.h"
#include "core/machine/network.h"

#include <stdbool.h>
#include <stddef.h>

enum { NEVER = 0, ALWAYS = -1 }; /* in place of a variable, which is > 0 */

struct fold;

struct plan {
	const struct instance *instance;
	const struct network *network;
	const struct fold *fold;         /* borrowed; NULL: every chunk is asked for */
	int chunks, nodes, edges, steps; /* G (or the chunks that stand for all), P, E, S */
	const int *chunk;                /* [c]: which of the instance's it is; borrowed; NULL: the same */
	int extra;                       /* R - S: rounds beyond one a step */
	bool impossible;                 /* a distance alone refutes the instance */
	int most_sends;                  /* all sends are at most so many; 0: no limit (encode/cnf/direct.h: direct_share) */
	bool too_large;                  /* more variables than can be numbered: nothing else is set */
	int *have;                       /* [(c * P + n) * (S + 1) + s]; NULL for an allreduce */
	struct direct *direct;           /* an allreduce, where values are added on the way (encode/cnf/direct.h); else NULL */
	int *send;                       /* [(c * E + e) * S + s - 1] for step s = 1..S */
	struct slots *slots;             /* chunks on their way, where memory is short (encode/cnf/slots.h); else NULL */
	int *rho;                        /* [(s - 1) * (extra + 2) + j] for j = 1..extra+1 */
	int same;                        /* before the first of [c * P + k]: chunks c and the next like it came to the k nodes that
					  * they reach last in the same steps. 0: not numbered */
	int variables;
};

struct plan *plan_new(const struct instance *i, const struct fold *fold);
void plan_free(struct plan *p);

/* Which of the instance's chunks chunk C of the plan is. */
static inline int plan_chunk(const struct plan *p, int c)
{
	return p->chunk ? p->chunk[c] : c;
}

static inline int plan_have(const struct plan *p, int c, int n, int s)
{
	return p->have[((size_t)c * (size_t)p->nodes + (size_t)n) * (size_t)(p->steps + 1) + (size_t)s];
}
static inline int plan_send(const struct plan *p, int c, int e, int s)
{
	return p->send[((size_t)c * (size_t)p->edges + (size_t)e) * (size_t)p->steps + (size_t)(s - 1)];
}
static inline int plan_rho(const struct plan *p, int s, int j)
{
	return p->rho[(size_t)(s - 1) * (size_t)(p->extra + 2) + (size_t)j];
}

/* Where a formula goes: a SAT solver or Z3. Literals are variables and their negatives. */
struct sink {
	void *context;
	void (*clause)(void *context, const int *literals, size_t n);
	/* Over one round of step s at most B of these sends: their number is at most B times the rounds of s. */
	void (*capacity)(void *context, const struct plan *p, int s, const int *sends, size_t n, int bandwidth);
	/* At most EXTRA of these are true. */
	void (*budget)(void *context, const struct plan *p, const int *rhos, size_t n, int extra);
};

/*
 * Parts of one thing (chunks of the same pre and post) are interchangeable. They may be asked to come in the order of their
 * numbers: every schedule can be renumbered so. At one node, the farthest from where they begin; or at all nodes, where the
 * steps of their arrivals are compared as words are, the farthest node first. Either makes refusals far quicker, now one, now
 * the other, and many findings slower. An allreduce has one order for both.
 */
enum plan_order { ORDER_NONE, ORDER_ONE_NODE, ORDER_ALL_NODES };
void plan_write(const struct plan *p, const struct sink *to, enum plan_order order);

/* The schedule that VALUE (is the variable true?) makes: pruned to what some post needs, rounds summing to R. */
struct solution;
void plan_decode(const struct plan *p, bool (*value)(void *context, int variable), void *context, struct solution *out);

#endif
