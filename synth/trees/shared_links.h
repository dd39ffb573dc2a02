#ifndef SCCL_SYNTH_TREES_SHARED_LINKS_H
#define SCCL_SYNTH_TREES_SHARED_LINKS_H

/* Few spanning trees of large weights, by deciding for each link which trees share it. */

#include "core/base/rational.h"
#include "synth/trees/weighted_trees.h"

struct network;

/*
 * Fewer than MOST undirected spanning trees of RATE, where links alone bind: the fewest of those whose weights are
 * integers where RATE is one, if the search ends within its budget. False: none found, and *out is empty.
 */
bool trees_sharing_links(const struct network *w, struct rational rate, size_t most, struct trees *out);

#endif
