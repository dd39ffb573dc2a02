/* Interchangeable chunks: finds the classes, the nodes to order them at, and verifies orders read from a file. */

#include "prove/cnf.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/base/work.h"

#include <stdlib.h>

/*
 * Does swapping the two chunks map the instance to itself? Capacities count chunks regardless of their numbers, so pre-
 * and postconditions decide.
 */
static bool are_interchangeable(const struct instance *i, int a, int b)
{
	work_spend(4 * i->network->nodes);
	for (int n = 0; n < i->network->nodes; n++)
		if (instance_pre(i, a, n) != instance_pre(i, b, n) || instance_post(i, a, n) != instance_post(i, b, n))
			return false;
	return true;
}

static int hops_to(const struct instance *i, int c, int node)
{
	int least = UNREACHABLE;

	for (int from = 0; from < i->network->nodes; from++)
		if (instance_pre(i, c, from) && network_distance(i->network, from, node) < least)
			least = network_distance(i->network, from, node);
	return least;
}

/* The nodes that the chunks of the class must reach, farthest first. */
static void list_nodes(const struct instance *i, size_t most, struct chunk_order *o)
{
	const struct network *w = i->network;
	int *hops = new_array(int, (size_t)w->nodes), farthest = 0;

	o->nodes = new_array(int, (size_t)w->nodes);
	for (int n = 0; n < w->nodes; n++) {
		hops[n] = instance_post(i, o->chunks[0], n) ? hops_to(i, o->chunks[0], n) : 0;
		farthest = hops[n] > farthest && hops[n] != UNREACHABLE ? hops[n] : farthest;
	}
	for (int far = farthest; far > 0; far--)
		for (int n = 0; n < w->nodes; n++)
			if (hops[n] == far && o->n_nodes < most)
				o->nodes[o->n_nodes++] = n;
	free(hops);
}

struct orders orders_of(const struct instance *i, size_t most_nodes)
{
	struct orders o = {0};
	size_t capacity = 0;
	bool *taken = new_array(bool, (size_t)i->global_chunks);

	for (int c = 0; c < i->global_chunks; c++) {
		if (taken[c])
			continue;
		struct chunk_order class = {.chunks = new_array(int, (size_t)(i->global_chunks - c))};
		for (int other = c; other < i->global_chunks; other++)
			if (!taken[other] && are_interchangeable(i, c, other)) {
				taken[other] = true;
				class.chunks[class.n_chunks++] = other;
			}
		if (class.n_chunks < 2) {
			free(class.chunks);
			continue;
		}
		if (i->collective.kind != ALLREDUCE)
			list_nodes(i, most_nodes, &class);
		o.all = grown(o.all, &capacity, o.n + 1, sizeof *o.all);
		o.all[o.n++] = class;
	}
	free(taken);
	return o;
}

void orders_free(struct orders *o)
{
	for (size_t i = 0; i < o->n; i++) {
		free(o->all[i].chunks);
		free(o->all[i].nodes);
	}
	free(o->all);
	*o = (struct orders){0};
}

/* Verifies that the chunks exist, are ascending and in no earlier class, and are interchangeable with the first. */
static bool class_holds(const struct instance *i, const struct chunk_order *o, bool *taken, struct error *e)
{
	if (i->collective.kind == ALLREDUCE && o->n_nodes)
		return error_set(e, ERROR_INPUT, "order", "chunks of an allreduce are ordered by their first step");
	if (o->n_nodes > (size_t)i->network->nodes)
		return error_set(e, ERROR_INPUT, "order", "names more nodes than there are");
	for (size_t k = 0; k < o->n_nodes; k++)
		if (o->nodes[k] < 0 || o->nodes[k] >= i->network->nodes)
			return error_set(e, ERROR_INPUT, "order", "there is no node %d", o->nodes[k]);
	for (size_t k = 0; k < o->n_chunks && !work_is_over(); k++) {
		int c = o->chunks[k];
		if (c < 0 || c >= i->global_chunks)
			return error_set(e, ERROR_INPUT, "order", "there is no chunk %d", c);
		if (taken[c])
			return error_set(e, ERROR_INPUT, "order", "chunk %d is ordered twice", c);
		if (k && c <= o->chunks[k - 1])
			return error_set(e, ERROR_INPUT, "order", "chunk %d does not follow a lower one", c);
		if (!are_interchangeable(i, c, o->chunks[0]))
			return error_set(e, ERROR_INPUT, "order", "the swap of chunks %d and %d does not map the instance to itself",
					 o->chunks[0], c);
		taken[c] = true;
	}
	return true;
}

bool orders_hold(const struct instance *i, const struct orders *o, struct error *e)
{
	bool *taken = new_array(bool, (size_t)i->global_chunks), ok = true;

	for (size_t k = 0; k < o->n && ok; k++)
		ok = class_holds(i, &o->all[k], taken, e);
	free(taken);
	return ok;
}
