#ifndef SCCL_SYNTH_TREES_TREE_MOVES_H
#define SCCL_SYNTH_TREES_TREE_MOVES_H

/* What weighted trees send, in which order of precedence, and when. For synth/trees/tree_schedule.c. */

#include "core/base/csr.h"
#include "synth/trees/tree_schedule.h"

struct tree_move {
	int chunk;
	int edge; /* of the network; -1: not a send, but the moment in which a chunk's sum is complete and turns back */
	bool reduces;
	int wave, early; /* early: its step where waves follow one another a step apart */
	int height;      /* sends on the longest path from here to the end, including this one */
};

struct tree_moves {
	const struct network *network; /* borrowed */
	bool copies;                   /* chunks go down the trees only */
	int depth;                     /* of the deepest tree */
	size_t n, capacity;
	struct tree_move *of;          /* a move comes after those it waits for; copies: highest first */
	size_t n_sends, most;          /* the plan has more than MOST sends: some are missing */
	size_t n_pairs, pairs_capacity;
	struct tree_pair {
		int before, after;
	} *pairs; /* only while the moves are listed */
	struct csr after, before; /* by move: its successors, and its predecessors */
};

/* The moves of a plan. W is borrowed. Release with tree_moves_free. */
struct tree_moves tree_moves_new(const struct network *w, const struct trees *s, const struct tree_plan *p);
void tree_moves_free(struct tree_moves *m);

/* Which move goes first, and how many rounds a step has. */
struct tree_priority {
	/* For steps of one round. */
	const int64_t *key; /* [move]: the least first */
	bool backward;      /* from the last step on, each move as late as capacity allows */
	/*
	 * Not 0: in at most this many steps, each of as many rounds as keep the busiest links full. Of copies only, the
	 * highest first.
	 */
	int steps;
	bool eager;         /* as many rounds at once as that allows; otherwise at most an equal share of those left */
};

/*
 * tree_placement.c. List scheduling, step by step: each move as soon as capacity allows. AT [move] gets its step.
 * Returns the number of steps.
 */
int tree_moves_place(const struct tree_moves *m, const struct tree_priority *priority, int *at);

struct tree_times {
	int steps;       /* each with a send */
	int *at;         /* [move]: its step; owned */
	int64_t *rounds; /* [step]; owned */
	int64_t total;   /* rounds of all steps */
};

/* tree_times.c. The best times of all those tried, as the plan says. Release with tree_times_free. */
struct tree_times tree_moves_time(const struct tree_moves *m, const struct tree_plan *p);
void tree_times_free(struct tree_times *t);

#endif
