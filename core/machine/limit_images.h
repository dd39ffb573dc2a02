#ifndef SCCL_CORE_MACHINE_LIMIT_IMAGES_H
#define SCCL_CORE_MACHINE_LIMIT_IMAGES_H

/* What a relabelling makes of a network's limits. */

#include <stdbool.h>
#include <stddef.h>

struct network;

struct limit_image {
	int limit, bandwidth;
	size_t n;
	int *edges; /* ascending; owned */
};

/*
 * All limits, with the edges that MOVED [edge] makes of theirs (NULL: their own), in an order that depends on nothing else: where a
 * relabelling keeps the machine, its list and that of NULL have the same limits at the same places.
 */
struct limit_image *limit_images_new(const struct network *w, const int *moved);
void limit_images_free(struct limit_image *all, size_t n); /* NULL is fine */

/* The same edges, as many chunks: whatever the limits' numbers. */
bool limit_images_same(const struct limit_image *a, const struct limit_image *b);

#endif
