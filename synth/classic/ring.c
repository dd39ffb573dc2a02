/*
 * `ring`: the default of NCCL and RCCL. Rings through all nodes, in both directions, each over units of links that no
 * other ring uses; every chunk travels around one of them. A broadcast is a pipelined chain along each ring.
 */

#include "synth/builder/rows.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/base/text.h"
#include "synth/builder/hop_router.h"
#include "synth/classic/rings.h"

#include <stdlib.h>

enum { WAVES_MAX = 64 };

struct rounds_of { /* state shared by all four kinds */
	struct hop_router *router;
	struct rings rings;
	int nodes, parts, root;
	int *place; /* [ring * nodes + node]: position on the ring */
};

static int node_at(const struct rounds_of *d, int ring, int place)
{
	return d->rings.order[ring * d->nodes + place % d->nodes];
}

/* From PLACE to the next node of the ring. */
static void pass(struct rounds_of *d, int chunk, int ring, int place)
{
	hop_router_send(d->router, chunk, node_at(d, ring, place), node_at(d, ring, place + 1));
}

static void construct_allgather(struct rounds_of *d)
{
	for (int s = 0; s + 1 < d->nodes; s++) {
		for (int part = 0; part < d->parts; part++)
			for (int i = 0; i < d->nodes; i++) {
				int ring = part % d->rings.n, owner = node_at(d, ring, i + d->nodes - s);
				pass(d, part * d->nodes + owner, ring, i);
			}
		hop_router_end_phase(d->router);
	}
}

static int distance_on(const struct rounds_of *d, int ring, int from, int to)
{
	const int *place = d->place + ring * d->nodes;
	return (place[to] - place[from] + d->nodes) % d->nodes;
}

static void construct_gather(struct rounds_of *d)
{
	for (int s = 0; s + 1 < d->nodes; s++) {
		for (int part = 0; part < d->parts; part++)
			for (int from = 0; from < d->nodes; from++) {
				int ring = part % d->rings.n;
				if (s < distance_on(d, ring, from, d->root))
					pass(d, part * d->nodes + from, ring, d->place[ring * d->nodes + from] + s);
			}
		hop_router_end_phase(d->router);
	}
}

static void construct_broadcast(struct rounds_of *d)
{
	int waves = (d->parts + d->rings.n - 1) / d->rings.n;

	for (int s = 0; s < waves + d->nodes - 2; s++) {
		for (int part = 0; part < d->parts; part++) {
			int ring = part % d->rings.n, at = s - part / d->rings.n;
			if (at >= 0 && at + 1 < d->nodes)
				pass(d, part, ring, d->place[ring * d->nodes + d->root] + at);
		}
		hop_router_end_phase(d->router);
	}
}

static void construct_alltoall(struct rounds_of *d)
{
	for (int s = 0; s + 1 < d->nodes && !hop_router_is_full(d->router); s++) {
		for (int block = 0; block < d->parts; block++) /* part * P + to */
			for (int from = 0; from < d->nodes; from++) {
				int ring = block / d->nodes % d->rings.n;
				if (s < distance_on(d, ring, from, block % d->nodes))
					pass(d, block * d->nodes + from, ring, d->place[ring * d->nodes + from] + s);
			}
		hop_router_end_phase(d->router);
	}
}

static const struct {
	void (*construct)(struct rounds_of *d);
	bool waves, blocks; /* default C per ring: several chunks to pipeline; a block per node; or 1 */
} rows[COLLECTIVE_KINDS] = {
	[ALLGATHER] = {construct_allgather, false, false},
	[GATHER] = {construct_gather, false, false},
	[BROADCAST] = {construct_broadcast, true, false},
	[ALLTOALL] = {construct_alltoall, false, true},
};

static void report_rings(const struct method_request *r, const struct rings *rings)
{
	int nodes = r->network->nodes;

	text_add(r->report, "%d ring%s%s\n", rings->n, plural(rings->n), rings->by_hops ? " over multi-hop paths: none was found over links alone" : "");
	for (int i = 0; i < rings->n && nodes <= 64; i++) {
		text_add(r->report, "  ");
		for (int k = 0; k < nodes; k++)
			text_add(r->report, "%s%d", k ? " " : "", rings->order[i * nodes + k]);
		text_add(r->report, "\n");
	}
}

bool ring_construct(const struct method_request *r, struct construction *out, struct error *e)
{
	int nodes = r->network->nodes, kind = (int)r->collective.kind, chunks = r->options.chunks;
	int unit = rows[kind].blocks ? nodes : rows[kind].waves ? (nodes < WAVES_MAX ? nodes : WAVES_MAX) : 1;

	if (!all_joined(r->network, "ring", e))
		return false;
	struct rounds_of d = {.nodes = nodes, .root = r->collective.root};
	d.rings = rings_find(r->network, chunks ? (rows[kind].blocks ? (chunks + nodes - 1) / nodes : chunks) : RINGS_MAX);
	d.parts = chunks ? chunks : unit * d.rings.n;
	d.router = hop_router_new(r, "ring", d.parts, e);
	if (d.router) {
		d.place = new_array(int, (size_t)d.rings.n * (size_t)nodes);
		for (int i = 0; i < d.rings.n * nodes; i++)
			d.place[i / nodes * nodes + d.rings.order[i]] = i % nodes;
		report_rings(r, &d.rings);
		rows[kind].construct(&d);
		free(d.place);
	}
	rings_free(&d.rings);
	return d.router && hop_router_take(d.router, out, e);
}
