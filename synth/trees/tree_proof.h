#ifndef SCCL_SYNTH_TREES_TREE_PROOF_H
#define SCCL_SYNTH_TREES_TREE_PROOF_H

/* Proofs, in integers, that no undirected spanning trees have more weight. For synth/trees/spanning_tree_polytope.c. */

#include "core/base/rational.h"

#include <stdbool.h>

struct packing;

/*
 * By the prices of packing_best, LENGTHS [row], scaled to integers: the sum of widths times prices over the shortest
 * tree's length. Not rational_ok: the prices are not ratios of small integers.
 */
struct rational price_bound(const struct packing *p, const double *lengths);

/* The least number of links (units, in both directions) whose removal disconnects the machine. */
int64_t least_cut(const struct packing *p);

#endif
