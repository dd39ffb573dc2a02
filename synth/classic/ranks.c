/*
 * Assigns nodes to ranks by backtracking: ranks in ascending order, each on the first free node with edges both ways to
 * all partners assigned before. The search is bounded; where it fails, rank r is node r.
 */

#include "synth/classic/ranks.h"

#include "core/base/memory.h"
#include "core/machine/network.h"

#include <stdint.h>
#include <stdlib.h>

enum { LOOKS_MAX = 2000000 };

static struct ranks ranks_plain(int nodes)
{
	struct ranks r = {.nodes = nodes, .core = 1, .node = new_array(int, (size_t)nodes)};

	for (; r.core * 2 <= nodes; r.core *= 2)
		r.bits++;
	for (int i = 0; i < nodes; i++)
		r.node[i] = i;
	return r;
}

static bool both_ways(const struct network *w, int a, int b)
{
	return network_distance(w, a, b) == 1 && network_distance(w, b, a) == 1;
}

/* Does NODE have edges both ways to the partners of RANK among lower ranks? */
static bool suits(const struct network *w, const struct ranks *r, int rank, int node)
{
	if (rank >= r->core)
		return both_ways(w, node, r->node[rank - r->core]);
	for (int bit = 1; bit <= rank; bit <<= 1)
		if (rank & bit && !both_ways(w, node, r->node[rank ^ bit]))
			return false;
	return true;
}

/* Assigns nodes to RANK and all ranks above it; candidates start at the rank's own number and wrap around. */
static bool assign(const struct network *w, struct ranks *r, int rank, bool *used, int64_t *looks)
{
	if (rank == r->nodes)
		return true;
	for (int i = 0; i < r->nodes && *looks < LOOKS_MAX; i++) {
		int node = (rank + i) % r->nodes;
		++*looks;
		if (used[node] || !suits(w, r, rank, node))
			continue;
		used[node] = true;
		r->node[rank] = node;
		if (assign(w, r, rank + 1, used, looks))
			return true;
		used[node] = false;
	}
	return false;
}

struct ranks ranks_joined(const struct network *w)
{
	struct ranks r = ranks_plain(w->nodes);
	bool *used = new_array(bool, (size_t)w->nodes);
	int64_t looks = 0;

	r.joined = assign(w, &r, 0, used, &looks);
	free(used);
	if (r.joined)
		return r;
	ranks_free(&r);
	return ranks_plain(w->nodes);
}

void ranks_free(struct ranks *r)
{
	free(r->node);
	r->node = NULL;
}
