#ifndef SCCL_CORE_BASE_HEAP_H
#define SCCL_CORE_BASE_HEAP_H

/*
 * A binary min-heap. Entries are ordered by key; ties are broken by rank, then by item, so that every run takes the
 * same decisions.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct heap_entry {
	int64_t key;
	int rank;
	int item;
};

/* An order-preserving conversion of a double to a key. X must not be NaN; both zeros give the same key. */
static inline int64_t heap_key(double x)
{
	int64_t bits;
	x += 0.0;
	memcpy(&bits, &x, sizeof bits);
	return bits < 0 ? bits ^ INT64_MAX : bits;
}

/* The inverse of heap_key. */
static inline double heap_double(int64_t key)
{
	int64_t bits = key < 0 ? key ^ INT64_MAX : key;
	double x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

/* Empty when zeroed; owns its arrays (heap_free). */
struct heap {
	size_t n, capacity;
	struct heap_entry *of; /* of[0] is the least */
	bool tracks;           /* set before the first entry: items are unique; heap_put moves one already present */
	size_t n_places, places_capacity;
	int *place;            /* [item], up to the largest seen: its index in of, -1: absent */
};

/* Inserts E, or, if the heap tracks items, changes the key and rank of an item that is already present. O(log n). */
void heap_put(struct heap *h, struct heap_entry e);
/* Removes and returns the least entry of a nonempty heap. O(log n). */
struct heap_entry heap_take(struct heap *h);
void heap_free(struct heap *h);

#endif
