#ifndef SCCL_SYNTH_TREES_DEPTH_REDUCTION_H
#define SCCL_SYNTH_TREES_DEPTH_REDUCTION_H

/* Trees made less deep, with as many links as they have together: a pipeline takes as long to fill and drain as they are deep. */

#include "synth/trees/weighted_trees.h"

struct network;

/*
 * Of trees that together go over no link more often than ROUNDS times its width: nodes change their parents for ones nearer the root,
 * over links that are free or that another tree of the same weight gives for the old one, as long as the sum of squares of all
 * depths falls. Where links alone bind. ROOTED: their roots stay; else they are undirected, and each hangs from its centre.
 * Trees that come out alike are one.
 */
void trees_reduce_depth(const struct network *w, bool rooted, struct rational rounds, struct trees *s);

#endif
