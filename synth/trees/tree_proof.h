#ifndef SCCL_SYNTH_TREES_TREE_PROOF_H
#define SCCL_SYNTH_TREES_TREE_PROOF_H

/* That no undirected spanning trees have more weight, in whole numbers. For synth/trees/spanning_tree_polytope.c. */

#include "core/base/rational.h"

#include <stdbool.h>

struct packing;

/* By the prices of packing_best, LENGTHS [row], as whole numbers: the sum of widths times prices over the shortest tree's. Not a
 * number: they are no ratios of small numbers. */
struct rational price_bound(const struct packing *p, const double *lengths);

/* The least number of links (units, both ways) whose loss parts the machine. */
int64_t least_cut(const struct packing *p);

#endif
