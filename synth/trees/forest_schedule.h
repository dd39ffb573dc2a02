#ifndef SCCL_SYNTH_TREES_FOREST_SCHEDULE_H
#define SCCL_SYNTH_TREES_FOREST_SCHEDULE_H

/*
 * Trees as a schedule of steps and rounds: when each chunk crosses each edge of its tree. For
 * synth/trees/forest_solve.c.
 */

#include "core/schedule/algorithm.h"
#include "core/base/rational.h"
#include "synth/trees/forest.h"

struct network;

/* R/C that the trees need where every send takes the one route that the network has for its pair. */
struct rational forest_by_routes(const struct network *w, const struct forest *f);

/*
 * WAVES copies of all trees, as an allgather or broadcast: chunk (wave * k + tree) of each root. The better of
 * pipelined waves and of steps filled as early as links stay busy, by rounds and then steps. The steps are the
 * caller's. NULL with *e set: too many sends to list.
 */
struct step *forest_schedule(const struct network *w, const struct forest *f, int waves, size_t *n_steps, struct error *e);

enum { FOREST_SENDS_MAX = 1 << 22 };

#endif
