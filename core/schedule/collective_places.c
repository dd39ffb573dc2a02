/* The positions of chunks in the input and output buffers of a rank. */

#include "core/schedule/collective.h"
#include "core/schedule/collective_custom.h"

/*
 * How a buffer is divided into blocks: it is one block, or it has one per node. The block of a chunk is then given by
 * the last digit of its number in base P (the node to which the chunk belongs) or by the one before (the node to which
 * it is sent).
 */
enum blocks { WHOLE, BY_OWN, BY_TARGET };

static const struct {
	enum blocks input, output;
} buffers[COLLECTIVE_KINDS] = {
	[ALLGATHER] = {WHOLE, BY_OWN},
	[BROADCAST] = {WHOLE, WHOLE},
	[GATHER] = {WHOLE, BY_OWN},
	[SCATTER] = {BY_OWN, WHOLE},
	[ALLTOALL] = {BY_TARGET, BY_OWN},
	[REDUCE] = {WHOLE, WHOLE},
	[REDUCESCATTER] = {BY_OWN, WHOLE},
	[ALLREDUCE] = {WHOLE, WHOLE},
	[SCAN] = {WHOLE, WHOLE},
};

static struct chunk_place place_of(const struct collective *k, int nodes, int chunks, int chunk, enum blocks blocks)
{
	int period = collective_period(k, nodes);
	struct chunk_place place = {0, 1, chunk / period, collective_global_chunks(k, nodes, chunks) / period};

	if (blocks != WHOLE) {
		place.block = (blocks == BY_OWN ? chunk : chunk / nodes) % nodes;
		place.blocks = nodes;
	}
	return place;
}

/* Each chunk of the file is one block, with its parts in order. */
static bool listed_place(const int *begin, const int *order, int cut, int chunk, int node, struct chunk_place *out)
{
	for (int i = begin[node]; i < begin[node + 1]; i++) {
		int at = i - begin[node];
		if (order[i] != chunk)
			continue;
		*out = (struct chunk_place){at / cut, (begin[node + 1] - begin[node]) / cut, at % cut, cut};
		return true;
	}
	return false;
}

bool collective_input(const struct collective *k, int nodes, int chunks, int chunk, int node, struct chunk_place *out)
{
	if (k->kind == CUSTOM)
		return listed_place(k->custom->inputs_begin, k->custom->inputs, custom_cut(k->custom), chunk, node, out);
	if (!collective_pre(k, nodes, chunk, node))
		return false;
	*out = place_of(k, nodes, chunks, chunk, buffers[k->kind].input);
	return true;
}

bool collective_output(const struct collective *k, int nodes, int chunks, int chunk, int node, struct chunk_place *out)
{
	if (k->kind == CUSTOM)
		return listed_place(k->custom->outputs_begin, k->custom->outputs, custom_cut(k->custom), chunk, node, out);
	if (!collective_post(k, nodes, chunk, node))
		return false;
	*out = place_of(k, nodes, chunks, chunk, buffers[k->kind].output);
	return true;
}
