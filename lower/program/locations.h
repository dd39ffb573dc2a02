#ifndef SCCL_LOWER_PROGRAM_LOCATIONS_H
#define SCCL_LOWER_PROGRAM_LOCATIONS_H

/* All places of a program, numbered. */

#include <stdbool.h>
#include <stddef.h>

struct place;
struct program;

struct locations {
	const struct program *p;
	bool in_place; /* a chunk in both input and output of a rank has one location */
	size_t n;
	size_t *scratch_begin, *packet_begin; /* of each rank */
};

struct locations locations_new(const struct program *p, bool in_place);
void locations_free(struct locations *l);
/* Of CHUNK at AT, which exists (location_exists). */
size_t location(const struct locations *l, struct place at, int chunk);
bool location_exists(const struct program *p, struct place at, int chunk);

#endif
