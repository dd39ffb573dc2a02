#include "synth/builder/hop_router.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"

#include <stdint.h>
#include <stdlib.h>

enum { NEVER = INT32_MAX };

struct mail {
	const char *name;
	const struct network *w;
	struct draft *draft;
	int chunks;          /* C */
	int *since;          /* [chunk * nodes + node]: the step from which on it is there; NULL: each chunk is at one node at a time */
	int begins, longest; /* the first step of the phase at hand; hops of its longest way */
};

/* Where chunks are from the beginning. */
static void note_pre(struct mail *m, const struct collective *k, int global_chunks)
{
	for (int c = 0; c < global_chunks; c++)
		for (int n = 0; n < m->w->nodes; n++)
			m->since[(size_t)c * (size_t)m->w->nodes + (size_t)n] = collective_pre(k, m->w->nodes, c, n) ? 0 : NEVER;
}

struct mail *mail_new(const struct method_request *r, const char *name, int chunks, struct error *e)
{
	const struct network *w = r->network;
	const struct collective *k = &r->collective;
	bool copies = k->kind == ALLGATHER || k->kind == BROADCAST;

	if (!collective_check(k, w->nodes, chunks, e) || !all_joined(w, name, e))
		return NULL;
	int global_chunks = collective_global_chunks(k, w->nodes, chunks);
	/* Each of these kinds sends every chunk to every other node at least. */
	if (copies && (int64_t)global_chunks * (w->nodes - 1) > DRAFT_SENDS_MAX) {
		error_set(e, ERROR_LIMIT, name, "needs more than %d sends here: too many to list", DRAFT_SENDS_MAX);
		return NULL;
	}
	struct mail *m = new(struct mail);
	*m = (struct mail){.name = name, .w = w, .draft = draft_new(w), .chunks = chunks};
	if (copies) {
		m->since = new_array(int, (size_t)global_chunks * (size_t)w->nodes);
		note_pre(m, k, global_chunks);
	}
	return m;
}

void mail_free(struct mail *m)
{
	if (!m)
		return;
	draft_free(m->draft);
	free(m->since);
	free(m);
}

/* Over one edge, unless it will be there by then. */
static void carry(struct mail *m, int step, int chunk, int from, int to)
{
	int *since = m->since ? &m->since[(size_t)chunk * (size_t)m->w->nodes + (size_t)to] : NULL;

	if (since && *since <= step + 1)
		return;
	draft_send(m->draft, step, chunk, from, to);
	if (since)
		*since = step + 1;
}

void mail_send(struct mail *m, int chunk, int from, int to)
{
	int hops = 0;

	for (int at = from; at != to; hops++) {
		int next = network_distance(m->w, at, to) == 1 ? to : draft_next_hop(m->w, at, to, chunk / m->w->nodes + at);
		carry(m, m->begins + hops, chunk, at, next);
		at = next;
	}
	m->longest = hops > m->longest ? hops : m->longest;
}

void mail_end_phase(struct mail *m)
{
	m->begins += m->longest;
	m->longest = 0;
}

bool mail_is_full(const struct mail *m)
{
	return draft_is_full(m->draft);
}

bool mail_take(struct mail *m, struct drawing *out, struct error *e)
{
	/* Of two ways that cross at a node the one drawn first may come last. */
	if (m->since)
		draft_drop_late(m->draft, m->since);
	bool ok = draft_take(m->draft, m->name, &out->steps, &out->n_steps, e);

	out->chunks = m->chunks;
	mail_free(m);
	return ok;
}

bool all_joined(const struct network *w, const char *name, struct error *e)
{
	for (int from = 0; from < w->nodes; from++)
		for (int to = 0; to < w->nodes; to++)
			if (network_distance(w, from, to) == UNREACHABLE)
				return error_set(e, ERROR_INPUT, name, "needs a way from each node to each other, and there is none from "
						 "%d to %d", from, to);
	return true;
}
