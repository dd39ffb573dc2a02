/* Ops of MSCCL++ as JSON, one line each. */

#include "lower/plans/mscclpp_blocks.h"

static const char letters[] = "ios";

static void begin(struct pp_block *b, const char *name)
{
	text_add(&b->ops, "%s\n          {\"name\": \"%s\"", b->n_ops++ ? "," : "", name);
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
