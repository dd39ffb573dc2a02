#ifndef SCCL_SYNTH_TREES_DEPTH_REDUCTION_H
#define SCCL_SYNTH_TREES_DEPTH_REDUCTION_H

/*
 * Makes packed trees shallower without using more links: a pipeline takes as long to fill and drain as its trees are
 * deep.
 */

#include "synth/trees/weighted_trees.h"

struct network;

/*
 * For trees that together load no link with more than ROUNDS times its width, where links alone bind. Nodes move to
 * parents nearer the root, over links with residual capacity or in exchange with another tree of the same weight, as
 * long as the sum of the squares of all depths falls. ROOTED: roots stay; otherwise trees are undirected, and end up
 * rooted at their centres. Trees that become equal are merged.
 */
void trees_reduce_depth(const struct network *w, bool rooted, struct rational rounds, struct trees *s);

#endif
