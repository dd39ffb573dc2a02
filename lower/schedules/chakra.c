/*
 * Chakra execution traces for ASTRA-sim's custom collectives: PREFIX.RANK.et, in the encoding of Protocol Buffers by the schema
 * et_def.proto of mlcommons/chakra. Records are metadata, then nodes: COMM_SEND_NODE, COMM_RECV_NODE, and after a receive that
 * is added up a COMP_NODE. A send depends on what wrote its chunk at the rank, and a receive on the sends that still need what
 * was there before; nothing else is ordered. The tag of a message is its number among those of its two ranks.
 */

#include "lower/schedules/schedules.h"

#include "lower/program/build.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VARINT = 0, BYTES = 2 };
enum { NODE_COMP = 4, NODE_SEND = 5, NODE_RECV = 6 };
enum { INT32_VAL = 7, INT64_VAL = 9, BOOL_VAL = 27, STRING_VAL = 29 }; /* fields of AttributeProto */

static void put_varint(struct text *into, uint64_t v)
{
	unsigned char bytes[10];
	size_t n = 0;

	do
		bytes[n++] = (unsigned char)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
	while (v >>= 7);
	text_add_bytes(into, bytes, n);
}

static void put_number(struct text *into, int field, uint64_t v)
{
	put_varint(into, (uint64_t)field << 3 | VARINT);
	put_varint(into, v);
}

static void put_bytes(struct text *into, int field, const void *bytes, size_t n)
{
	put_varint(into, (uint64_t)field << 3 | BYTES);
	put_varint(into, n);
	text_add_bytes(into, bytes, n);
}

/* An attribute is field ATTR of its message: a name, and a value of a type. */
static void put_attribute(struct text *into, int field, const char *name, int type, int64_t v, const char *text)
{
	struct text a = {0};

	put_bytes(&a, 1, name, strlen(name));
	if (text)
		put_bytes(&a, type, text, strlen(text));
	else
		put_number(&a, type, (uint64_t)v);
	put_bytes(into, field, a.bytes, a.length);
	text_free(&a);
}

static void put_record(struct text *into, struct text *record)
{
	put_varint(into, record->length);
	text_add_bytes(into, record->bytes, record->length);
	text_free(record);
}

/* Nodes, by id. */
struct et_ids {
	size_t n, capacity;
	uint64_t *of;
};

static void add_id(struct et_ids *s, uint64_t id)
{
	s->of = grown(s->of, &s->capacity, s->n + 1, sizeof *s->of);
	s->of[s->n++] = id;
}

/* What happened to a chunk at the rank. */
struct et_chunk {
	struct et_ids before;  /* what each sum that arrives must come after */
	struct et_ids writers; /* what a send needs: the last copy, and the sums since */
	struct et_ids readers; /* sends since */
};

struct et_writer {
	const struct algorithm *a;
	int rank;
	int64_t size;            /* bytes of a chunk */
	uint64_t next;           /* node */
	struct et_chunk *chunks; /* [global chunk] */
	int *sent, *received;    /* [rank]: messages so far */
	struct text *into;
};

/* Where the chunk is, in what ASTRA-sim's converters count: its place in the whole of the data. */
static int place_of(const struct algorithm *a, int chunk)
{
	int n = a->topology->nodes, blocks = a->collective.kind == ALLGATHER ? a->chunks : a->chunks / n;

	if (a->collective.kind == ALLGATHER || a->collective.kind == REDUCESCATTER)
		return chunk % n * blocks + chunk / n;
	return chunk;
}

static uint64_t put_node(struct et_writer *x, int type, const char *what, int step, int chunk, const struct et_ids *after, size_t lists, int peer, int tag,
			 bool sum)
{
	struct text node = {0}, deps = {0};
	char name[80];

	snprintf(name, sizeof name, "%s_step%d_chunk%d", what, step, chunk);
	put_number(&node, 1, x->next);
	put_bytes(&node, 2, name, strlen(name));
	put_number(&node, 3, (uint64_t)type);
	for (size_t l = 0; l < lists; l++)
		for (size_t i = 0; i < after[l].n; i++)
			put_varint(&deps, after[l].of[i]);
	if (deps.length)
		put_bytes(&node, 5, deps.bytes, deps.length);
	text_free(&deps);
	if (type != NODE_COMP) {
		put_attribute(&node, 10, "comm_type", INT64_VAL, type, NULL);
		put_attribute(&node, 10, "comm_size", INT64_VAL, x->size, NULL);
		put_attribute(&node, 10, type == NODE_SEND ? "comm_dst" : "comm_src", INT32_VAL, peer, NULL);
		put_attribute(&node, 10, "comm_tag", INT32_VAL, tag, NULL);
		put_attribute(&node, 10, "msg_chunk_cnt", INT32_VAL, 1, NULL);
		put_attribute(&node, 10, "msg_chunk_idx", INT32_VAL, place_of(x->a, chunk), NULL);
		put_attribute(&node, 10, "total_chunk_cnt", INT32_VAL, x->a->chunks, NULL);
		put_attribute(&node, 10, "local_time_step", INT32_VAL, step, NULL);
		if (sum)
			put_attribute(&node, 10, "is_rrc", BOOL_VAL, 1, NULL);
	}
	put_record(x->into, &node);
	return x->next++;
}

