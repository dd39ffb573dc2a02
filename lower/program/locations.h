#ifndef SCCL_LOWER_PROGRAM_LOCATIONS_H
#define SCCL_LOWER_PROGRAM_LOCATIONS_H

/* Numbers all memory locations of a program, so that checkers can keep arrays of them. */

#include <stdbool.h>
#include <stddef.h>

struct place;
struct program;

/* The numbering: locations are 0 .. n - 1. Each chunk at each rank has one in the input and one in the output, whether
 * these buffers have the chunk or not. */
struct locations {
	const struct program *p;
	bool in_place; /* a chunk in both input and output of a rank has one location */
	size_t n;
	size_t *scratch_begin, *packet_begin; /* owned; of each rank: its first slot */
};

/* P must outlive the result, which the caller releases with locations_free. */
struct locations locations_new(const struct program *p, bool in_place);
void locations_free(struct locations *l);
/* The number of CHUNK's location at AT, which must exist (location_exists). */
size_t location(const struct locations *l, struct place at, int chunk);
/* Do the rank, the chunk and the slot exist, and does that buffer hold that chunk? */
bool location_exists(const struct program *p, struct place at, int chunk);

#endif
