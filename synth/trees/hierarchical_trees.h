#ifndef SCCL_SYNTH_TREES_HIERARCHICAL_TREES_H
#define SCCL_SYNTH_TREES_HIERARCHICAL_TREES_H

/*
 * Blink over several servers (Wang et al., MLSys 2020, section 4): reduce within each box; reduce and broadcast between
 * the nodes at the same place of all boxes; broadcast within each box. Each part of the chunks has its node in every
 * box, and one box that adds.
 */

#include "synth/trees/weighted_trees.h"

struct topology;

/*
 * Recognizes BOXES equal boxes of direct links, every node linked to one switch by links of equal bandwidth, as
 * topology_boxes (core/machine/topology_rows.h) makes them. *ONE is a single box, which the caller frees. False: not
 * such a machine; nothing is set.
 */
bool boxes_found(const struct topology *t, struct topology **one, int *boxes);

/*
 * Trees of the whole machine from those of one box, which are re-rooted: each tree at each node of each box, with the
 * corresponding nodes of the other boxes below it. The caller frees them.
 */
struct trees hierarchical_trees(const struct trees *one, int boxes);

#endif
