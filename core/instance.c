#include "core/instance.h"

#include "core/error.h"
#include "core/memory.h"
#include "core/network.h"

#include <stdlib.h>
#include <string.h>

bool instance_new(const struct network *w, const struct collective *k, int chunks, int steps, int rounds,
		  struct instance *out, struct error *e)
{
	if (!collective_check(k, w->nodes, chunks, e))
		return false;
	if (steps < 1)
		return error_set(e, ERROR_INPUT, "-S", "there must be a step or more, not %d", steps);
	if (rounds < steps)
		return error_set(e, ERROR_INPUT, "-R", "each of the %d steps has a round or more; %d are too few", steps, rounds);
	*out = (struct instance){w, *k, chunks, collective_global_chunks(k, w->nodes, chunks), steps, rounds};
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

/* The least distance between each node and those of the chunk's set: from them, or with FORTH to them. */
static unsigned short *distances(const struct instance *i, bool forth)
{
	const struct network *w = i->network;
	size_t nodes = (size_t)w->nodes;
	unsigned short *least = new_array(unsigned short, (size_t)i->global_chunks * nodes);

	memset(least, 0xff, (size_t)i->global_chunks * nodes * sizeof *least);
	for (int c = 0; c < i->global_chunks; c++)
		for (int end = 0; end < w->nodes; end++) {
			bool pre = instance_pre(i, c, end);
			if (forth ? pre || !instance_post(i, c, end) : !pre)
				continue;
			for (int n = 0; n < w->nodes; n++) {
				int d = forth ? network_distance(w, n, end) : network_distance(w, end, n);
				if (d < least[(size_t)c * nodes + (size_t)n])
					least[(size_t)c * nodes + (size_t)n] = (unsigned short)d;
			}
		}
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
