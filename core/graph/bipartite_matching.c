/*
 * Each new item is matched by a breadth-first search for a shortest augmenting path (Berge 1957): from the bins that it
 * may use, through the items in them, to the other bins these may use, until one has free capacity.
 */

#include "core/graph/bipartite_matching.h"

#include "core/base/memory.h"

#include <stdlib.h>

struct item {
	size_t begin; /* its bins are all[begin] .. all[begin + n_bins - 1] */
	int n_bins;
	int bin;      /* that it is in; -1: none */
	size_t place; /* its index in that bin's list */
};

struct bin {
	int64_t left;  /* free capacity */
	size_t n, room;
	size_t *items;
	/* Of the current search: */
	size_t round;  /* the search that reached it last */
	int from;      /* the preceding bin on the path; -1: none */
	size_t mover;  /* the item that would move from that bin to this one */
};

struct bipartite_matching {
	int n_bins;
	struct bin *bins;
	int64_t left;
	size_t n_items, item_room;
	struct item *items;
	size_t n_all, all_room;
	int *all;
	size_t round;
	int *queue;
};

struct bipartite_matching *matching_new(int bins)
{
	struct bipartite_matching *f = new(struct bipartite_matching);

	f->n_bins = bins;
	f->bins = new_array(struct bin, (size_t)bins);
	f->queue = new_array(int, (size_t)bins);
	return f;
}

void matching_free(struct bipartite_matching *f)
{
	if (!f)
		return;
	for (int b = 0; b < f->n_bins; b++)
		free(f->bins[b].items);
	free(f->bins);
	free(f->items);
	free(f->all);
	free(f->queue);
	free(f);
}

void matching_begin(struct bipartite_matching *f, const int64_t *room)
{
	f->left = 0;
	f->n_items = f->n_all = 0;
	for (int b = 0; b < f->n_bins; b++) {
		f->bins[b].left = room[b];
		f->bins[b].n = 0;
		f->left += room[b];
	}
}

static void take_out(struct bipartite_matching *f, size_t item)
{
	struct item *x = &f->items[item];
	struct bin *b = &f->bins[x->bin];
	size_t last = b->items[--b->n];

	b->items[x->place] = last;
	f->items[last].place = x->place;
	b->left++;
	x->bin = -1;
}

static void put_in(struct bipartite_matching *f, size_t item, int bin)
{
	struct bin *b = &f->bins[bin];

	b->items = grown(b->items, &b->room, b->n + 1, sizeof *b->items);
	f->items[item].bin = bin;
	f->items[item].place = b->n;
	b->items[b->n++] = item;
	b->left--;
}

/* Enqueues the bins that the item may use and that the search has not reached yet. Returns the new tail. */
static int look(struct bipartite_matching *f, size_t item, int from, int tail)
{
	const struct item *x = &f->items[item];

	for (int i = 0; i < x->n_bins; i++) {
		int bin = f->all[x->begin + (size_t)i];
		struct bin *b = &f->bins[bin];
		if (b->round == f->round)
			continue;
		b->round = f->round;
		b->from = from;
		b->mover = item;
		f->queue[tail++] = bin;
	}
	return tail;
}

/*
 * Augments along the path that ends at BIN: each item on it moves to the next bin, which frees a slot for the one
 * before.
 */
static void shift_along(struct bipartite_matching *f, int bin)
{
	for (;;) {
		int from = f->bins[bin].from;
		size_t mover = f->bins[bin].mover;
		if (from >= 0)
			take_out(f, mover);
		put_in(f, mover, bin);
		if (from < 0)
			return;
		bin = from;
	}
}

bool matching_add(struct bipartite_matching *f, const int *bins, int n)
{
	size_t item = f->n_items;
	int tail;

	f->items = grown(f->items, &f->item_room, item + 1, sizeof *f->items);
	f->all = grown(f->all, &f->all_room, f->n_all + (size_t)n, sizeof *f->all);
	f->items[f->n_items++] = (struct item){.begin = f->n_all, .n_bins = n, .bin = -1};
	for (int i = 0; i < n; i++)
		f->all[f->n_all++] = bins[i];
	if (f->left == 0)
		return false;
	f->round++;
	tail = look(f, item, -1, 0);
	for (int head = 0; head < tail; head++) {
		struct bin *b = &f->bins[f->queue[head]];
		if (b->left > 0) {
			shift_along(f, f->queue[head]);
			f->left--;
			return true;
		}
		for (size_t i = 0; i < b->n && tail < f->n_bins; i++)
			tail = look(f, b->items[i], f->queue[head], tail);
	}
	return false;
}

bool matching_is_full(const struct bipartite_matching *f)
{
	return f->left == 0;
}

size_t matching_items(const struct bipartite_matching *f)
{
	return f->n_items;
}

int matching_bin(const struct bipartite_matching *f, size_t item)
{
	return f->items[item].bin;
}
