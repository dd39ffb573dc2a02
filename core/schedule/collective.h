#ifndef SCCL_CORE_SCHEDULE_COLLECTIVE_H
#define SCCL_CORE_SCHEDULE_COLLECTIVE_H

/*
 * What an algorithm must do: which chunks are where before it (precondition, pre) and after it (postcondition, post).
 * One row per kind; docs/reference/formats.md has the table (C, G, L, pre, post). P is the number of nodes, C the
 * number of chunks of one input, G that of all chunks.
 */

#include <stdbool.h>
#include <stddef.h>

struct error;
struct json_place;
struct text;

enum collective_kind {
	ALLGATHER,
	BROADCAST,
	GATHER,
	SCATTER,
	ALLTOALL,
	REDUCE,
	REDUCESCATTER,
	ALLREDUCE,
	SCAN,
	CUSTOM,
	COLLECTIVE_KINDS
};

struct placement {
	int chunk, node;
};

/* A custom collective, given by lists. These are sorted by (chunk, node), without duplicates. */
struct custom {
	bool combining;
	int cut;           /* C: the parts into which each chunk of the file is cut; 0 means 1: collective_scaled */
	int global_chunks; /* the lists cover chunks 0..global_chunks-1, each in pre at least once */
	size_t n_pre, n_post;
	struct placement *pre, *post;
	/*
	 * The chunks of each node in buffer order: inputs[i] for inputs_begin[n] <= i < inputs_begin[n + 1]. By
	 * ascending chunk of the file unless it gives an order; the parts of one chunk of the file are contiguous, in
	 * order.
	 */
	int nodes;
	int *inputs_begin, *inputs, *outputs_begin, *outputs;
	/*
	 * For a collective with several roots, how files and options name it. roots is owned; otherwise n_roots is 0.
	 */
	enum collective_kind called; /* broadcast, gather, scatter or reduce */
	int n_roots, *roots;         /* ascending */
};

struct collective {
	enum collective_kind kind;
	int root;              /* 0 if not rooted */
	struct custom *custom; /* owned; NULL unless CUSTOM */
};

/* What defines a kind of collective. */
struct collective_row {
	const char *name;
	const char *about;       /* one line for --help and show */
	bool rooted;
	bool combining;          /* values are sums of contributions */
	bool chunks_in_blocks;   /* C must be a multiple of P */
	enum collective_kind inverse; /* on reversed links; its own kind: see collective_solved_backwards */
	int node_digits; /* a chunk's number is part * P^node_digits plus that many node numbers as digits in base P */
	int (*global_chunks)(const struct collective *k, int nodes, int chunks);
	bool (*pre)(const struct collective *k, int nodes, int chunk, int node);
	bool (*post)(const struct collective *k, int nodes, int chunk, int node);
};

/* The row of K. For a custom one it is combining if K is. */
const struct collective_row *collective_row(const struct collective *k);
const struct collective_row *collective_rows(void); /* COLLECTIVE_KINDS of them */
const char *collective_name(const struct collective *k);

/*
 * Opens NAME: a kind such as "allgather", or the path of a file of format "sccl-collective" (it has a slash or ends in
 * .json). ROOT is ignored, and 0 in *OUT, unless the collective is rooted. False with *e set. The caller frees *OUT
 * with collective_free.
 */
bool collective_open(const char *name, int nodes, int root, struct collective *out, struct error *e);
/*
 * The same for several roots: each has its own buffer, and they share the steps and the links
 * (docs/reference/formats.md). The result is a custom collective, whose lists are generated here. ROOTS must ascend. C
 * counts the chunks of one block: that of one root, or of one root and one node where the collective has a block per
 * node.
 */
bool collective_open_roots(const char *name, int nodes, const int *roots, int n_roots, struct collective *out, struct error *e);
bool collective_of_roots(enum collective_kind kind, int nodes, const int *roots, int n_roots, struct collective *out,
			 struct error *e);
