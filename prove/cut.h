#ifndef SCCL_PROVE_CUT_H
#define SCCL_PROVE_CUT_H

/* Bounds, computed anew from what shows them. */

#include "prove/proof.h"
#include "prove/question.h"

/* The least S with which every chunk can be where it must; UNREACHABLE: none. */
int cut_steps(const struct question *q);

/*
 * R/C that the cut forces: the chunks that begin on one side and must come to the other, over what links and limits between
 * them let through in a round; or all hops of all chunks over all links. 0: nothing, or no C of one can be counted.
 */
struct rational cut_bandwidth(const struct question *q, const struct cut *k);

/*
 * What gets from one side to the other in a round over the physical links, switches on whichever side lets the least through: the
 * maximum flow, each vertex with what may enter and leave it. SIDE [node]; a node beside takes no part. BACKWARDS: all links and limits
 * are reversed.
 */
enum { CUT_FROM, CUT_TO, CUT_BESIDE };
int64_t cut_flow(const struct topology *t, bool backwards, const int *side);

/* All sends of R rounds, over C chunks: one of them has no more. -1: it cannot be counted. */
int64_t cut_share(const struct question *q, struct candidate c);

#endif
