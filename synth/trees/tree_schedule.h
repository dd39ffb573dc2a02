#ifndef SCCL_SYNTH_TREES_TREE_SCHEDULE_H
#define SCCL_SYNTH_TREES_TREE_SCHEDULE_H

/*
 * The scheduler of all tree methods: weighted trees become steps of sends, in which chunks follow one another along
 * each tree.
 */

#include "core/schedule/collective.h"
#include "synth/builder/method.h"

#include <stdint.h>

struct error;
struct network;
struct step;
struct trees;

/* Which chunks go over which tree, and when the time of a schedule is good. */
struct tree_plan {
	enum collective_kind kind; /* ALLGATHER, BROADCAST: down from the roots; GATHER; ALLREDUCE: up and down */
	const int64_t *counts;     /* [tree]: chunks of each, in a wave or in all; NULL: its weight. Borrowed */
	/*
	 * Not 0: this many waves of COUNTS chunks, numbered wave by wave, in each by tree; each root of an allgather has
	 * chunks of its own. 0: COUNTS chunks in all, numbered tree by tree, of which a wave has as many as the tree's weight.
	 */
	int waves;
	bool in_turn;              /* numbers go round the trees, not tree by tree */
	/* Of schedules with at most this many rounds the one with the fewest steps is best; of others the fewest rounds. */
	int64_t enough;
	bool in_waves;             /* waves a step apart, and nothing else */
};

/*
 * *STEPS, with their rounds, are the caller's. Every tree edge must be an edge of W, as must its reverse where chunks
 * go up. NAME is the method's, for errors (ERROR_LIMIT: too many sends to list, or too many rounds in a step).
 */
bool trees_schedule(const struct network *w, const struct trees *s, const struct tree_plan *p, const char *name, struct step **steps,
		    size_t *n_steps, struct error *e);

/*
 * A broadcast from the trees' common root, a gather to it, or an allreduce up and down them. Chunks are divided among
 * trees by weight and pipelined in waves, or sent as early as links are free, whichever needs fewer rounds. Without -C
 * as few waves as come within a sixteenth of the trees' rate. NAME is the method's, for errors.
 */
bool trees_construct(const struct method_request *r, const struct trees *s, const char *name, struct construction *out, struct error *e);

/* The most sends of one wave, and of a broadcast or allgather that is placed many times over. */
enum { TREE_SENDS_MAX = 1 << 22 };

#endif
