#ifndef SCCL_SYNTH_BUILDER_SCHEDULE_BUILDER_H
#define SCCL_SYNTH_BUILDER_SCHEDULE_BUILDER_H

/*
 * A schedule under construction: sends may be added in any order; rounds are computed from the load on the links in
 * each step.
 */

#include "core/schedule/algorithm.h"

struct error;
struct network;

struct schedule_builder;

struct schedule_builder *builder_new(const struct network *w); /* borrowed until builder_free */
void builder_free(struct schedule_builder *d);                 /* NULL is fine */

/*
 * Sends CHUNK over the network's edge SRC → DST in STEP, counted from 0. Without such an edge builder_take will fail.
 */
void builder_send(struct schedule_builder *d, int step, int chunk, int src, int dst);
/* The same, but what SRC has is added to what DST has: for methods that build an allreduce directly. */
void builder_reduce(struct schedule_builder *d, int step, int chunk, int src, int dst);

/*
 * Drops sends that arrive after another send has brought the chunk: SINCE [chunk * nodes + node] is the first step in
 * which the chunk is there.
 */
void builder_drop_late(struct schedule_builder *d, const int *since);

/* More than BUILDER_SENDS_MAX sends, which builder_take will refuse: the method may stop. */
bool builder_is_full(const struct schedule_builder *d);

/*
 * The node after FROM on a shortest path to TO. Among several candidates TURN picks one, modulo their number, so that
 * chunks spread. -1: FROM is TO or no path exists.
 */
int builder_next_hop(const struct network *w, int from, int to, int turn);


/*
 * The non-empty steps in order, owned by the caller, each with the fewest rounds that carry its sends. NAME is the
 * method's, for errors: ERROR_SYSTEM for a send without an edge, ERROR_LIMIT for too many sends or rounds. The builder
 * is still to be freed.
 */
bool builder_take(struct schedule_builder *d, const char *name, struct step **steps, size_t *n_steps, struct error *e);

enum { BUILDER_SENDS_MAX = 1 << 25 };

#endif
