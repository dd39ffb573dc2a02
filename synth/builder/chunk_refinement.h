#ifndef SCCL_SYNTH_BUILDER_CHUNK_REFINEMENT_H
#define SCCL_SYNTH_BUILDER_CHUNK_REFINEMENT_H

/* Links of several units carry several chunks a round: a drawing of few chunks leaves room, and cut finer it uses it. */

struct algorithm;
struct network;

/* A with every chunk cut into so many parts, at most REFINEMENT_MAX, that R/C is least; of equals the fewest. Takes A, whose rounds are
 * those that its sends need on W; where nothing is to be gained it comes back as it is. */
struct algorithm *algorithm_refined(struct algorithm *a, const struct network *w);

enum { REFINEMENT_MAX = 64 };

#endif
