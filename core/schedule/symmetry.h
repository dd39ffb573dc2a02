#ifndef SCCL_CORE_SCHEDULE_SYMMETRY_H
#define SCCL_CORE_SCHEDULE_SYMMETRY_H

/*
 * A symmetry: generators that permute the nodes of a machine and the parts of the chunks. A schedule that is invariant
 * under them is given by one send of each orbit: docs/concepts/symmetry.md, docs/reference/formats.md ("symmetry").
 */

#include "core/schedule/collective.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct network;
struct error;
struct json_place;
struct send;
struct text;

struct generator {
	int *nodes; /* [nodes]: images */
	int *parts; /* [parts]: images; for custom collectives and allreduce, every chunk is a part */
};

struct symmetry {
	int nodes, parts;
	int digits, period;   /* a chunk is part * period plus DIGITS node numbers: see collective_row */
	size_t n;
	struct generator *generators; /* owned */
};

/*
 * A symmetry without generators; its number of parts follows from G. The caller frees it, and all others returned here.
 */
struct symmetry *symmetry_new(const struct collective *k, int nodes, int global_chunks);
/* Adds a generator, copying the arrays; PARTS NULL: the identity on parts. */
void symmetry_add(struct symmetry *y, const int *nodes, const int *parts);
struct symmetry *symmetry_copy(const struct symmetry *y);               /* NULL gives NULL */
void symmetry_free(struct symmetry *y);                                 /* NULL is fine */
bool symmetry_same(const struct symmetry *a, const struct symmetry *b); /* the same generators in the same order */
struct symmetry *symmetry_scaled(const struct symmetry *y, int m);      /* every part cut into M; NULL gives NULL */
/*
 * The same generators, as lists of the images of all chunks: for an allreduce, whose chunks keep the numbers they have
 * in Y.
 */
struct symmetry *symmetry_by_chunks(const struct symmetry *y);

int symmetry_chunk(const struct symmetry *y, const struct generator *g, int chunk); /* the image of a chunk */
/* Read and write the "symmetry" of an algorithm file. Reading: false with *e set and *OUT NULL. */
bool symmetry_read(const struct json_place *at, const struct collective *k, int nodes, int global_chunks, struct symmetry **out,
		   struct error *e);
void symmetry_write(const struct symmetry *y, const struct collective *k, struct text *into);

/*
 * Is each generator an automorphism of the machine, i.e. does it map edges to edges and limits to limits of the same
 * bandwidth? If not, *WHICH is the number of the first that is not.
 */
bool symmetry_keeps_machine(const struct symmetry *y, const struct network *w, size_t *which);

/*
 * All elements of the group that the generators generate, the identity first: element i maps node n to
 * nodes[i * n_nodes + n] and part k to parts[i * n_parts + k].
 */
struct elements {
	int n_nodes, n_parts;
	size_t n;
	uint16_t *nodes;
	int *parts;
};
/*
 * The caller frees *OUT. False: there are more than MOST, or they would take too much memory or more than about a
 * second.
 */
bool elements_new(const struct symmetry *y, size_t most, struct elements *out);
void elements_free(struct elements *x);
/* Is the action on nodes free, that is, does every element except the identity move every node? */
bool elements_act_freely(const struct elements *x);
/* The image of a chunk under element I. */
int elements_chunk(const struct symmetry *y, const struct elements *x, size_t i, int chunk);

enum { GENERATORS_MAX = 64, ELEMENT_IMAGES_MAX = 1 << 27 };

#endif
