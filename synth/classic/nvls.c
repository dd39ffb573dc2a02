/*
 * `nvls`: what NVLink SHARP and the like offer. A broadcast, and each chunk of an allgather, is one multicast; a reduce and
 * a reducescatter are these backwards, loads of sums.
 *
 * An allreduce in S steps has S - 1 batches. The sums of batch j are loaded in step j, each chunk's at one node, which
 * multicasts it in step j + 1, while the sums of batch j + 1 are loaded: so ports are busy both ways. A last, smaller part
 * of the chunks is summed at every node in the last step, which leaves room on the way into the switch. On n nodes with
 * b units each a batch is n chunks and that part is one, times b: (C,S,R) = (b (n (S - 1) + 1), S, n S - 1), the least
 * R/C of any allreduce with S steps that keeps one value of a chunk at a node (core/bounds/switch_steps.h).
 */

#include "synth/builder/rows.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "synth/builder/schedule_builder.h"

#include <stdlib.h>

enum { STEPS_USUAL = 4 };

static bool joins_all(const struct network *w)
{
	return w->n_edges == (size_t)w->nodes * (size_t)(w->nodes - 1);
}

/* The chunks that a port carries in a round: of the first limit on which sends count once, which two nodes do not have. */
static int units_of(const struct network *w)
{
	for (size_t l = 0; l < w->n_limits; l++)
		if (w->limits[l].groups)
			return w->limits[l].bandwidth;
	return w->n_edges ? w->edges[0].bandwidth : 1;
}

static void multicast(struct schedule_builder *d, int nodes, int step, int chunk, int from)
{
	for (int n = 0; n < nodes; n++)
		if (n != from)
			builder_send(d, step, chunk, from, n);
}

static void load_sum(struct schedule_builder *d, int nodes, int step, int chunk, int at)
{
	for (int n = 0; n < nodes; n++)
		if (n != at)
			builder_reduce(d, step, chunk, n, at);
}

/* Chunk C of an allreduce. Chunks take turns: one of each batch for each node, then one of the part that all nodes sum up. */
static void reduce_chunk(struct schedule_builder *d, int nodes, int steps, int c)
{
	int turn = c % (nodes * (steps - 1) + 1);

	if (turn < nodes * (steps - 1)) {
		int batch = turn % (steps - 1), owner = turn / (steps - 1);
		load_sum(d, nodes, batch, c, owner);
		multicast(d, nodes, batch + 1, c, owner);
		return;
	}
	for (int n = 0; n < nodes; n++)
		load_sum(d, nodes, steps - 1, c, n);
}

static bool check(const struct method_request *r, int steps, int chunks, struct error *e)
{
	const struct network *w = r->network;

	if (!topology_has_abilities(r->topology))
		return error_set(e, ERROR_INPUT, "nvls", "needs switches that copy and add, as in dgx-h100+nvls");
	if (!joins_all(w))
		return error_set(e, ERROR_INPUT, "nvls", "needs a machine that joins all pairs of nodes");
	if (r->collective.kind != ALLREDUCE && steps > 1)
		return error_set(e, ERROR_INPUT, "-S", "nvls takes one step for %s", collective_name(&r->collective));
	if (chunks < steps - 1)
		return error_set(e, ERROR_INPUT, "-C", "%d steps need at least %d chunks", steps, steps - 1);
	return true;
}

bool nvls_construct(const struct method_request *r, struct construction *out, struct error *e)
{
	const struct network *w = r->network;
	bool sums = r->collective.kind == ALLREDUCE;
	int nodes = w->nodes, given = r->options.chunks, steps = r->options.steps;

	if (!steps)
		steps = !sums || nodes == 2 ? 1 : given && given < STEPS_USUAL ? given + 1 : STEPS_USUAL;
	int64_t least = (int64_t)units_of(w) * (sums ? (int64_t)nodes * (steps - 1) + 1 : 1);
	out->as_fine = true;
	out->chunks = given ? given : least < CHUNKS_MAX ? (int)least : CHUNKS_MAX;
	if (!check(r, steps, out->chunks, e) || !collective_check(&r->collective, nodes, out->chunks, e))
		return false;
	struct schedule_builder *d = builder_new(w);
	for (int c = 0; c < collective_global_chunks(&r->collective, nodes, out->chunks) && !builder_is_full(d); c++) {
		if (sums)
			reduce_chunk(d, nodes, steps, c);
		else
			multicast(d, nodes, 0, c, r->collective.kind == BROADCAST ? r->collective.root : c % nodes);
	}
	bool ok = builder_take(d, "nvls", &out->steps, &out->n_steps, e);
	builder_free(d);
	return ok;
}
