/*
 * `bruck` (Bruck et al., 1997): allgather and alltoall in ⌈log2 P⌉ phases, for any number P of nodes.
 */

#include "synth/builder/rows.h"

#include "core/machine/network.h"
#include "synth/builder/hop_router.h"

/*
 * Node i holds the chunks of i, i + 1, ...; it sends the first of them to the node DISTANCE before it, which lacks
 * exactly these.
 */
static void construct_allgather(struct hop_router *m, int nodes, int parts)
{
	for (int distance = 1; distance < nodes; distance *= 2) {
		int n = distance < nodes - distance ? distance : nodes - distance;
		for (int part = 0; part < parts; part++)
			for (int i = 0; i < nodes && !hop_router_is_full(m); i++)
				for (int k = 0; k < n; k++)
					hop_router_send(m, part * nodes + (i + k) % nodes, i, (i + nodes - distance) % nodes);
		hop_router_end_phase(m);
	}
}

/* A chunk that has to travel d nodes forward does so by the set bits of d, lowest first. */
static void construct_alltoall(struct hop_router *m, int nodes, int blocks)
{
	for (int bit = 1; bit < nodes && !hop_router_is_full(m); bit *= 2) {
		for (int block = 0; block < blocks; block++) /* part * P + to */
			for (int from = 0; from < nodes; from++) {
				int distance = (block % nodes - from + nodes) % nodes, at = from + (distance & (bit - 1));
				if (distance & bit)
					hop_router_send(m, block * nodes + from, at % nodes, (at + bit) % nodes);
			}
		hop_router_end_phase(m);
	}
}

bool bruck_construct(const struct method_request *r, struct construction *out, struct error *e)
{
	int nodes = r->network->nodes;
	bool all = r->collective.kind == ALLTOALL;
	int chunks = r->options.chunks ? r->options.chunks : all ? nodes : 1;
	struct hop_router *m = hop_router_new(r, "bruck", chunks, e);

	if (!m)
		return false;
	(all ? construct_alltoall : construct_allgather)(m, nodes, chunks);
	return hop_router_take(m, out, e);
}
