#ifndef SCCL_CORE_SCHEDULE_COLLECTIVE_H
#define SCCL_CORE_SCHEDULE_COLLECTIVE_H

/*
 * What an algorithm must do: which chunks are where before (pre) and after (post). One row a kind; docs/reference/formats.md
 * has the table (C, G, L, pre, post). P is the number of nodes, C the chunks of one input, G all chunks.
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

/* A collective from a file. The lists are sorted by (chunk, node), each pair once. */
struct custom {
	bool combining;
	int cut;           /* C: into how many parts each chunk of the file is cut; 0 is read as 1 (see collective_scaled) */
	int global_chunks; /* the lists cover chunks 0..global_chunks-1, each in pre at least once */
	size_t n_pre, n_post;
	struct placement *pre, *post;
	/* Chunks by node in buffer order: inputs[i] for i in inputs_begin[n] .. inputs_begin[n + 1]. By ascending chunk
	 * of the file where it says nothing; the parts of one chunk of the file lie together, in order. */
	int nodes;
	int *inputs_begin, *inputs, *outputs_begin, *outputs;
	/* Not from lists: a collective of several roots, as files and options name it. roots is owned; n_roots is 0 where there are none. */
	enum collective_kind called; /* broadcast, gather, scatter or reduce */
	int n_roots, *roots;         /* ascending */
};

struct collective {
	enum collective_kind kind;
	int root;              /* 0 where not rooted */
	struct custom *custom; /* owned; NULL unless CUSTOM */
};

struct collective_row {
	const char *name;
	const char *about;       /* one line for --help and show */
	bool rooted;
	bool combining;          /* values are sums of contributions */
	bool chunks_in_blocks;   /* C must be a multiple of P */
	enum collective_kind inverse; /* solved as this on reversed links; its own kind: see collective_solved_backwards */
	int node_digits; /* a chunk's number is part * P^digits + so many node numbers, base P */
	int (*global_chunks)(const struct collective *k, int nodes, int chunks);
	bool (*pre)(const struct collective *k, int nodes, int chunk, int node);
	bool (*post)(const struct collective *k, int nodes, int chunk, int node);
};

const struct collective_row *collective_row(const struct collective *k); /* of a custom one: combining as its file says */
const struct collective_row *collective_rows(void); /* COLLECTIVE_KINDS of them */
const char *collective_name(const struct collective *k);

/* "allgather", or the path of a file of format "sccl-collective" (a slash in it, or it ends in .json). A root means
 * nothing to a collective that is not rooted, and is then 0. */
bool collective_open(const char *name, int nodes, int root, struct collective *out, struct error *e);
/* The same of several roots: each has a buffer of its own, and they share the steps and the links (docs/reference/formats.md). It is
 * a custom one, whose lists are made here. ROOTS ascend; C is of one block, a root's and a node's. */
bool collective_open_roots(const char *name, int nodes, const int *roots, int n_roots, struct collective *out, struct error *e);
bool collective_of_roots(enum collective_kind kind, int nodes, const int *roots, int n_roots, struct collective *out,
			 struct error *e);
/* The roots, and what it is called: that kind's name where it has several. NULL and 0: it has none. Borrowed. */
const int *collective_roots(const struct collective *k, int *n);
const char *collective_called(const struct collective *k);
void collective_add_roots(const struct collective *k, struct text *into);      /* 0,3 */
void collective_add_roots_json(const struct collective *k, struct text *into); /* [0, 3], 0, or null */
/* The collective of an algorithm file: a custom one's lists are of an algorithm of C = CHUNKS. */
bool collective_read(const struct json_place *at, int nodes, int chunks, struct collective *out, struct error *e);
void collective_write(const struct collective *k, struct text *into, int indent); /* no newline at its end */
struct collective collective_copy(const struct collective *k);
void collective_free(struct collective *k);
/* By content: kind, roots and, of a custom one, lists, buffers and whether it combines, in the chunks of the file, whatever C each is cut for. */
bool collective_same(const struct collective *a, const struct collective *b);

/* A custom collective with each chunk cut into CHUNKS: chunk p * g + c is part p of the file's chunk c of g. For all
 * other kinds a copy. After collective_check(k, nodes, chunks), which sees that the lists do not grow too long. */
struct collective collective_scaled(const struct collective *k, int chunks);
struct collective collective_unscaled(const struct collective *k); /* back to the file's own chunks: C of one */
/* How many chunks lie between part k of something and its part k + 1: these are interchangeable, with one pre and post.
 * P for allgather, P*P for alltoall, 1 for broadcast. */
int collective_period(const struct collective *k, int nodes);
/* Does each chunk go from one node to others, uncombined, so that prices of edges and limits may bound it better than cuts do? */
bool collective_takes_prices(const struct collective *k);
/* Scatter, reduce, reducescatter and a combining custom one are made by inversion. */
bool collective_solved_backwards(const struct collective *k);
/* The non-combining collective whose schedule on reversed links, run backwards, is one for K; see core/schedule/transform.h.
 * False with *e set: none (allreduce, scan, a combining custom one that wants a sum at several nodes, and all that is
 * solved as it is). */
bool collective_inverse(const struct collective *k, struct collective *out, struct error *e);

/* C >= 1, a multiple of P where it must be, G within CHUNKS_MAX; root within P. A custom one may be scaled to C
 * already, or be the file's own. */
bool collective_check(const struct collective *k, int nodes, int chunks, struct error *e);
/* After collective_check. For CUSTOM the lists' own count: scale first. */
int collective_global_chunks(const struct collective *k, int nodes, int chunks);
bool collective_pre(const struct collective *k, int nodes, int chunk, int node);
bool collective_post(const struct collective *k, int nodes, int chunk, int node);
/* Where values are added: does what NODE wants of the chunk have the part of node OF in it? */
bool collective_wants_part(const struct collective *k, int nodes, int chunk, int node, int of);

/*
 * Where a chunk lies in the buffers: part `part` of `parts` of block `block` of `blocks` of node's input or output; the
 * elements of part i of m of n elements are floor(n*i/m) up to floor(n*(i+1)/m). False: not in this node's buffer.
 */
struct chunk_place {
	int block, blocks, part, parts;
};
bool collective_input(const struct collective *k, int nodes, int chunks, int chunk, int node, struct chunk_place *out);
bool collective_output(const struct collective *k, int nodes, int chunks, int chunk, int node, struct chunk_place *out);

enum { CHUNKS_MAX = 1 << 24, PLACEMENTS_MAX = 1 << 26 };

#endif
