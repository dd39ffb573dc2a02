/*
 * Backtracking over the images of nodes. Each assignment is propagated through the known generators (the permutation
 * must commute with them) and by forward checking (a node with a single possible image gets it); branches on a node
 * with the fewest possible images.
 */

#include "core/symmetry/transitive_search.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/base/stop.h"

#include <stdlib.h>

struct image_search {
	const struct network *w;
	const struct symmetry *known;
	int bandwidth;     /* of the edge from each node to its image */
	int *limits;       /* [edge]: number of limits on it */
	int *image, *from; /* [node]; -1: not assigned yet */
	int n, *trail;     /* nodes with an image, in order of assignment */
	int looked;        /* of the trail: nodes whose neighbours have been checked */
	int64_t budget;    /* assignments left */
	int64_t *looks;    /* edges that may still be examined */
	bool (*take)(void *context, const int *image);
	void *context;
};

enum { EACH = 128, WHOLE = 16 }; /* EACH: assignments a node; WHOLE: looks charged per edge of a limit at a leaf */

/* Is there an edge between the images, of the same bandwidth and under the same number of limits? */
static bool same_link(const struct image_search *s, int edge, int src, int dst)
{
	int image = network_edge(s->w, src, dst);
	return image >= 0 && s->w->edges[image].bandwidth == s->w->edges[edge].bandwidth && s->limits[image] == s->limits[edge];
}

static bool may_be(const struct image_search *s, int node, int image)
{
	const struct network *w = s->w;

	if (s->from[image] >= 0 || *s->looks <= 0)
		return false;
	*s->looks -= w->out_begin[node + 1] - w->out_begin[node] + w->in_begin[node + 1] - w->in_begin[node];
	for (int k = w->out_begin[node]; k < w->out_begin[node + 1]; k++) {
		int to = s->image[w->edges[w->out[k]].dst];
		if (to >= 0 && !same_link(s, w->out[k], image, to))
			return false;
	}
	for (int k = w->in_begin[node]; k < w->in_begin[node + 1]; k++) {
		int from = s->image[w->edges[w->in[k]].src];
		if (from >= 0 && !same_link(s, w->in[k], from, image))
			return false;
	}
	return true;
}

/* Possible images of the node, up to MOST of them, in OUT. */
static int choices(const struct image_search *s, int node, int most, int *out)
{
	const struct network *w = s->w;
	int n = 0;

	for (int k = w->out_begin[node]; k < w->out_begin[node + 1] && n < most; k++) {
		const struct edge *e = &w->edges[w->out[k]];
		if (e->bandwidth == s->bandwidth && may_be(s, node, e->dst))
			out[n++] = e->dst;
	}
	return n;
}

/*
 * Assigns IMAGE to NODE, and whatever follows from the known generators. False: contradiction or budget spent; the
 * caller undoes with take_back.
 */
static bool assign(struct image_search *s, int node, int image)
{
	int begin = s->n;

	if (s->budget-- <= 0 || !may_be(s, node, image))
		return false;
	s->image[node] = image;
	s->from[image] = node;
	s->trail[s->n++] = node;
	for (int i = begin; i < s->n; i++)
		for (size_t g = 0; g < s->known->n; g++) {
			const int *by = s->known->generators[g].nodes;
			int next = by[s->trail[i]], to = by[s->image[s->trail[i]]];
			if (s->image[next] == to)
				continue;
			if (s->image[next] >= 0 || !may_be(s, next, to))
				return false;
			s->image[next] = to;
			s->from[to] = next;
			s->trail[s->n++] = next;
		}
	return true;
}

static void take_back(struct image_search *s, int n)
{
	while (s->n > n) {
		int node = s->trail[--s->n];
		s->from[s->image[node]] = -1;
		s->image[node] = -1;
	}
	s->looked = s->looked > n ? n : s->looked;
}

/* Forward checking: assigns the neighbours of assigned nodes that have one possible image left. False: one has none. */
static bool look_around(struct image_search *s)
{
	const struct network *w = s->w;
	int two[2];

	for (; s->looked < s->n; s->looked++)
		for (int side = 0; side < 2; side++) {
			const int *begin = side ? w->in_begin : w->out_begin, *of = side ? w->in : w->out;
			int node = s->trail[s->looked];
			for (int k = begin[node]; k < begin[node + 1]; k++) {
				int next = side ? w->edges[of[k]].src : w->edges[of[k]].dst;
				int n = s->image[next] < 0 ? choices(s, next, 2, two) : 2;
				if (n == 0 || (n == 1 && !assign(s, next, two[0])))
					return false;
			}
		}
	return true;
}

/*
 * An unassigned node with the fewest possible images; -1: all nodes are assigned. ROOM is scratch space for one int per
 * node.
 */
static int narrowest(const struct image_search *s, int *room)
{
	int best = -1, least = 0;

	for (int v = 0; v < s->w->nodes && (best < 0 || least > 2); v++) {
		int n = s->image[v] < 0 ? choices(s, v, s->w->nodes, room) : 0;
		if (s->image[v] >= 0 || (best >= 0 && n >= least))
			continue;
		best = v;
		least = n;
	}
	return best;
}

static bool go_on(struct image_search *s)
{
	int begin, looked, node, n;

	if (!look_around(s))
		return false;
	if (s->n == s->w->nodes) {
		for (size_t l = 0; l < s->w->n_limits; l++)
			*s->looks -= WHOLE * (int64_t)s->w->limits[l].n_edges;
		return s->take(s->context, s->image);
	}
	int *of = new_array(int, (size_t)s->w->nodes);
	node = narrowest(s, of);
	n = choices(s, node, s->w->nodes, of);
	begin = s->n;
	looked = s->looked;
	bool found = false;
	for (int i = 0; i < n && !found && s->budget > 0 && *s->looks > 0 && !stop_is_due(); i++) {
		found = assign(s, node, of[i]) && go_on(s);
		if (!found)
			take_back(s, begin);
		s->looked = found ? s->looked : looked;
	}
	free(of);
	return found;
}

bool transitive_group_search(const struct network *w, const struct symmetry *known, int to, bool (*take)(void *context, const int *image),
		    void *context, int64_t *looks)
{
	struct image_search s = {.w = w, .known = known, .budget = (int64_t)w->nodes * EACH, .looks = looks, .take = take, .context = context};

	s.bandwidth = w->edges[network_edge(w, 0, to)].bandwidth;
	s.image = new_array(int, (size_t)w->nodes);
	s.from = new_array(int, (size_t)w->nodes);
	s.trail = new_array(int, (size_t)w->nodes);
	s.limits = new_array(int, w->n_edges);
	for (size_t l = 0; l < w->n_limits; l++)
		for (size_t k = 0; k < w->limits[l].n_edges; k++)
			s.limits[w->limits[l].edges[k]]++;
	for (int v = 0; v < w->nodes; v++)
		s.image[v] = s.from[v] = -1;
	bool found = assign(&s, 0, to) && go_on(&s);
	free(s.limits);
	free(s.image);
	free(s.from);
	free(s.trail);
	return found;
}
