/*
 * Few trees at the optimal rate. Widths are scaled so that the rate is an integer N. For k = 1, 2, ... all weights of k
 * trees whose sum is N are tried, largest first; for each, the links in turn get a set of trees: no more weight than the
 * link's width, no cycle in a tree, and no more left over than the links can have left over in all. At the optimum of
 * most machines that is nothing, which leaves each link a handful of sets.
 */
#include "synth/trees/shared_links.h"

#include "core/base/memory.h"
#include "synth/trees/strength.h"

#include <stdlib.h>

enum { TREES_MAX = 8, NODES_MAX = 32, RATE_MAX = 64, STEPS_MAX = 4000000, STEPS_EACH = 20000 };

/* The trees as far as they are decided. */
struct shared_forest {
	int links[TREES_MAX];
	uint32_t reached[TREES_MAX];                   /* nodes that have a link */
	unsigned char part[TREES_MAX][NODES_MAX]; /* the same number: joined */
};

struct link_sharing {
	const struct joint *joints;
	size_t n;
	int nodes, k;
	int64_t scale, weights[TREES_MAX], sums[1 << TREES_MAX]; /* sums: weight of each set of trees */
	uint32_t *sets;    /* [joint]: its trees */
	uint32_t *settled; /* [joint]: nodes without further joints */
	long steps, each;  /* left, in all and for these weights */
};

static void join(struct shared_forest *f, int nodes, int tree, const struct joint *j)
{
	unsigned char from = f->part[tree][j->b], to = f->part[tree][j->a];

	for (int v = 0; v < nodes; v++)
		if (f->part[tree][v] == from)
			f->part[tree][v] = to;
	f->reached[tree] |= (uint32_t)1 << j->a | (uint32_t)1 << j->b;
	f->links[tree]++;
}

/* Adds joint I to the trees of SET. False: a cycle, or a tree that can no longer span. */
static bool add(const struct link_sharing *s, struct shared_forest *f, size_t i, uint32_t set)
{
	const struct joint *j = &s->joints[i];

	for (int t = 0; t < s->k; t++) {
		if (set >> t & 1 && f->part[t][j->a] == f->part[t][j->b])
			return false;
		if (set >> t & 1)
			join(f, s->nodes, t, j);
		if ((f->reached[t] & s->settled[i]) != s->settled[i] || f->links[t] + (int)(s->n - i - 1) < s->nodes - 1)
			return false;
	}
	return true;
}

/* LEFT: what links may have left over from joint I on. */
static bool share(struct link_sharing *s, size_t i, const struct shared_forest *f, int64_t left)
{
	if (i == s->n)
		return true; /* `add` has seen that all have the links of a tree */
	if (--s->steps < 0 || --s->each < 0)
		return false;
	int64_t width = s->joints[i].width * s->scale;
	for (uint32_t set = ((uint32_t)1 << s->k) - 1; set != UINT32_MAX; set--) {
		if (s->sums[set] > width || width - s->sums[set] > left)
			continue;
		struct shared_forest more = *f;
		if (!add(s, &more, i, set))
			continue;
		s->sets[i] = set;
		if (share(s, i + 1, &more, left - (width - s->sums[set])))
			return true;
	}
	return false;
}

static bool share_all(struct link_sharing *s, int64_t left)
{
	struct shared_forest none = {.links = {0}};

	for (int t = 0; t < s->k; t++)
		for (int v = 0; v < s->nodes; v++)
			none.part[t][v] = (unsigned char)v;
	for (uint32_t set = 0; set >> s->k == 0; set++) {
		s->sums[set] = 0;
		for (int t = 0; t < s->k; t++)
			s->sums[set] += set >> t & 1 ? s->weights[t] : 0;
	}
	s->each = STEPS_EACH;
	return share(s, 0, &none, left);
}

/* Chooses weight T and those after it, none larger than the one before, of sum REST. */
static bool weigh(struct link_sharing *s, int t, int64_t rest, int64_t most, int64_t left)
{
	if (t == s->k)
		return share_all(s, left);
	int64_t after = s->k - t - 1, first = rest - after < most ? rest - after : most;
	for (int64_t w = first; w > 0 && w * (after + 1) >= rest && s->steps > 0; w--) {
		s->weights[t] = w;
		if (weigh(s, t + 1, rest - w, w, left))
			return true;
	}
	return false;
}

static void settle(struct link_sharing *s)
{
	uint32_t later = 0;

	for (size_t i = s->n; i-- > 0;) {
		uint32_t ends = (uint32_t)1 << s->joints[i].a | (uint32_t)1 << s->joints[i].b;
		s->settled[i] = ends & ~later;
		later |= ends;
	}
}

/* The tree of the joints that T shares, from node 0. */
static void root_tree(const struct link_sharing *s, int t, int *parent)
{
	bool in[NODES_MAX] = {true};

	parent[0] = -1;
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < s->n; i++) {
			int a = s->joints[i].a, b = s->joints[i].b;
			if (!(s->sets[i] >> t & 1) || in[a] == in[b])
				continue;
			parent[in[a] ? b : a] = in[a] ? a : b;
			in[a] = in[b] = more = true;
		}
	}
}

bool trees_sharing_links(const struct network *w, struct rational rate, size_t most, struct trees *out)
{
	struct link_sharing s = {.nodes = out->nodes, .scale = rate.den, .steps = STEPS_MAX};
	bool found = false;

	if (s.nodes > NODES_MAX || rate.num > RATE_MAX)
		return false;
	struct joint *joints = joints_of(w, &s.n);
	int64_t widest = 0, left = -rate.num * (s.nodes - 1);
	s.joints = joints;
	s.sets = new_array(uint32_t, s.n);
	s.settled = new_array(uint32_t, s.n);
	for (size_t i = 0; i < s.n; i++) {
		left += joints[i].width * s.scale;
		widest = joints[i].width * s.scale > widest ? joints[i].width * s.scale : widest;
	}
	settle(&s);
	for (s.k = 1; !found && s.k <= TREES_MAX && (size_t)s.k < most && s.steps > 0; s.k += !found)
		found = weigh(&s, 0, rate.num, widest, left);
	for (int t = 0; found && t < s.k; t++) {
		int parent[NODES_MAX];
		root_tree(&s, t, parent);
		trees_add(out, parent, s.weights[t]);
	}
	free(joints);
	free(s.sets);
	free(s.settled);
	return found;
}
