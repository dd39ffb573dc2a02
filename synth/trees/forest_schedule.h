#ifndef SCCL_SYNTH_TREES_FOREST_SCHEDULE_H
#define SCCL_SYNTH_TREES_FOREST_SCHEDULE_H

/* Trees as a schedule of steps and rounds: when each chunk takes each edge of its tree. For synth/trees/forest_solve.c. */

#include "core/schedule/algorithm.h"
#include "core/base/rational.h"
#include "synth/trees/forest.h"

struct network;

/* R/C that the trees need where every send takes the one route that the network has for its pair. */
struct rational forest_by_routes(const struct network *w, const struct forest *f);

/*
 * WAVES times all trees, for the allgather or broadcast that they are of: chunk (wave * k + tree) of each root. Of pipelined
 * waves and of sends as early as all links stay full, that of fewer rounds, then steps. The steps are the caller's; NULL
 * with *e set: too many sends to list.
 */
struct step *forest_schedule(const struct network *w, const struct forest *f, int waves, size_t *n_steps, struct error *e);

enum { FOREST_SENDS_MAX = 1 << 22 };

#endif
