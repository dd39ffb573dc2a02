#ifndef SCCL_CORE_COLLECTIVE_H
#define SCCL_CORE_COLLECTIVE_H

/*
 * What an algorithm must do: which chunks are where before (pre) and after (post). One row a kind; docs/formats.md
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
	CUSTOM,
	COLLECTIVE_KINDS
};

struct placement {
	int chunk, node;
};

/* A collective from a file. The lists are sorted by (chunk, node), each pair once. */
struct custom {
	bool combining;
	int global_chunks; /* the lists cover chunks 0..global_chunks-1, each in pre at least once */
	size_t n_pre, n_post;
	struct placement *pre, *post;
	/* Chunks by node in buffer order: inputs[i] for i in inputs_begin[n] .. inputs_begin[n + 1]. By ascending chunk
	 * where the file says nothing. */
	int nodes;
	int *inputs_begin, *inputs, *outputs_begin, *outputs;
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
	enum collective_kind inverse; /* solved as this on reversed links; its own kind: solved as it is */
	int (*global_chunks)(const struct collective *k, int nodes, int chunks);
	bool (*pre)(const struct collective *k, int nodes, int chunk, int node);
	bool (*post)(const struct collective *k, int nodes, int chunk, int node);
};

const struct collective_row *collective_row(const struct collective *k);
const struct collective_row *collective_rows(void); /* COLLECTIVE_KINDS of them */
const char *collective_name(const struct collective *k);

/* "allgather", or the path of a file of format "sccl-collective" (a slash in it, or it ends in .json). */
bool collective_open(const char *name, int nodes, int root, struct collective *out, struct error *e);
bool collective_read(const struct json_place *at, int nodes, struct collective *out, struct error *e); /* of an algorithm */
void collective_write(const struct collective *k, struct text *into, int indent);
struct collective collective_copy(const struct collective *k);
void collective_free(struct collective *k);

/* A custom collective with each chunk cut into CHUNKS: chunk p * g + c is part p of the file's chunk c of g. For all
 * other kinds a copy. */
struct collective collective_scaled(const struct collective *k, int chunks);
/* The non-combining collective whose schedule on reversed links, run backwards, is one for K; see core/transform.h.
 * False with *e set: none (allreduce, and a combining custom one that wants a sum at several nodes). */
bool collective_inverse(const struct collective *k, struct collective *out, struct error *e);

/* C >= 1, a multiple of P where it must be, G within CHUNKS_MAX; root within P. */
bool collective_check(const struct collective *k, int nodes, int chunks, struct error *e);
/* After collective_check. For CUSTOM the lists' own count: scale first. */
int collective_global_chunks(const struct collective *k, int nodes, int chunks);
bool collective_pre(const struct collective *k, int nodes, int chunk, int node);
bool collective_post(const struct collective *k, int nodes, int chunk, int node);

/*
 * Where a chunk lies in the buffers: part `part` of `parts` of block `block` of `blocks` of node's input or output; the
 * elements of part i of m of n elements are floor(n*i/m) up to floor(n*(i+1)/m). False: not in this node's buffer.
 */
struct chunk_place {
	int block, blocks, part, parts;
};
bool collective_input(const struct collective *k, int nodes, int chunks, int chunk, int node, struct chunk_place *out);
bool collective_output(const struct collective *k, int nodes, int chunks, int chunk, int node, struct chunk_place *out);

enum { CHUNKS_MAX = 1 << 24 };

#endif
