#ifndef SCCL_SYNTH_TREES_HIERARCHICAL_TREES_H
#define SCCL_SYNTH_TREES_HIERARCHICAL_TREES_H

/*
 * Blink over several servers (Wang et al., MLSys 2020, section 4): reduce within each box, reduce and broadcast between the boxes'
 * nodes of the same place, broadcast within each box. Each share of the chunks has its node in every box, and one box that adds.
 */

#include "synth/trees/weighted_trees.h"

struct topology;

/* BOXES alike, of direct links, each node of each joined to one switch by links of one width: as topology_boxes makes them. The
 * caller frees *ONE. False: it is no such machine. */
bool boxes_found(const struct topology *t, struct topology **one, int *boxes);

/* Trees of the whole out of those of one box: each tree, hanging from each node of each box, the boxes' roots below that one. */
struct trees hierarchical_trees(const struct trees *one, int boxes);

#endif
