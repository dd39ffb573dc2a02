/*
 * Enumerates the fixed-point-free permutations of the nodes that preserve edges and bandwidths by backtracking, and
 * adds each as a generator if it preserves the limits too and the group's action stays free.
 */

#include "core/symmetry/transitive_small.h"

#include "core/machine/network.h"

#include <stdlib.h>

struct group_search {
	const struct network *w;
	struct symmetry *y;
	struct elements *group; /* so far; n is 0 while it is only the identity */
	int image[TRANSITIVE_SMALL_NODES];
	bool taken[TRANSITIVE_SMALL_NODES];
	int64_t budget; /* assignments left */
};

static bool same_pair(const struct network *w, int a, int b, int x, int y)
{
	int edge = network_edge(w, a, b), image = network_edge(w, x, y);

	if (edge < 0 || image < 0)
		return edge < 0 && image < 0;
	return w->edges[edge].bandwidth == w->edges[image].bandwidth;
}

static bool may_be(const struct group_search *s, int node, int image)
{
	if (image == node || s->taken[image])
		return false;
	for (int n = 0; n < node; n++)
		if (!same_pair(s->w, n, node, s->image[n], image) || !same_pair(s->w, node, n, image, s->image[n]))
			return false;
	return true;
}

static bool is_known(const struct group_search *s)
{
	for (size_t i = 0; i < s->group->n; i++) {
		bool same = true;
		for (int n = 0; n < s->w->nodes && same; n++)
			same = s->group->nodes[i * (size_t)s->w->nodes + (size_t)n] == s->image[n];
		if (same)
			return true;
	}
	return false;
}

/* A complete permutation: is it an automorphism, and does the group's action stay free with it? */
static void try_whole(struct group_search *s)
{
	struct symmetry *with;
	struct elements group;
	size_t which;

	if (is_known(s))
		return;
	with = symmetry_copy(s->y);
	symmetry_add(with, s->image, NULL);
	bool ok = with->n <= GENERATORS_MAX && symmetry_keeps_machine(with, s->w, &which) &&
		  elements_new(with, (size_t)s->w->nodes, &group);
	if (ok && elements_act_freely(&group)) {
		symmetry_add(s->y, s->image, NULL);
		elements_free(s->group);
		*s->group = group;
	} else if (ok)
		elements_free(&group);
	symmetry_free(with);
}

static void try_node(struct group_search *s, int node)
{
	if (node == s->w->nodes) {
		try_whole(s);
		return;
	}
	for (int image = 0; image < s->w->nodes && s->budget > 0 && s->group->n < (size_t)s->w->nodes; image++) {
		if (!may_be(s, node, image))
			continue;
		s->budget--;
		s->image[node] = image;
		s->taken[image] = true;
		try_node(s, node + 1);
		s->taken[image] = false;
	}
}

bool transitive_group_search_small(const struct network *w, struct symmetry *y, struct elements *group)
{
	enum { BUDGET = 100000 };
	struct group_search s = {.w = w, .y = y, .group = group, .budget = BUDGET};

	*group = (struct elements){0};
	if (w->nodes > TRANSITIVE_SMALL_NODES)
		return false;
	try_node(&s, 0);
	return group->n > 1;
}
