#ifndef SCCL_CORE_SCHEDULE_SYMMETRY_H
#define SCCL_CORE_SCHEDULE_SYMMETRY_H

/*
 * Relabellings of a machine's nodes that also say what becomes of the parts of each node's chunks. A schedule that they
 * carry to itself is told by one send of each orbit: docs/concepts/symmetry.md, docs/reference/formats.md ("symmetry").
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
	int *parts; /* [parts]: images; of custom collectives and allreduce every chunk is a part */
};

struct symmetry {
	int nodes, parts;
	int digits, period;   /* a chunk is part * period + so many node numbers: collective_row */
	size_t n;
	struct generator *generators; /* owned */
};

/* With no generators. PARTS follows from G. */
struct symmetry *symmetry_new(const struct collective *k, int nodes, int global_chunks);
void symmetry_add(struct symmetry *y, const int *nodes, const int *parts); /* copies; PARTS NULL: each stays */
struct symmetry *symmetry_copy(const struct symmetry *y);                  /* NULL gives NULL */
void symmetry_free(struct symmetry *y);
bool symmetry_same(const struct symmetry *a, const struct symmetry *b); /* generator by generator */
struct symmetry *symmetry_scaled(const struct symmetry *y, int m);        /* every part cut into M; NULL gives NULL */
/* The same for collectives whose generators list all chunks: an allreduce of chunks that were numbered as Y has them. */
struct symmetry *symmetry_by_chunks(const struct symmetry *y);

int symmetry_chunk(const struct symmetry *y, const struct generator *g, int chunk);
bool symmetry_read(const struct json_place *at, const struct collective *k, int nodes, int global_chunks, struct symmetry **out,
		   struct error *e);
void symmetry_write(const struct symmetry *y, const struct collective *k, struct text *into);

/* Does each generator carry edges to edges of the same bandwidth, and limits to limits of the same? The bad one's number
 * in *WHICH. */
bool symmetry_keeps_machine(const struct symmetry *y, const struct network *w, size_t *which);

/*
 * All elements of the group that the generators make, the identity first: element i carries node n to
 * nodes[i * P + n], part k to parts[i * K + k].
 */
struct elements {
	int n_nodes, n_parts;
	size_t n;
	uint16_t *nodes;
	int *parts;
};
/* False: there are more than MOST, or more than memory and about a second of time are meant for. */
bool elements_new(const struct symmetry *y, size_t most, struct elements *out);
void elements_free(struct elements *x);
int elements_chunk(const struct symmetry *y, const struct elements *x, size_t i, int chunk);

enum { GENERATORS_MAX = 64, ELEMENT_IMAGES_MAX = 1 << 26 };

#endif
