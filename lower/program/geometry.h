#ifndef SCCL_LOWER_PROGRAM_GEOMETRY_H
#define SCCL_LOWER_PROGRAM_GEOMETRY_H

/*
 * The location of chunks in the two terms with which a generated program computes: how a chunk is cut out of L, the
 * same on every rank, and in which block of a rank's buffer it is. L is the size of one rank's input; for a custom
 * collective, it is the size of one chunk of its file.
 */

#include "core/schedule/collective.h"

struct algorithm;

/* A chunk is part `part` of `parts` of block `block` of `blocks` of L. */
struct chunk_cut {
	int block, blocks, part, parts;
};

/* How CHUNK, a number below A's global_chunks, is cut out of L. */
struct chunk_cut chunk_cut(const struct algorithm *a, int chunk);

/* The block of the rank's buffer that has the chunk, which must be in its input or output, respectively. */
int input_block(const struct algorithm *a, int chunk, int rank);
int output_block(const struct algorithm *a, int chunk, int rank);

/* The size of a buffer: `times` times the size of block `block` of `blocks` of L. times is 0 if it is empty. */
struct extent {
	int times, block, blocks;
};

/* The sizes of the rank's input and output buffers. */
struct extent input_extent(const struct algorithm *a, int rank);
struct extent output_extent(const struct algorithm *a, int rank);

/* Does the collective support calls in place? In such a call, a chunk that is in both the input and the output of a
 * rank has one location. */
bool collective_in_place(const struct collective *k);

#endif
