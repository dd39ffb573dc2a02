#ifndef SCCL_SYNTH_BUILDER_SCHEDULE_BUILDER_H
#define SCCL_SYNTH_BUILDER_SCHEDULE_BUILDER_H

/* A schedule while it is drawn: sends come in any order, rounds are counted from what the links of each step carry. */

#include "core/schedule/algorithm.h"

struct error;
struct network;

struct schedule_builder;

struct schedule_builder *builder_new(const struct network *w); /* borrowed until builder_free */
void builder_free(struct schedule_builder *d);                 /* NULL is fine */

/* CHUNK over the edge SRC → DST of the network in STEP, 0 the first. A pair that is no edge spoils the draft: builder_take tells. */
void builder_send(struct schedule_builder *d, int step, int chunk, int src, int dst);
/* The same where what SRC has is added to what DST has: for methods that draw an allreduce by themselves. */
void builder_reduce(struct schedule_builder *d, int step, int chunk, int src, int dst);

/* Leaves out what comes to a node later than the chunk is there by another send: SINCE [chunk * nodes + node], the step from which on. */
void builder_drop_late(struct schedule_builder *d, const int *since);

/* More than can be taken: whoever draws may stop. */
bool builder_is_full(const struct schedule_builder *d);

/* The next node after FROM on a shortest way to TO over edges; of several the TURN-th, so that chunks spread. -1: no way. */
int builder_next_hop(const struct network *w, int from, int to, int turn);


/* Steps with sends, in order, each with the fewest rounds that carry them. NAME is of the method, for errors. */
bool builder_take(struct schedule_builder *d, const char *name, struct step **steps, size_t *n_steps, struct error *e);

enum { BUILDER_SENDS_MAX = 1 << 25 };

#endif
