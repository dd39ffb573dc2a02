#ifndef SCCL_SYNTH_TREES_UNDIRECTED_TREES_H
#define SCCL_SYNTH_TREES_UNDIRECTED_TREES_H

/* Undirected spanning trees where links alone bind: for machines of any size. */

#include "core/base/rational.h"
#include "synth/builder/method.h"
#include "synth/trees/weighted_trees.h"

struct error;
struct network;

/*
 * Trees of weight 1 at RATE, the strength of the machine, found by exchanges (core/graph/matroid_union.h); or, where
 * these would be too many, at a rate within a hundredth of it or the best that is feasible, which trees_rate gives.
 * They are as shallow as depth reduction makes them, and rooted at their centres. False with *e set: even these are too
 * many.
 */
bool undirected_trees(const struct method_request *r, struct rational rate, const char *name, struct trees *out, struct error *e);

/*
 * TREES spanning trees that together load no link with more than ROUNDS times its width. False: there are not that
 * many.
 */
bool undirected_trees_of(const struct network *w, int trees, int64_t rounds, struct trees *out);

#endif
