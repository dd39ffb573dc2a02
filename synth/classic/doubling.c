/*
 * Methods in which ranks exchange with the ranks whose numbers differ in one bit: `recursive-doubling` and
 * `halving-doubling` (Thakur, Rabenseifner, Gropp 2005), and `hdrm`, which maps ranks to nodes so that exchanges of a
 * step do not share links (EFLOPS, Dong et al. 2020). Where the number of nodes is not a power of two, ranks beyond the
 * largest power first hand their chunks to a rank below it and receive everything at the end.
 */

#include "synth/builder/rows.h"

#include "core/base/error.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "synth/builder/hop_router.h"
#include "synth/classic/ranks.h"

struct doubling {
	struct hop_router *router;
	struct ranks ranks;
	int parts;
};

/*
 * Sends, from rank RANK to rank TO, all chunks of PART that RANK's group owned at the start, including those of ranks
 * beyond the largest power of two that were handed to the group. MASK: the bits in which members of the group differ.
 */
static void send_group(struct doubling *d, int part, int rank, int mask, int to)
{
	const struct ranks *r = &d->ranks;

	for (int sub = mask;; sub = (sub - 1) & mask) {
		int owner = (rank & ~mask) | sub;
		hop_router_send(d->router, part * r->nodes + r->node[owner], r->node[rank], r->node[to]);
		if (owner + r->core < r->nodes)
			hop_router_send(d->router, part * r->nodes + r->node[owner + r->core], r->node[rank], r->node[to]);
		if (sub == 0)
			return;
	}
}

/* Ranks beyond the largest power of two: they hand over their own chunk first, or receive all others at the end. */
static void construct_above(struct doubling *d, bool first)
{
	const struct ranks *r = &d->ranks;

	for (int part = 0; part < d->parts; part++)
		for (int above = r->core; above < r->nodes; above++) {
			int below = r->node[above - r->core], node = r->node[above];
			if (first)
				hop_router_send(d->router, part * r->nodes + node, node, below);
			for (int owner = 0; owner < r->nodes && !first; owner++)
				if (owner != node)
					hop_router_send(d->router, part * r->nodes + owner, below, node);
		}
	hop_router_end_phase(d->router);
}

/* Part p starts with bit p, so that several parts use several links at once. */
static void construct_allgather(struct doubling *d)
{
	const struct ranks *r = &d->ranks;

	construct_above(d, true);
	for (int phase = 0; phase < r->bits; phase++) {
		for (int part = 0; part < d->parts; part++) {
			int mask = 0, bit = 1 << (part + phase) % r->bits;
			for (int before = 0; before < phase; before++)
				mask |= 1 << (part + before) % r->bits;
			for (int rank = 0; rank < r->core && !hop_router_is_full(d->router); rank++)
				send_group(d, part, rank, mask, rank ^ bit);
		}
		hop_router_end_phase(d->router);
	}
	construct_above(d, false);
}

/* Takes ownership of the ranks. */
static bool gather(const struct method_request *r, const char *name, struct ranks ranks, int parts, struct construction *out,
		   struct error *e)
{
	struct doubling d = {hop_router_new(r, name, parts, e), ranks, parts};

	if (d.router)
		construct_allgather(&d);
	ranks_free(&d.ranks);
	return d.router && hop_router_take(d.router, out, e);
}

/* Whole values are exchanged and added: over links only, since an intermediate node would add its own value. */
static bool exchange(const struct method_request *r, struct ranks *ranks, struct construction *out, struct error *e)
{
	if (!ranks->joined)
		return error_set(e, ERROR_INPUT, "recursive-doubling", "adds what partners exchange, so partners must be joined directly; no "
				 "numbering that was tried joins all of them on %s. halving-doubling needs none",
				 r->topology->name);
	struct schedule_builder *d = builder_new(r->network);
	out->chunks = r->options.chunks ? r->options.chunks : 1;
	for (int c = 0; c < out->chunks && !builder_is_full(d); c++) {
		for (int above = ranks->core; above < ranks->nodes; above++) {
			int node = ranks->node[above], below = ranks->node[above - ranks->core];
			builder_reduce(d, 0, c, node, below);
			builder_send(d, ranks->bits + 1, c, below, node);
		}
		for (int phase = 0; phase < ranks->bits; phase++)
			for (int rank = 0; rank < ranks->core; rank++)
				builder_reduce(d, phase + 1, c, ranks->node[rank], ranks->node[rank ^ 1 << (c + phase) % ranks->bits]);
	}
	bool ok = builder_take(d, "recursive-doubling", &out->steps, &out->n_steps, e);
	builder_free(d);
	return ok;
}

static void report_ranks(const struct method_request *r, const struct ranks *ranks, const char *how)
{
	text_add(r->report, "%s", how);
	for (int i = 0; i < ranks->nodes && ranks->nodes <= 64; i++)
		text_add(r->report, "%s%d", i ? " " : ": ", ranks->node[i]);
	text_add(r->report, "\n");
}

static const char *how_joined(const struct ranks *ranks)
{
	return ranks->joined ? "ranks placed so that all partners are joined" : "ranks are nodes: some partners are several hops apart";
}

bool recursive_doubling_construct(const struct method_request *r, struct construction *out, struct error *e)
{
	struct ranks ranks = ranks_joined(r->network);

	report_ranks(r, &ranks, how_joined(&ranks));
	if (r->collective.kind == ALLGATHER)
		return gather(r, "recursive-doubling", ranks, r->options.chunks ? r->options.chunks : 1, out, e);
	bool ok = exchange(r, &ranks, out, e);
	ranks_free(&ranks);
	return ok;
}

/* By default as many parts as bits, each starting with another bit. */
static int parts_of(const struct method_request *r, const struct ranks *ranks)
{
	return r->options.chunks ? r->options.chunks : ranks->bits > 0 ? ranks->bits : 1;
}

bool halving_doubling_construct(const struct method_request *r, struct construction *out, struct error *e)
{
	struct ranks ranks = ranks_joined(r->network);

	report_ranks(r, &ranks, how_joined(&ranks));
	return gather(r, "halving-doubling", ranks, parts_of(r, &ranks), out, e);
}

bool hdrm_construct(const struct method_request *r, struct construction *out, struct error *e)
{
	const char *how;

	if (!all_joined(r->network, "hdrm", e))
		return false;
	struct ranks ranks = hdrm_ranks(r->topology, r->network, &how);
	report_ranks(r, &ranks, how);
	return gather(r, "hdrm", ranks, r->options.chunks ? r->options.chunks : 1, out, e);
}
