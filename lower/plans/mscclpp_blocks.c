/* Ops of MSCCL++ as JSON, one line each. */

#include "lower/plans/mscclpp_blocks.h"

#include "core/base/memory.h"

static const char letters[] = "ios";

static void begin(struct pp_block *b, const char *name)
{
	b->begins = grown(b->begins, &b->capacity, (size_t)b->n_ops + 1, sizeof *b->begins);
	b->begins[b->n_ops++] = b->ops.length;
	text_add(&b->ops, ",\n          {\"name\": \"%s\"", name);
}

enum { LINKS = 2 }; /* ops at an end where a block is cut: its threads meet, and the semaphore */

/* The first and the last segment have one such end, those between two. */
static int first_op(const struct pp_block *b, int k)
{
	int at = k == 0 ? 0 : PP_OPS_MAX - LINKS + (k - 1) * (PP_OPS_MAX - 2 * LINKS);
	return at < b->n_ops ? at : b->n_ops;
}

int pp_segments(const struct pp_block *b)
{
	int n = 1;

	if (b->n_ops <= PP_OPS_MAX)
		return 1;
	while (b->n_ops - first_op(b, n) > PP_OPS_MAX - LINKS)
		n++;
	return n + 1;
}

void pp_add_segment(const struct pp_block *b, int k, int first, struct text *into)
{
	static const char sync[] = "\n          {\"name\": \"nop\"}";
	int segments = pp_segments(b), begin = segments > 1 ? first_op(b, k) : 0, end = k + 1 < segments ? first_op(b, k + 1) : b->n_ops;

	if (k > 0)
		text_add(into, "\n          {\"name\": \"sem_acquire\", \"semaphore_ids\": [%d]},%s,", first + k - 1, sync);
	if (begin < end) { /* without the first comma */
		size_t from = b->begins[begin] + 1, to = end < b->n_ops ? b->begins[end] : b->ops.length;
		text_add_bytes(into, b->ops.bytes + from, to - from);
	}
	if (k + 1 < segments)
		text_add(into, ",%s,\n          {\"name\": \"sem_release\", \"semaphore_ids\": [%d]}", sync, first + k);
}

void pp_plain(struct pp_block *b, const char *name)
{
	begin(b, name);
	text_add(&b->ops, "}");
}

void pp_signal(struct pp_block *b, const char *name)
{
	begin(b, name);
	text_add(&b->ops, ", \"channel_ids\": [0], \"channel_type\": \"memory\"}");
}

void pp_barrier(struct pp_block *b, int blocks)
{
	begin(b, "barrier");
	text_add(&b->ops, ", \"barrier_id\": 0, \"num_threadblocks\": %d}", blocks);
}

static void add_local(struct pp_block *b, struct pp_place at, int n, bool first)
{
	text_add(&b->ops, "%s{\"type\": \"%c\", \"index\": %d, \"size\": %d}", first ? "" : ", ", letters[at.buffer], at.at, n);
}

static int id_of(struct pp_block *b, enum pp_buffer buffer)
{
	if (b->id[buffer] < 0) {
		b->list[b->n_ids] = buffer;
		b->id[buffer] = b->n_ids++;
	}
	return b->id[buffer];
}

void pp_send(struct pp_block *b, const char *name, const struct pp_range *ranges, int n)
{
	begin(b, name);
	text_add(&b->ops, ", \"src_buff\": [");
	for (int i = 0; i < n; i++)
		add_local(b, ranges[i].from, ranges[i].n, i == 0);
	text_add(&b->ops, "], \"dst_buff\": [");
	for (int i = 0; i < n; i++)
		text_add(&b->ops, "%s{\"buffer_id\": %d, \"index\": %d, \"size\": %d}", i ? ", " : "", id_of(b, ranges[i].to.buffer), ranges[i].to.at,
			 ranges[i].n);
	text_add(&b->ops, "], \"channel_ids\": [0], \"channel_type\": \"memory\"}");
}

void pp_store(struct pp_block *b, const char *name, const struct pp_place *sources, int n_sources, struct pp_place to, int n)
{
	begin(b, name);
	text_add(&b->ops, ", \"src_buff\": [");
	for (int i = 0; i < n_sources; i++)
		add_local(b, sources[i], n, i == 0);
	text_add(&b->ops, "], \"dst_buff\": [");
	add_local(b, to, n, true);
	text_add(&b->ops, "]%s}", n_sources > 1 ? ", \"reduce_op\": \"sum\"" : "");
}

void pp_switch(struct pp_block *b, int from_switch, struct pp_place from, int to_switch, int to, int n)
{
	begin(b, from_switch >= 0 ? "glres" : "gstore");
	text_add(&b->ops, ", \"src_buff\": [");
	if (from_switch >= 0)
		text_add(&b->ops, "{\"switch_channel_id\": %d, \"index\": %d, \"size\": %d}", from_switch, from.at, n);
	else
		add_local(b, from, n, true);
	text_add(&b->ops, "], \"dst_buff\": [{\"switch_channel_id\": %d, \"index\": %d, \"size\": %d}], \"channel_type\": \"switch\"%s}", to_switch, to, n,
		 from_switch >= 0 ? ", \"reduce_op\": \"sum\"" : "");
	b->switched = true;
}
