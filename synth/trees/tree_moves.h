#ifndef SCCL_SYNTH_TREES_TREE_MOVES_H
#define SCCL_SYNTH_TREES_TREE_MOVES_H

/* What weighted trees send, in which order of precedence, and when. For synth/trees/tree_schedule.c. */

#include "core/base/csr.h"
#include "core/schedule/collective.h"
#include "synth/trees/weighted_trees.h"

struct network;

struct tree_move {
	int chunk, src, dst;
	/* Of the network; -1: not a send, but the moment in which a chunk's sum is complete and turns back. */
	int edge;
	bool reduces;
	int wave, early; /* early: its step where waves follow one another a step apart */
	int height;      /* sends on the longest path from here to the end, including this one */
};

struct tree_moves {
	size_t n, capacity;
	struct tree_move *of; /* in topological order: a move comes after those it waits for */
	size_t n_sends;
	size_t n_pairs, pairs_capacity;
	struct tree_pair {
		int before, after;
	} *pairs;
	struct csr after, before; /* by move: its successors, and its predecessors */
};

/* COUNTS [tree]: chunks on each. KIND is GATHER or ALLREDUCE. Release with tree_moves_free. */
struct tree_moves tree_moves_new(const struct network *w, const struct trees *s, const int64_t *counts, enum collective_kind kind);
void tree_moves_free(struct tree_moves *m);

/*
 * tree_placement.c. List scheduling, round by round: each move as soon as capacity allows, least KEY [move] first. AT
 * [move] gets its round. BACKWARD: from the last round on, each as late as capacity allows. Returns the number of
 * rounds.
 */
int tree_moves_play(const struct tree_moves *m, const struct network *w, const int64_t *key, bool backward, int *at);

struct tree_times {
	int steps;
	int *at;        /* [move]: its step; owned */
	int64_t rounds;
};

/*
 * tree_times.c. The fewest rounds, then steps, of all schedules tried; among those of at most ENOUGH rounds the fewest
 * steps.
 */
struct tree_times tree_moves_in_waves(const struct tree_moves *m, const struct network *w); /* waves only */
struct tree_times tree_moves_time(const struct tree_moves *m, const struct network *w, int64_t enough);

#endif
