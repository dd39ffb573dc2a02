#ifndef SCCL_LOWER_PROGRAM_GEOMETRY_H
#define SCCL_LOWER_PROGRAM_GEOMETRY_H

/*
 * Where chunks lie, in the two numbers that a generated program computes with: how a chunk is cut out of L (block of
 * blocks, part of parts: the same on every rank), and in which block of a rank's buffer it lies. The L of a custom
 * collective is one chunk of its file.
 */

#include "core/schedule/collective.h"

struct algorithm;

struct chunk_cut {
	int block, blocks, part, parts;
};

struct chunk_cut chunk_cut(const struct algorithm *a, int chunk);

/* The block of the buffer; the chunk must be in rank's input, output. */
int input_block(const struct algorithm *a, int chunk, int rank);
int output_block(const struct algorithm *a, int chunk, int rank);

/* A buffer holds so many times block `block` of `blocks` of L; 0 times: nothing. */
struct extent {
	int times, block, blocks;
};

struct extent input_extent(const struct algorithm *a, int rank);
struct extent output_extent(const struct algorithm *a, int rank);

/* Is a call with input and output in the same place meant? Then a chunk that a rank has in both lies in one place. */
bool collective_in_place(const struct collective *k);

#endif
