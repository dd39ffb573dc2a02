#ifndef SCCL_CORE_BASE_HEAP_H
#define SCCL_CORE_BASE_HEAP_H

/* A binary heap of items, the least key first; among equal keys the least rank, so that a run is always the same. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct heap_entry {
	int64_t key;
	int rank;
	int item;
};

/* A double as a key that sorts as it does, and back; not NaN. Two zeros are one. */
static inline int64_t heap_key(double x)
{
	int64_t bits;
	x += 0.0;
	memcpy(&bits, &x, sizeof bits);
	return bits < 0 ? bits ^ INT64_MAX : bits;
}

static inline double heap_double(int64_t key)
{
	int64_t bits = key < 0 ? key ^ INT64_MAX : key;
	double x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

struct heap {
	size_t n, capacity;
	struct heap_entry *of; /* of[0] comes first */
	bool tracks;           /* set before the first entry: an item is there once, and heap_put of one that is there moves it */
	size_t n_places, places_capacity;
	int *place;            /* [item], of those up to the largest: where it is, -1: not there */
};

void heap_put(struct heap *h, struct heap_entry e);
struct heap_entry heap_take(struct heap *h); /* of a heap that is not empty */
void heap_free(struct heap *h);

#endif
