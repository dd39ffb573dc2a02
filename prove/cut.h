#ifndef SCCL_PROVE_CUT_H
#define SCCL_PROVE_CUT_H

/* Bounds, recomputed from their witnesses. */

#include "prove/proof.h"
#include "prove/question.h"

struct json_place;

/* The least S in which every chunk can reach all nodes that want it; UNREACHABLE: there is none. */
int cut_steps(const struct question *q);

/*
 * The R/C that the cut forces: chunks that begin on one side and must reach the other, over the capacity of the links
 * and limits between the sides in a round; or the hops of all chunks over the capacity of all links; or as cut_kind
 * (prove/proof.h) states. 0: no bound, or one that cannot be computed.
 */
struct rational cut_bandwidth(const struct question *q, const struct cut *k);

/*
 * The most that can get from one side to the other in a round over the physical links: the maximum flow, with limits on
 * what may enter and leave each vertex; switches may be on either side. SIDE [node]; a node with CUT_BESIDE takes no
 * part. BACKWARDS: all links and limits are reversed.
 */
enum { CUT_FROM, CUT_TO, CUT_BESIDE };
int64_t cut_flow(const struct topology *t, bool backwards, const int *side);

/* All sends of R rounds over C chunks: some chunk has at most this many sends. -1: it cannot be computed. */
int64_t cut_share(const struct question *q, struct candidate c);

/* Reads the R/C, and the witness. What has been read belongs to *K, even on failure: cut_free. */
bool cut_read(const struct json_place *at, int nodes, struct cut *k, struct error *e);
void cut_free(struct cut *k);

#endif
