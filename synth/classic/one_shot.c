/*
 * `one-shot`: an allreduce in one step. Every node sends its whole value to every other, and adds what it receives: P - 1
 * times as many bytes as in a reducescatter and an allgather, but the latency of a single message.
 */

#include "synth/builder/rows.h"

#include "core/base/error.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "synth/builder/schedule_builder.h"

bool one_shot_construct(const struct method_request *r, struct construction *out, struct error *e)
{
	const struct network *w = r->network;
	int64_t pairs = (int64_t)w->nodes * (w->nodes - 1);

	if ((int64_t)w->n_edges < pairs)
		return error_set(e, ERROR_INPUT, "one-shot", "not every pair of the nodes of %s is joined", r->topology->name);
	out->chunks = r->options.chunks ? r->options.chunks : 1;
	if (out->chunks > BUILDER_SENDS_MAX / (pairs ? pairs : 1))
		return error_set(e, ERROR_LIMIT, "one-shot", "%d chunks between %d nodes are too many", out->chunks, w->nodes);
	out->as_fine = true; /* small values: more chunks would be more messages */
	struct schedule_builder *d = builder_new(w);
	for (int c = 0; c < out->chunks; c++)
		for (size_t i = 0; i < w->n_edges; i++)
			builder_reduce(d, 0, c, w->edges[i].src, w->edges[i].dst);
	bool ok = builder_take(d, "one-shot", &out->steps, &out->n_steps, e);
	builder_free(d);
	return ok;
}
