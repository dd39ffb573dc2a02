#ifndef SCCL_SYNTH_PROGRAM_TREE_BOUND_H
#define SCCL_SYNTH_PROGRAM_TREE_BOUND_H

/* What all timed trees of a commodity cost at least, where they are too many to find the cheapest. */

struct commodity;
struct network;

/*
 * No timed tree of commodity K of N steps costs less at PRICES [step * n_edges + edge]; exact if these are integers. LEFT,
 * the same, is what the bound does not use of each price; over those of which nothing is left all nodes that want the
 * commodity are reached. It takes about as many operations as there are prices, for each node that wants the commodity and each price that is
 * charged; after the deadline (core/base/stop.h) it returns what it has.
 */
double timed_tree_bound(const struct network *w, const struct commodity *k, int steps, const double *prices, double *left);

#endif