static void put_send(struct et_writer *x, const struct push *p)
{
	struct et_chunk *c = &x->chunks[p->chunk];
	add_id(&c->readers, put_node(x, NODE_SEND, "COMM_SEND_NODE", p->step, p->chunk, &c->writers, 1, p->dst, x->sent[p->dst]++, false));
}

static void put_copy(struct et_writer *x, const struct push *p)
{
	struct et_chunk *c = &x->chunks[p->chunk];
	struct et_ids after[] = {c->writers, c->readers};
	uint64_t id = put_node(x, NODE_RECV, "COMM_RECV_NODE", p->step, p->chunk, after, 2, p->src, x->received[p->src]++, false);

	c->before.n = c->writers.n = c->readers.n = 0;
	add_id(&c->before, id);
	add_id(&c->writers, id);
}

static void put_sum(struct et_writer *x, const struct push *p)
{
	struct et_chunk *c = &x->chunks[p->chunk];

	if (c->readers.n) { /* they come after all that was written before */
		struct et_ids unused = c->before;
		c->before = c->readers;
		c->readers = unused;
		c->readers.n = c->writers.n = 0;
	}
	uint64_t id = put_node(x, NODE_RECV, "COMM_RECV_NODE", p->step, p->chunk, &c->before, 1, p->src, x->received[p->src]++, true);
	struct et_ids after = {1, 1, &id};
	add_id(&c->writers, put_node(x, NODE_COMP, "COMP_NODE", p->step, p->chunk, &after, 1, -1, 0, false));
}

/* Of a step what leaves comes first; then copies before sums, at both ends, so that messages have the same numbers there. */
static void put_step(struct et_writer *x, const struct push *of, size_t n)
{
	for (int sums = 0; sums < 2; sums++)
		for (size_t i = 0; i < n; i++)
			if (of[i].src == x->rank && of[i].reduce == sums)
				put_send(x, &of[i]);
	for (size_t i = 0; i < n; i++)
		if (of[i].dst == x->rank && !of[i].reduce)
			put_copy(x, &of[i]);
	for (size_t i = 0; i < n; i++)
		if (of[i].dst == x->rank && of[i].reduce)
			put_sum(x, &of[i]);
}

static const char *const names[COLLECTIVE_KINDS] = {
	[ALLREDUCE] = "allreduce", [ALLGATHER] = "allgather", [REDUCESCATTER] = "reduce_scatter", [ALLTOALL] = "alltoall",
};

static void put_metadata(const struct algorithm *a, struct text *into)
{
	struct text m = {0};

	put_attribute(&m, 2, "schema", STRING_VAL, 0, "1.0.2-chakra.0.0.4");
	put_attribute(&m, 2, "collective", STRING_VAL, 0, names[a->collective.kind]);
	put_attribute(&m, 2, "name", STRING_VAL, 0, a->name);
	put_record(into, &m);
}

static void put_all(struct et_writer *x, const struct pushes *p)
{
	for (size_t begin = 0, end = 0; begin < p->n; begin = end) {
		while (end < p->n && p->of[end].step == p->of[begin].step)
			end++;
		put_step(x, &p->of[begin], end - begin);
	}
}

bool schedule_write_chakra(const struct algorithm *a, int rank, int64_t bytes, struct text *into, struct error *e)
{
	if (!names[a->collective.kind])
		return error_set(e, ERROR_INPUT, a->name, "is %s; ASTRA-sim has custom allgather, reducescatter, allreduce and alltoall",
				 collective_name(&a->collective));
	if (rank == 0 && !schedule_check(a, e))
		return false;
	size_t n = (size_t)a->topology->nodes;
	struct pushes p = pushes_live(a);
	struct et_writer x = {.a = a, .rank = rank, .size = (bytes + a->chunks - 1) / a->chunks, .into = into};
	x.chunks = new_array(struct et_chunk, (size_t)a->global_chunks);
	x.sent = new_array(int, n);
	x.received = new_array(int, n);
	put_metadata(a, into);
	put_all(&x, &p);
	for (int c = 0; c < a->global_chunks; c++) {
		free(x.chunks[c].before.of);
		free(x.chunks[c].writers.of);
		free(x.chunks[c].readers.of);
	}
	free(x.chunks);
	free(x.sent);
	free(x.received);
	free(p.of);
	return true;
}
