#ifndef SCCL_ENCODE_CNF_GOSSIP_H
#define SCCL_ENCODE_CNF_GOSSIP_H

/*
 * Gossip: the contribution of each node of an allreduce reaches every node, alone or within sums, and may do so more than once.
 * Every pattern (encode/cnf/pattern.h) is a gossip.
 */

#include "encode/cnf/plan.h"

struct clause;
struct solution;

/* The clauses for the one chunk of P, whose sends without a PRICE [(step - 1) * edges + edge] all take place. *VARIABLES grows. */
void gossip_write(const struct plan *p, const int *price, struct clause *k, int *variables);
/* Reads the sends out of a model, all as reduces. The caller owns the steps. */
void gossip_decode(const struct plan *p, const int *price, bool (*value)(void *context, int variable), void *context, struct solution *out);

#endif
