#ifndef SCCL_SYNTH_PROGRAM_IMAGES_H
#define SCCL_SYNTH_PROGRAM_IMAGES_H

/*
 * A program solved under a group of symmetries stands for its average over the group: each tree of a commodity is
 * replaced by all its images, with equal shares of its amount.
 */

#include "synth/program/timed_program.h"

/* An image of a column's tree, for one commodity. */
struct image {
	int commodity;          /* among all */
	size_t column;
	struct timed_edge *of;  /* sorted; owned */
	int n;
	struct rational share;  /* of the demand of its commodity in the instance */
	int taken;              /* chunks that it carries */
};

struct images {
	size_t n, capacity;
	struct image *of; /* owned, with what they own */
};

/* Is the group small enough for images_new? */
bool images_are_listed(const struct timed_program *q);
/* All images of all columns that carry anything, by commodity; false: the group is too large. The caller frees *OUT. */
bool images_new(const struct timed_program *q, struct images *out);
/* The same of a sample of the group, deterministic: some images of every column for every commodity of its orbit. */
void images_sample(const struct timed_program *q, struct images *out);
void images_free(struct images *x);

/* Adds an image, taking it. */
void images_add(struct images *x, struct image i);
/* Sorts them by commodity, column and edges. */
void images_sort(struct images *x);

#endif
