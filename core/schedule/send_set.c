/*
 * Open addressing with linear probing and multiplicative hashing. Keys are never 0, which marks a free slot; the size
 * of the table is a power of two, and it is at most half full.
 */

#include "core/schedule/send_set.h"

#include "core/base/memory.h"

#include <stdlib.h>

static uint64_t key_of(struct send s)
{
	return ((uint64_t)s.chunk << 24 | (uint64_t)s.src << 12 | (uint64_t)s.dst) + 1;
}

static bool place(struct send_set *t, uint64_t key)
{
	size_t i = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (t->size - 1);
	while (t->keys[i] && t->keys[i] != key)
		i = (i + 1) & (t->size - 1);
	if (t->keys[i])
		return false;
	t->keys[i] = key;
	t->n++;
	return true;
}

bool send_set_add(struct send_set *t, struct send s)
{
	if (2 * (t->n + 1) > t->size) {
		size_t size = t->size ? 2 * t->size : 64;
		struct send_set bigger = {new_array(uint64_t, size), 0, size};
		for (size_t i = 0; i < t->size; i++)
			if (t->keys[i])
				place(&bigger, t->keys[i]);
		free(t->keys);
		*t = bigger;
	}
	return place(t, key_of(s));
}

void send_set_free(struct send_set *t)
{
	free(t->keys);
	*t = (struct send_set){0};
}
