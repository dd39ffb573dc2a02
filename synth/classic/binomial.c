/*
 * `binomial`: in each phase every node that has the chunk of a broadcast sends it to one more node, so that the number
 * of holders doubles. A gather runs the same tree towards the root.
 */

#include "synth/builder/rows.h"

#include "core/machine/network.h"
#include "synth/builder/hop_router.h"
#include "synth/classic/ranks.h"

struct binomial {
	struct ranks ranks;
	int root; /* the root's rank */
};

/*
 * Places count from the root: by XOR of ranks where the number of nodes is a power of two, so that partners remain
 * partners; modulo the number of nodes otherwise.
 */
static int node_of(const struct binomial *b, int place)
{
	const struct ranks *r = &b->ranks;
	return r->node[r->core == r->nodes ? place ^ b->root : (place + b->root) % r->nodes];
}

static void construct_broadcast(struct hop_router *m, const struct binomial *b, int chunks)
{
	for (int bit = 1; bit < b->ranks.nodes; bit *= 2) {
		for (int c = 0; c < chunks; c++)
			for (int place = 0; place < bit && place + bit < b->ranks.nodes; place++)
				hop_router_send(m, c, node_of(b, place), node_of(b, place + bit));
		hop_router_end_phase(m);
	}
}

static void construct_gather(struct hop_router *m, const struct binomial *b, int chunks)
{
	int nodes = b->ranks.nodes;

	for (int bit = 1; bit < nodes; bit *= 2) {
		for (int c = 0; c < chunks; c++)
			for (int place = bit; place < nodes; place += 2 * bit)
				for (int owner = place; owner < place + bit && owner < nodes; owner++)
					hop_router_send(m, c * nodes + node_of(b, owner), node_of(b, place), node_of(b, place - bit));
		hop_router_end_phase(m);
	}
}

bool binomial_construct(const struct method_request *r, struct construction *out, struct error *e)
{
	int chunks = r->options.chunks ? r->options.chunks : 1;
	struct hop_router *m = hop_router_new(r, "binomial", chunks, e);

	if (!m)
		return false;
	struct binomial b = {ranks_joined(r->network), 0};
	while (b.ranks.node[b.root] != r->collective.root)
		b.root++;
	(r->collective.kind == GATHER ? construct_gather : construct_broadcast)(m, &b, chunks);
	ranks_free(&b.ranks);
	return hop_router_take(m, out, e);
}
