/*
 * Keeps the step at which each node first has each chunk, and the load of each edge in each step, so that deliveries
 * between copies can use the capacity that the local sends leave: a hop-by-hop simulation, step by step, over shortest
 * paths.
 */

#include "synth/replicate/copies.h"

#include "core/base/memory.h"
#include "core/machine/limit_index.h"
#include "core/machine/network.h"

#include <stdlib.h>

struct delivery {
	int chunk, at, to;
};

struct copies *copies_new(const struct network *w, int nodes, int global_chunks)
{
	struct copies *x = new(struct copies);

	*x = (struct copies){.network = w, .nodes = nodes, .n = w->nodes / nodes, .all = w->nodes, .global_chunks = global_chunks};
	x->builder = builder_new(w);
	x->held = new_array(int, (size_t)global_chunks * (size_t)w->nodes);
	for (size_t i = 0; i < (size_t)global_chunks * (size_t)w->nodes; i++)
		x->held[i] = -1;
	x->limits = limit_index(w, NULL, 0);
	return x;
}

void copies_free(struct copies *x)
{
	if (!x)
		return;
	builder_free(x->builder);
	for (size_t s = 0; s < x->n_loads; s++)
		free(x->load[s]);
	free(x->load);
	free(x->held);
	free(x->deliveries);
	csr_free(&x->limits);
	free(x);
}

static int64_t *load_of(struct copies *x, int step)
{
	size_t capacity = x->n_loads;

	while (x->n_loads <= (size_t)step) {
		x->load = grown(x->load, &capacity, x->n_loads + 1, sizeof *x->load);
		x->load[x->n_loads++] = new_array(int64_t, x->network->n_edges);
	}
	return x->load[step];
}

bool copies_send(struct copies *x, int step, int chunk, int src, int dst)
{
	int *held = copies_held(x, chunk, dst), edge = network_edge(x->network, src, dst);

	if (*held >= 0 && *held <= step + 1)
		return false;
	*held = step + 1;
	builder_send(x->builder, step, chunk, src, dst);
	if (edge >= 0)
		load_of(x, step)[edge]++;
	return true;
}

void copies_add_delivery(struct copies *x, int chunk, int from, int to)
{
	x->deliveries = grown(x->deliveries, &x->deliveries_capacity, x->n_deliveries + 1, sizeof *x->deliveries);
	x->deliveries[x->n_deliveries++] = (struct delivery){chunk, from, to};
}

/* Can a step of ROUNDS carry one more chunk over the edge? LIMITED [limit]: chunks that cross each limit so far. */
static bool has_capacity(const struct copies *x, const int64_t *load, const int64_t *limited, int edge, int64_t rounds)
{
	if (load[edge] + 1 > x->network->edges[edge].bandwidth * rounds)
		return false;
	for (int i = x->limits.begin[edge]; i < x->limits.begin[edge + 1]; i++)
		if (limited[x->limits.of[i]] + 1 > x->network->limits[x->limits.of[i]].bandwidth * rounds)
			return false;
	return true;
}

static int64_t *limited_by(const struct copies *x, const int64_t *load)
{
	int64_t *limited = new_array(int64_t, x->network->n_limits);

	for (size_t e = 0; e < x->network->n_edges; e++)
		for (int i = x->limits.begin[e]; i < x->limits.begin[e + 1]; i++)
			limited[x->limits.of[i]] += load[e];
	return limited;
}

/* Makes every hop that is possible in this step within ROUNDS; 0: any number of rounds. True: a delivery moved on. */
static bool deliver_in_step(struct copies *x, int step, int64_t rounds)
{
	int64_t *load = load_of(x, step), *limited = limited_by(x, load);
	size_t kept = 0;
	bool any = false;

	for (size_t i = 0; i < x->n_deliveries; i++) {
		struct delivery *y = &x->deliveries[i];
		int there = *copies_held(x, y->chunk, y->to);
		if (there >= 0 && there <= step)
			continue;
		int next = builder_next_hop(x->network, y->at, y->to, y->chunk);
		int edge = next < 0 ? -1 : network_edge(x->network, y->at, next), ready = *copies_held(x, y->chunk, y->at);
		if (ready >= 0 && ready <= step && edge >= 0 && (rounds == 0 || has_capacity(x, load, limited, edge, rounds))) {
			bool sent = copies_send(x, step, y->chunk, y->at, next);
			for (int k = x->limits.begin[edge]; sent && k < x->limits.begin[edge + 1]; k++)
				limited[x->limits.of[k]]++;
			y->at = next;
			any = true;
		}
		if (y->at != y->to && edge >= 0)
			x->deliveries[kept++] = *y;
	}
	x->n_deliveries = kept;
	free(limited);
	return any;
}

int copies_deliver(struct copies *x, int local)
{
	int step = 0;
	bool any = true;

	/* Up to step `local` even if nothing moved: chunks of the last local step can be forwarded only then. */
	for (; x->n_deliveries && (any || step <= local); step++) {
		int64_t rounds = network_rounds(x->network, load_of(x, step));
		any = deliver_in_step(x, step, step >= local - 1 ? 0 : rounds ? rounds : 1);
	}
	return step > local ? step : local;
}
