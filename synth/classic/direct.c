/*
 * `direct`: each chunk goes to all nodes that need it at once, on shortest paths and without planning for contention:
 * what a program does that copies to every peer. Chunks take turns among several shortest paths. A pair without a link
 * or route is served hop by hop.
 */

#include "synth/builder/rows.h"

#include "core/base/error.h"
#include "core/schedule/instance.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "synth/builder/schedule_builder.h"

#include <stdlib.h>

/* Sends chunk C from its HOLDER along one tree of shortest paths; BEFORE [node] is scratch. */
static void draw_chunk(const struct instance *i, struct schedule_builder *d, int c, int holder, int *before)
{
	const struct network *w = i->network;

	for (int n = 0; n < w->nodes; n++)
		before[n] = -1;
	for (int n = 0; n < w->nodes; n++) {
		if (n == holder || !instance_post(i, c, n))
			continue;
		for (int at = holder; at != n;) {
			/*
			 * Only one edge enters each node, so that the paths to several destinations share their
			 * beginnings.
			 */
			int next = builder_next_hop(w, at, n, c / w->nodes + at);
			if (before[next] < 0) {
				before[next] = at;
				builder_send(d, network_distance(w, holder, at), c, at, next);
			}
			at = next;
		}
	}
}

static int holder_of(const struct instance *i, int c)
{
	for (int n = 0; n < i->network->nodes; n++)
		if (instance_pre(i, c, n))
			return n;
	return 0;
}

bool direct_construct(const struct method_request *r, struct construction *out, struct error *e)
{
	struct instance i;
	int unit = collective_row(&r->collective)->chunks_in_blocks ? r->network->nodes : 1;

	out->chunks = r->options.chunks ? r->options.chunks : unit;
	if (!instance_new(r->network, &r->collective, out->chunks, 1, 1, &i, e))
		return false;
	struct schedule_builder *d = builder_new(r->network);
	int *before = new_array(int, (size_t)r->network->nodes);
	for (int c = 0; c < i.global_chunks; c++)
		draw_chunk(&i, d, c, holder_of(&i, c), before);
	bool ok = builder_take(d, "direct", &out->steps, &out->n_steps, e);
	free(before);
	builder_free(d);
	return ok;
}
