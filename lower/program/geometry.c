/* The location of chunks, derived from the places of the collective (core/schedule/collective_places.c). */

#include "lower/program/geometry.h"

#include "core/schedule/algorithm.h"
#include "core/machine/topology.h"

typedef bool place_of(const struct collective *k, int nodes, int chunks, int chunk, int node, struct chunk_place *out);

static struct chunk_place place(place_of *of, const struct algorithm *a, int chunk, int rank)
{
	struct chunk_place p = {0, 1, 0, 1};

	of(&a->collective, a->topology->nodes, a->chunks, chunk, rank, &p);
	return p;
}

/* The first rank whose input has the chunk. */
static int holder(const struct algorithm *a, int chunk)
{
	int node = 0;

	while (node + 1 < a->topology->nodes && !collective_pre(&a->collective, a->topology->nodes, chunk, node))
		node++;
	return node;
}

struct chunk_cut chunk_cut(const struct algorithm *a, int chunk)
{
	struct chunk_place p = place(collective_input, a, chunk, holder(a, chunk));

	if (a->collective.kind == CUSTOM)
		return (struct chunk_cut){0, 1, p.part, p.parts};
	return (struct chunk_cut){p.block, p.blocks, p.part, p.parts};
}

/* Except for custom collectives, an input is L itself, in which the block of the chunk's cut already locates it. */
int input_block(const struct algorithm *a, int chunk, int rank)
{
	return a->collective.kind == CUSTOM ? place(collective_input, a, chunk, rank).block : 0;
}

int output_block(const struct algorithm *a, int chunk, int rank)
{
	return place(collective_output, a, chunk, rank).block;
}

struct extent input_extent(const struct algorithm *a, int rank)
{
	int nodes = a->topology->nodes;

	for (int c = 0; c < a->global_chunks; c++)
		if (collective_pre(&a->collective, nodes, c, rank))
			return (struct extent){a->collective.kind == CUSTOM ? place(collective_input, a, c, rank).blocks : 1, 0, 1};
	return (struct extent){0, 0, 1};
}

struct extent output_extent(const struct algorithm *a, int rank)
{
	int nodes = a->topology->nodes;

	for (int c = 0; c < a->global_chunks; c++)
		if (collective_post(&a->collective, nodes, c, rank)) {
			struct chunk_cut cut = chunk_cut(a, c);
			return (struct extent){place(collective_output, a, c, rank).blocks, cut.block, cut.blocks};
		}
	return (struct extent){0, 0, 1};
}

bool collective_in_place(const struct collective *k)
{
	return k->kind != ALLTOALL && k->kind != CUSTOM;
}