/* The roots, ascending, *N of them; NULL and 0 if there are none. Borrowed. */
const int *collective_roots(const struct collective *k, int *n);
/* The name of K; with several roots, that of the rooted kind. Borrowed. */
const char *collective_called(const struct collective *k);
void collective_add_roots(const struct collective *k, struct text *into);      /* 0,3 */
void collective_add_roots_json(const struct collective *k, struct text *into); /* [0, 3], 0, or null */
/*
 * Reads the collective of an algorithm file; the lists of a custom one are cut for C = CHUNKS. False with *e set. The
 * caller frees *OUT.
 */
bool collective_read(const struct json_place *at, int nodes, int chunks, struct collective *out, struct error *e);
void collective_write(const struct collective *k, struct text *into, int indent); /* no newline at the end */
struct collective collective_copy(const struct collective *k); /* the caller frees it */
void collective_free(struct collective *k);
/*
 * Are they equal in content: kind, roots and, if custom, lists, buffers and whether they combine? Custom collectives
 * are compared in terms of the chunks of the file, regardless of the C for which each is cut.
 */
bool collective_same(const struct collective *a, const struct collective *b);

/*
 * A custom collective with each chunk cut into CHUNKS parts: if its file has g chunks, chunk p * g + c is part p of
 * chunk c of the file. Any other kind is copied. Call collective_check(k, nodes, chunks) first, which ensures that the
 * lists do not become too long. The caller frees both results.
 */
struct collective collective_scaled(const struct collective *k, int chunks);
struct collective collective_unscaled(const struct collective *k); /* back to the chunks of the file: C = 1 */
/*
 * The difference of the numbers of consecutive parts of the same data. These have the same pre and post, so they are
 * interchangeable. P for allgather, P*P for alltoall, 1 for broadcast.
 */
int collective_period(const struct collective *k, int nodes);
/*
 * Does each chunk go uncombined from one node to specific others, so that prices of edges and limits may give better
 * bounds than cuts do? True for alltoall and for non-combining custom collectives.
 */
bool collective_takes_prices(const struct collective *k);
/* Are its algorithms made by inversion? True for scatter, reduce, reducescatter and combining custom ones. */
bool collective_solved_backwards(const struct collective *k);
/*
 * The non-combining collective whose schedule on reversed links, run backwards, is one for K; see
 * core/schedule/transform.h. False with *e set: K has none (allreduce, scan, a combining custom one with a sum that is
 * not wanted at exactly one node, and all that are solved directly). The caller frees *OUT.
 */
bool collective_inverse(const struct collective *k, struct collective *out, struct error *e);

/*
 * Checks that C >= 1 is a multiple of P where necessary, that G is at most CHUNKS_MAX, and that the root is a node. A
 * custom one may either be scaled to C already or still have the chunks of its file. False with *e set.
 */
bool collective_check(const struct collective *k, int nodes, int chunks, struct error *e);
/* G, after collective_check. For CUSTOM the count in its lists: scale it first. */
int collective_global_chunks(const struct collective *k, int nodes, int chunks);
bool collective_pre(const struct collective *k, int nodes, int chunk, int node);
bool collective_post(const struct collective *k, int nodes, int chunk, int node);
/* For combining collectives: does the sum of the chunk that NODE wants include the contribution of node OF? */
bool collective_wants_part(const struct collective *k, int nodes, int chunk, int node, int of);

/*
 * The position of a chunk in the input or output buffer of a node: part `part` of `parts` of block `block` of `blocks`.
 * Part i of m of n elements has the elements from floor(n*i/m) up to, but not including, floor(n*(i+1)/m). False: the
 * chunk is not in this buffer.
 */
struct chunk_place {
	int block, blocks, part, parts;
};
bool collective_input(const struct collective *k, int nodes, int chunks, int chunk, int node, struct chunk_place *out);
bool collective_output(const struct collective *k, int nodes, int chunks, int chunk, int node, struct chunk_place *out);

enum { CHUNKS_MAX = 1 << 24, PLACEMENTS_MAX = 1 << 26 };

#endif
