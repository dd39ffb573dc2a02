/*
 * Hop router: turns sends between arbitrary ranks into sends over edges. Each send takes a shortest path, one hop per
 * step, all sends of a phase starting in its first step; where copies of a chunk are wanted at several nodes, a hop is
 * skipped if the chunk reaches its end by that step anyway.
 */

#include "synth/builder/hop_router.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"

#include <stdint.h>
#include <stdlib.h>

enum { NEVER = INT32_MAX };

struct hop_router {
	const char *name;
	const struct network *w;
	struct schedule_builder *builder;
	int chunks;          /* C */
	int *since;          /* [chunk * nodes + node]: first step with the chunk there; NULL: nothing is copied */
	int begins, longest; /* first step of the current phase; hops of its longest path */
};

/* Marks where chunks are at the start. */
static void note_pre(struct hop_router *m, const struct collective *k, int global_chunks)
{
	for (int c = 0; c < global_chunks; c++)
		for (int n = 0; n < m->w->nodes; n++)
			m->since[(size_t)c * (size_t)m->w->nodes + (size_t)n] = collective_pre(k, m->w->nodes, c, n) ? 0 : NEVER;
}

struct hop_router *hop_router_new(const struct method_request *r, const char *name, int chunks, struct error *e)
{
	const struct network *w = r->network;
	const struct collective *k = &r->collective;
	bool copies = k->kind == ALLGATHER || k->kind == BROADCAST;

	if (!collective_check(k, w->nodes, chunks, e) || !all_joined(w, name, e))
		return NULL;
	int global_chunks = collective_global_chunks(k, w->nodes, chunks);
	/* Both kinds send every chunk to every other node at least once. */
	if (copies && (int64_t)global_chunks * (w->nodes - 1) > BUILDER_SENDS_MAX) {
		error_set(e, ERROR_LIMIT, name, "needs more than %d sends here: too many to list", BUILDER_SENDS_MAX);
		return NULL;
	}
	struct hop_router *m = new(struct hop_router);
	*m = (struct hop_router){.name = name, .w = w, .builder = builder_new(w), .chunks = chunks};
	if (copies) {
		m->since = new_array(int, (size_t)global_chunks * (size_t)w->nodes);
		note_pre(m, k, global_chunks);
	}
	return m;
}

static void hop_router_free(struct hop_router *m)
{
	if (!m)
		return;
	builder_free(m->builder);
	free(m->since);
	free(m);
}

/* Sends over one edge, unless the chunk will be at TO by then anyway. */
static void carry(struct hop_router *m, int step, int chunk, int from, int to)
{
	int *since = m->since ? &m->since[(size_t)chunk * (size_t)m->w->nodes + (size_t)to] : NULL;

	if (since && *since <= step + 1)
		return;
	builder_send(m->builder, step, chunk, from, to);
	if (since)
		*since = step + 1;
}

void hop_router_send(struct hop_router *m, int chunk, int from, int to)
{
	int hops = 0;

	for (int at = from; at != to; hops++) {
		int next = network_distance(m->w, at, to) == 1 ? to : builder_next_hop(m->w, at, to, chunk / m->w->nodes + at);
		carry(m, m->begins + hops, chunk, at, next);
		at = next;
	}
	m->longest = hops > m->longest ? hops : m->longest;
}

void hop_router_end_phase(struct hop_router *m)
{
	m->begins += m->longest;
	m->longest = 0;
}

bool hop_router_is_full(const struct hop_router *m)
{
	return builder_is_full(m->builder);
}

bool hop_router_take(struct hop_router *m, struct construction *out, struct error *e)
{
	/* Where two paths meet at a node, the one routed first may arrive last. */
	if (m->since)
		builder_drop_late(m->builder, m->since);
	bool ok = builder_take(m->builder, m->name, &out->steps, &out->n_steps, e);

	out->chunks = m->chunks;
	hop_router_free(m);
	return ok;
}

bool all_joined(const struct network *w, const char *name, struct error *e)
{
	for (int from = 0; from < w->nodes; from++)
		for (int to = 0; to < w->nodes; to++)
			if (network_distance(w, from, to) == UNREACHABLE)
				return error_set(e, ERROR_INPUT, name, "needs a path between every two nodes, but there is none from "
						 "%d to %d", from, to);
	return true;
}
