#ifndef SCCL_SYNTH_TREES_TREE_MOVES_H
#define SCCL_SYNTH_TREES_TREE_MOVES_H

/* What weighted trees send, which of it must come first, and when it goes. For synth/trees/tree_schedule.c. */

#include "core/base/csr.h"
#include "core/schedule/collective.h"
#include "synth/trees/weighted_trees.h"

struct network;

struct tree_move {
	int chunk, src, dst;
	int edge;        /* of the network; -1: no send, but the moment in which a chunk's sum is whole and turns back */
	bool reduces;
	int wave, early; /* its step where waves follow each other step by step */
	int height;      /* sends on the longest way from here to the end, this one too */
};

struct tree_moves {
	size_t n, capacity;
	struct tree_move *of; /* whoever waits comes later */
	size_t n_sends;
	size_t n_pairs, pairs_capacity;
	struct tree_pair {
		int before, after;
	} *pairs;
	struct csr after, before; /* by move: who comes after it, and before */
};

/* COUNTS [tree]: chunks of it. KIND is GATHER or ALLREDUCE. */
struct tree_moves tree_moves_new(const struct network *w, const struct trees *s, const int64_t *counts, enum collective_kind kind);
void tree_moves_free(struct tree_moves *m);

/*
 * tree_place.c. Round by round, each as soon as there is room, those of the least KEY [move] first. AT [move] gets its round. BACKWARD:
 * from the last round on, each as late as there is room. Gives the number of rounds.
 */
int tree_moves_play(const struct tree_moves *m, const struct network *w, const int64_t *key, bool backward, int *at);

struct tree_times {
	int steps;
	int *at;        /* [move]: its step; owned */
	int64_t rounds;
};

/*
 * tree_times.c. The fewest rounds, then steps, of all that is tried; but of those that need no more than ENOUGH rounds the
 * fewest steps.
 */
struct tree_times tree_moves_in_waves(const struct tree_moves *m, const struct network *w); /* that alone */
struct tree_times tree_moves_time(const struct tree_moves *m, const struct network *w, int64_t enough);

#endif
