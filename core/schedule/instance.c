/* Validates an instance, and derives the distances with which encodings restrict when a chunk can be where. */

#include "core/schedule/instance.h"

#include "core/schedule/algorithm.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"

#include <stdlib.h>

bool instance_new(const struct network *w, const struct collective *k, int chunks, int steps, int rounds,
		  struct instance *out, struct error *e)
{
	if (!collective_check(k, w->nodes, chunks, e))
		return false;
	if (collective_row(k)->combining && k->kind != ALLREDUCE && k->kind != SCAN)
		return error_set(e, ERROR_INPUT, collective_name(k), "is not solved directly, but as an inverse");
	if (k->kind == CUSTOM && chunks > 1 && k->custom->cut != chunks)
		return error_set(e, ERROR_INPUT, collective_name(k), "its chunks are not yet cut into %d parts", chunks);
	if (steps < 1 || steps > STEPS_MAX)
		return error_set(e, ERROR_INPUT, "-S", "there must be from 1 to %d steps, not %d", (int)STEPS_MAX, steps);
	if (rounds < steps)
		return error_set(e, ERROR_INPUT, "-R", "each of the %d steps needs a round, so R = %d is too small", steps, rounds);
	if (rounds > ROUNDS_MAX)
		return error_set(e, ERROR_INPUT, "-R", "there must be at most %d rounds, not %d", (int)ROUNDS_MAX, rounds);
	*out = (struct instance){.network = w, .collective = *k, .chunks = chunks, .steps = steps, .rounds = rounds,
				 .global_chunks = collective_global_chunks(k, w->nodes, chunks)};
	return true;
}

bool instance_pre(const struct instance *i, int chunk, int node)
{
	return collective_pre(&i->collective, i->network->nodes, chunk, node);
}

bool instance_post(const struct instance *i, int chunk, int node)
{
	return collective_post(&i->collective, i->network->nodes, chunk, node);
}

int instance_holder(const struct instance *i, int chunk)
{
	int holder = -1;

	for (int n = 0; n < i->network->nodes; n++)
		if (instance_pre(i, chunk, n)) {
			if (holder >= 0)
				return -1;
			holder = n;
		}
	return holder;
}

/* The nodes at which a chunk starts, or, with TO_POST, those to which it must still go. Returns their number. */
static int ends_of(const struct instance *i, int chunk, bool to_post, int *ends)
{
	int n = 0;

	for (int node = 0; node < i->network->nodes; node++) {
		bool pre = instance_pre(i, chunk, node);
		if (to_post ? !pre && instance_post(i, chunk, node) : pre)
			ends[n++] = node;
	}
	return n;
}

/* The least distance of each node from the ends, or, with TO_POST, to them. Stops at 1, the least for any other node. */
static void least_distances(const struct network *w, const int *ends, int n_ends, bool to_post, unsigned short *least)
{
	for (int n = 0; n < w->nodes; n++)
		least[n] = UNREACHABLE;
	for (int i = 0; i < n_ends; i++)
		least[ends[i]] = 0;
	for (int n = 0; n < w->nodes; n++)
		for (int i = 0; i < n_ends && least[n] > 1; i++) {
			int d = to_post ? network_distance(w, n, ends[i]) : network_distance(w, ends[i], n);
			if (d < least[n])
				least[n] = (unsigned short)d;
		}
}

static unsigned short *distances(const struct instance *i, bool to_post)
{
	size_t nodes = (size_t)i->network->nodes;
	unsigned short *least = new_array(unsigned short, (size_t)i->global_chunks * nodes);
	int *ends = new_array(int, nodes);

	for (int c = 0; c < i->global_chunks; c++)
		least_distances(i->network, ends, ends_of(i, c, to_post, ends), to_post, least + (size_t)c * nodes);
	free(ends);
	return least;
}

unsigned short *instance_distance_from_pre(const struct instance *i)
{
	return distances(i, false);
}

unsigned short *instance_distance_to_post(const struct instance *i)
{
	return distances(i, true);
}
