#ifndef SCCL_SYNTH_TREES_UNDIRECTED_TREES_H
#define SCCL_SYNTH_TREES_UNDIRECTED_TREES_H

/* Undirected spanning trees where links alone bind: for machines of any size. */

#include "core/base/rational.h"
#include "synth/trees/weighted_trees.h"

struct error;
struct network;

/*
 * Trees of weight 1 at the RATE, the strength of the machine, found by exchanges (tree_union.h); or where these would be too many,
 * at one within a hundredth of it, as trees_rate tells. They are as shallow as they get, and hang from their centres. False
 * with *e set: even these are too many.
 */
bool undirected_trees(const struct method_request *r, struct rational rate, const char *name, struct trees *out, struct error *e);

/* TREES spanning trees that together go over no link more often than ROUNDS times its width. False: there are not so many. */
bool undirected_trees_of(const struct network *w, int trees, int64_t rounds, struct trees *out);

#endif
