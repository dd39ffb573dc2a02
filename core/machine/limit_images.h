#ifndef SCCL_CORE_MACHINE_LIMIT_IMAGES_H
#define SCCL_CORE_MACHINE_LIMIT_IMAGES_H

/* The images of a network's limits under a relabelling of its edges. */

#include <stdbool.h>
#include <stddef.h>

struct network;

struct limit_image {
	int limit, bandwidth; /* limit: its index in the network */
	size_t n;
	int *edges; /* ascending; owned */
};

/*
 * The images of all limits under MOVED [edge] (NULL: the identity), n_limits of them, in a canonical order: MOVED
 * preserves the limits if and only if its list and that of NULL are equal position by position (limit_images_same). The
 * caller frees them.
 */
struct limit_image *limit_images_new(const struct network *w, const int *moved);
void limit_images_free(struct limit_image *all, size_t n); /* NULL is fine */

/* Have they the same edges and bandwidth? The indices of the limits do not matter. */
bool limit_images_same(const struct limit_image *a, const struct limit_image *b);

#endif
