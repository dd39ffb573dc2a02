#ifndef SCCL_SYNTH_BUILDER_CHUNK_REFINEMENT_H
#define SCCL_SYNTH_BUILDER_CHUNK_REFINEMENT_H

/*
 * Links several units wide carry several chunks per round: a schedule of few chunks leaves them partly idle, and finer
 * chunks fill them.
 */

struct algorithm;
struct network;

/*
 * Cuts every chunk of A into the number of parts, at most REFINEMENT_MAX, that minimizes R/C; of equally good numbers
 * the smallest. Takes ownership of A, whose rounds are those that its sends need on W, and returns it unchanged where
 * finer chunks gain nothing or would be too many.
 */
struct algorithm *algorithm_refined(struct algorithm *a, const struct network *w);

enum { REFINEMENT_MAX = 64 };

#endif
