#ifndef SCCL_SYNTH_BUILDER_SCHEDULE_BUILDER_H
#define SCCL_SYNTH_BUILDER_SCHEDULE_BUILDER_H

/* A schedule while it is drawn: sends come in any order, rounds are counted from what the links of each step carry. */

#include "core/schedule/algorithm.h"

struct error;
struct network;

struct draft;

struct draft *draft_new(const struct network *w); /* borrowed until draft_free */
void draft_free(struct draft *d);                 /* NULL is fine */

/* CHUNK over the edge SRC → DST of the network in STEP, 0 the first. A pair that is no edge spoils the draft: draft_take tells. */
void draft_send(struct draft *d, int step, int chunk, int src, int dst);
/* The same where what SRC has is added to what DST has: for methods that draw an allreduce by themselves. */
void draft_reduce(struct draft *d, int step, int chunk, int src, int dst);

/* Leaves out what comes to a node later than the chunk is there by another send: SINCE [chunk * nodes + node], the step from which on. */
void draft_drop_late(struct draft *d, const int *since);

/* More than can be taken: whoever draws may stop. */
bool draft_is_full(const struct draft *d);

/* The next node after FROM on a shortest way to TO over edges; of several the TURN-th, so that chunks spread. -1: no way. */
int draft_next_hop(const struct network *w, int from, int to, int turn);

/* Rounds that these loads need: EDGE_LOADS [edge], counted against links and limits. */
int64_t draft_rounds(const struct network *w, const int64_t *edge_loads);

/* Steps with sends, in order, each with the fewest rounds that carry them. NAME is of the method, for errors. */
bool draft_take(struct draft *d, const char *name, struct step **steps, size_t *n_steps, struct error *e);

enum { DRAFT_SENDS_MAX = 1 << 25 };

#endif
