#ifndef SCCL_SYNTH_PROGRAM_CHUNK_PACKING_H
#define SCCL_SYNTH_PROGRAM_CHUNK_PACKING_H

/*
 * Images of trees (synth/program/images.h) packed chunk by chunk into given rounds: a chunk takes the image that has got
 * less than its share, and of those the one whose links are least loaded; if there is none with room, a tree of its own in
 * the room that is left (synth/program/late_tree.h).
 */

#include "synth/program/images.h"

/* What was packed; released by chunk_packing_free. */
struct chunk_packing {
	int steps, done;      /* times the demands of the instance */
	int *rounds;          /* [step]: that are needed, at least 1; owned */
	struct images images; /* with what they carry; owned */
};

/*
 * Packs the demands as often as there is room for in ROUNDS [step] (NULL: any number), at most MOST times; after the
 * deadline (core/base/stop.h) only once, except with any number. TAKEN [image] chunks, for which there must be room, are
 * given to the images beforehand (synth/program/whole_shares.h); NULL: none.
 */
void chunk_packing_new(const struct timed_program *q, const struct images *x, const int *rounds, const int *taken, int most,
		       struct chunk_packing *out);
void chunk_packing_free(struct chunk_packing *p);
/* Its rounds, over the times that it has the demands. */
double chunk_packing_ratio(const struct chunk_packing *p);

#endif
