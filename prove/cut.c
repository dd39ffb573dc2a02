/*
 * Recomputes the bounds of a proof from their cuts: demands from the pre- and postconditions of the smallest instance,
 * capacities from a maximum flow on the physical links and from the limits of the network.
 */

#include "prove/cut.h"

#include "core/bounds/cuts.h"
#include "core/base/error.h"
#include "core/graph/max_flow.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "core/base/work.h"
#include "prove/priced.h"

#include <stdlib.h>

/*
 * The most hops from a chunk's nearest initial holder to a node that wants it; for the sum of an allreduce, from the
 * farthest contribution. AT is scratch space for one int per node.
 */
static int farthest(const struct instance *i, int chunk, int *at)
{
	const struct network *w = i->network;
	bool sums = i->collective.kind == ALLREDUCE;
	int most = 0, n_at = 0;

	for (int n = 0; n < w->nodes; n++)
		if (instance_pre(i, chunk, n))
			at[n_at++] = n;
	work_spend(2 * w->nodes);
	for (int n = 0; n < w->nodes; n++) {
		if (!instance_post(i, chunk, n) || !work_spend(n_at))
			continue;
		int hops = sums ? 0 : UNREACHABLE;
		for (int k = 0; k < n_at; k++)
			if ((network_distance(w, at[k], n) < hops) != sums)
				hops = network_distance(w, at[k], n);
		most = hops > most ? hops : most;
	}
	return most;
}

/* The instance with the smallest C. */
static bool smallest(const struct question *q, struct instance *out)
{
	struct error e = {0};
	return question_instance(q, (struct candidate){q->unit, 1, 1}, out, &e);
}

int cut_steps(const struct question *q)
{
	struct instance i;
	int most = 0;

	if (!smallest(q, &i))
		return 0;
	int *at = new_array(int, (size_t)i.network->nodes);
	for (int c = 0; c < i.global_chunks && !work_is_over(); c++) {
		int hops = farthest(&i, c, at);
		most = hops > most ? hops : most;
	}
	free(at);
	question_done(&i);
	return most;
}

/* Chunks that must reach the nodes marked RECEIVING in TO. */
static int64_t chunks_across(const struct instance *i, const int *to, int receiving)
{
	int64_t across = 0;

	if (i->collective.kind == ALLREDUCE) /* each chunk's sum needs something of every node at every other */
		return i->global_chunks;
	for (int c = 0; c < i->global_chunks && work_spend(2 * i->network->nodes); c++) {
		bool there = false, wanted = false;
		for (int n = 0; n < i->network->nodes; n++) {
			there = there || (to[n] == receiving && instance_pre(i, c, n));
			wanted = wanted || (to[n] == receiving && instance_post(i, c, n));
		}
		across += wanted && !there;
	}
	return across;
}

static int64_t all_hops(const struct instance *i)
{
	int *at = new_array(int, (size_t)i->network->nodes);
	int64_t hops = 0;

	for (int c = 0; c < i->global_chunks && !work_is_over(); c++)
		hops += farthest(i, c, at);
	free(at);
	return hops;
}

/* ---- capacities ---- */

/* More than all links together. */
static const int64_t unlimited = (int64_t)1 << 48;

static int64_t limit_of(const struct topology *t, enum limit_of of, int v)
{
	int64_t least = unlimited;
	for (size_t i = 0; i < t->n_limits; i++)
		if (t->limits[i].of == of && t->limits[i].node == v && t->limits[i].bandwidth < least)
			least = t->limits[i].bandwidth;
	return least;
}

int64_t cut_flow(const struct topology *t, bool backwards, const int *side)
{
	int n = t->nodes + t->switches, source = 4 * n, sink = source + 1;
	struct flow *f = flow_new(sink + 1);

	for (int v = 0; v < n; v++) { /* in, behind the limit in, before the limit out, out */
		int role = v < t->nodes ? side[v] : -1;
		flow_arc(f, 4 * v, 4 * v + 1, limit_of(t, backwards ? LIMIT_OUT_OF : LIMIT_INTO, v));
		if (role != CUT_BESIDE)
			flow_arc(f, 4 * v + 1, 4 * v + 2, unlimited);
		flow_arc(f, 4 * v + 2, 4 * v + 3, limit_of(t, backwards ? LIMIT_INTO : LIMIT_OUT_OF, v));
		if (role == CUT_TO)
			flow_arc(f, 4 * v + 1, sink, unlimited);
		else if (role == CUT_FROM)
			flow_arc(f, source, 4 * v + 2, unlimited);
	}
	for (size_t i = 0; i < t->n_links; i++) {
		const struct link *l = &t->links[i];
		flow_arc(f, 4 * (backwards ? l->dst : l->src) + 3, 4 * (backwards ? l->src : l->dst), l->bandwidth);
	}
	int64_t most = flow_run(f, source, sink);
	flow_free(f);
	return most;
}

/* Both are upper bounds on the capacity. */
static int64_t through(const struct topology *t, const struct network *w, const int *to)
{
	int64_t flow = cut_flow(t, false, to), limits = cut_capacity_in(w, to);
	return limits < flow ? limits : flow;
}

/* Number of nonempty parts. */
static int64_t parts_of(const int *part, int nodes)
{
	int64_t parts = 0;

	for (int n = 0; n < nodes && work_spend(n); n++) {
		bool first = true;
		for (int before = 0; before < n && first; before++)
			first = part[before] != part[n];
		parts += first;
	}
	return parts;
}

static int64_t all_links(const struct network *w)
{
	int *apart = new_array(int, (size_t)w->nodes);

	for (int v = 0; v < w->nodes; v++)
		apart[v] = v;
	int64_t all = cut_capacity(w, apart);
	free(apart);
	return all;
}

struct rational cut_bandwidth(const struct question *q, const struct cut *k)
{
	struct error e = {0};
	struct instance i;
	struct rational bound = rational(0, 1);

	if (k->kind == CUT_NONE || !smallest(q, &i))
		return bound;
	struct network *forward = network_new(q->topology, &e);
	if (forward) {
		int64_t demand = 0, capacity = 0;
		if (k->kind == CUT_PRICES) {
			bound = rational_div(priced_rounds(&i, k->prices, k->n_prices), rational(q->unit, 1));
		} else if (k->kind == CUT_HOPS) {
			demand = all_hops(&i);
			capacity = all_links(forward);
		} else if (k->kind == CUT_PARTS) {
			demand = i.collective.kind == ALLREDUCE ? 2 * (parts_of(k->part, forward->nodes) - 1) * i.global_chunks : 0;
			capacity = cut_capacity(forward, k->part);
		} else { /* backwards, chunks cross the same links in reverse */
			demand = chunks_across(&i, k->part, !q->backwards);
			capacity = through(q->topology, forward, k->part);
		}
		if (demand > 0 && capacity > 0)
			bound = rational_div(rational(demand, q->unit), rational(capacity, 1));
	}
	network_free(forward);
	question_done(&i);
	return bound;
}

int64_t cut_share(const struct question *q, struct candidate c)
{
	struct rational all = rational_mul(rational(all_links(q->network), 1), rational(c.rounds, c.chunks));
	return rational_ok(all) ? rational_floor(all) : -1;
}
