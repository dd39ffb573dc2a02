#ifndef SCCL_METHODS_TREE_MOVES_H
#define SCCL_METHODS_TREE_MOVES_H

/* What weighted trees send, which of it must come first, and when it goes. For methods/tree_draw.c. */

#include "core/collective.h"
#include "methods/trees.h"

struct draft;
struct network;

struct tree_move {
	int chunk, src, dst;
	bool reduces;
	int wave, early; /* its step where waves follow each other step by step */
	int height;      /* moves on the longest way from here to the end, this one too */
	int waits;       /* moves that must have been */
};

struct tree_moves {
	size_t n, capacity;
	struct tree_move *of;     /* whoever waits comes later */
	size_t n_pairs, pairs_capacity;
	struct tree_pair {
		int before, after;
	} *pairs;                 /* sorted by before once all are there */
	size_t *begin;            /* of move m: pairs[begin[m]] .. pairs[begin[m + 1] - 1] */
};

/* COUNTS [tree]: chunks of it. KIND is GATHER or ALLREDUCE. */
struct tree_moves tree_moves_new(const struct trees *s, const int64_t *counts, enum collective_kind kind);
void tree_moves_free(struct tree_moves *m);

enum tree_order { IN_WAVES, BY_WAVE, BY_HEIGHT, TREE_ORDERS };

/* tree_place.c. All moves into the draft: step by step in waves, or round by round as soon as there is room, in that order. */
void tree_moves_place(const struct tree_moves *m, const struct network *w, enum tree_order order, struct draft *d);

#endif
