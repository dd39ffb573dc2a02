/* A plan for MSCCL++ as JSON, and the Python file that registers it. */

#include "lower/plans/mscclpp_blocks.h"
#include "lower/plans/mscclpp_plan.h"

#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"

#include <inttypes.h>
#include <string.h>

static const char letters[] = "ios";

/* Segment K of a block, as thread block ID; CHANNEL: to its peer. */
static void write_block(const struct pp_rank *r, const struct pp_block *b, int k, int id, int channel, int first_buffer, int first_semaphore,
			struct text *into)
{
	text_add(into, "%s\n        {\"id\": %d, \"ops\": [", id ? "," : "", id);
	pp_add_segment(b, k, first_semaphore, into);
	text_add(into, "],\n         \"channels\": [");
	if (b->peer >= 0)
		text_add(into, "{\"channel_type\": \"memory\", \"channel_ids\": [%d]}", channel);
	for (int i = 0; b->switched && i < r->n_switched; i++)
		text_add(into, "%s%d%s", i ? ", " : ", {\"channel_type\": \"switch\", \"channel_ids\": [", i, i + 1 < r->n_switched ? "" : "]}");
	text_add(into, "], \"remote_buffer_refs\": [");
	for (int i = 0; i < b->n_ids; i++)
		text_add(into, "%s%d", i ? ", " : "{\"access_channel_type\": \"memory\", \"remote_buffer_ids\": [", first_buffer + i);
	text_add(into, "%s]}", b->n_ids ? "]}" : "");
}

/* First parts of blocks have the numbers of the blocks; the others follow. */
static int write_blocks(const struct pp_rank *r, struct text *into)
{
	int next = r->n, semaphores = 0, buffers = 0;

	for (int b = 0; b < r->n; b++) {
		write_block(r, &r->blocks[b], 0, b, b, buffers, semaphores, into);
		buffers += r->blocks[b].n_ids;
		semaphores += pp_segments(&r->blocks[b]) - 1;
	}
	semaphores = buffers = 0;
	for (int b = 0; b < r->n; b++) {
		for (int k = 1; k < pp_segments(&r->blocks[b]); k++)
			write_block(r, &r->blocks[b], k, next++, b, buffers, semaphores, into);
		buffers += r->blocks[b].n_ids;
		semaphores += pp_segments(&r->blocks[b]) - 1;
	}
	return semaphores;
}

static void write_switches(const struct pp_rank *r, int ranks, struct text *into)
{
	for (int i = 0; i < r->n_switched; i++) {
		text_add(into, ", {\"channel_type\": \"switch\", \"buffer_type\": \"%c\", \"rank_groups\": [{\"size\": %d, \"ranks\": [",
			 letters[r->switched[i]], r->chunks[r->switched[i]]);
		for (int p = 0; p < ranks; p++)
			text_add(into, "%s%d", p ? ", " : "", p);
		text_add(into, "]}]}");
	}
}

static void write_rank(const struct pp_rank *r, int rank, int ranks, struct text *into)
{
	int buffers = 0;

	text_add(into, "%s\n    {\"id\": %d, \"input_chunks\": %d, \"output_chunks\": %d, \"scratch_chunks\": %d, \"threadblocks\": [", rank ? "," : "",
		 rank, r->chunks[PP_INPUT], r->chunks[PP_OUTPUT], r->chunks[PP_SCRATCH]);
	int semaphores = write_blocks(r, into);
	text_add(into, "],\n     \"channels\": [");
	for (int b = 0; b < r->n && r->blocks[b].peer >= 0; b++)
		text_add(into, "%s%d", b ? ", " : "{\"channel_type\": \"memory\", \"connected_to\": [", r->blocks[b].peer);
	text_add(into, "%s", r->blocks[0].peer >= 0 ? "]}" : "");
	write_switches(r, ranks, into);
	text_add(into, "],\n     \"remote_buffers\": [");
	for (int b = 0; b < r->n; b++)
		for (int i = 0; i < r->blocks[b].n_ids; i++)
			text_add(into, "%s{\"rank\": %d, \"type\": \"%c\", \"access_channel_types\": [\"memory\"]}", buffers++ ? ", " : "", r->blocks[b].peer,
				 letters[r->blocks[b].list[i]]);
	text_add(into, "], \"semaphores\": [");
	for (int i = 0; i < semaphores; i++)
		text_add(into, "%s{\"init_value\": 0}", i ? ", " : "");
	text_add(into, "]}");
}

void mscclpp_write(const struct mscclpp_plan *p, const struct mscclpp_options *o, struct text *into)
{
	text_add(into, "{\n  \"name\": ");
	text_add_json_string(into, p->name);
	text_add(into, ",\n  \"collective\": \"%s\",\n  \"protocol\": \"%s\",\n  \"inplace\": %s,\n  \"reuse_resources\": false,\n"
		 "  \"use_double_scratch_buffer\": %s,\n  \"buffer_alignment\": 16,\n  \"num_threads_per_block\": 1024,\n",
		 p->collective, o->packets ? "LL" : "Simple", o->in_place ? "true" : "false", o->packets ? "true" : "false");
	text_add(into, "  \"min_message_size\": %" PRId64 ",\n", o->least_bytes);
	if (o->most_bytes)
		text_add(into, "  \"max_message_size\": %" PRId64 ",\n", o->most_bytes);
	text_add(into, "  \"gpus\": [");
	for (int r = 0; r < p->ranks; r++)
		write_rank(&p->of[r], r, p->ranks, into);
	text_add(into, "\n  ]\n}\n");
}

/* Text in quotes is escaped as in JSON, which Python reads as well. */
void mscclpp_register(const struct algorithm *a, const char *plan, struct text *into)
{
	text_add(into, "\"\"\"Registers a plan with MSCCL++ 0.9: call register(rank) in each process, then use the collection it returns.\"\"\"\n"
		       "import os\n\nimport mscclpp\nfrom mscclpp.ext import AlgorithmCollectionBuilder\n\nNAME = ");
	text_add_json_string(into, a->name);
	text_add(into, "\nPLAN = ");
	text_add_json_string(into, plan);
	text_add(into, "\nRANKS = %d\n\n\n"
		       "def register(rank, ranks_per_node=RANKS, folder=os.path.dirname(os.path.abspath(__file__))):\n"
		       "    \"\"\"Adds the plan to the algorithms that a selector may choose for worlds of RANKS ranks.\"\"\"\n"
		       "    plan = mscclpp.ExecutionPlan(os.path.join(folder, PLAN), rank)\n"
		       "    constraint = mscclpp.Algorithm.Constraint(RANKS, ranks_per_node)\n"
		       "    builder = AlgorithmCollectionBuilder()\n"
		       "    builder.add_algorithm_builder(mscclpp.Algorithm(id=NAME, execution_plan=plan, constraint=constraint))\n"
		       "    return builder.build()\n",
		 a->topology->nodes);
}
