/*
 * For each set of removed port groups: the components that are left, found by breadth-first search, and how many (part,
 * component) pairs have not met. Dividing that count by the bandwidth of the set, rounded up, gives a lower bound on
 * the rounds; the bound is the maximum over all sets.
 */

#include "synth/symmetric/cut_components.h"

#include "core/base/memory.h"
#include "core/machine/network.h"

#include <stdlib.h>

/* One set of removed port groups, and the components that it leaves. */
struct cut_component_set {
	int64_t bandwidth;      /* chunks in port_groups.rounds rounds */
	int64_t left;           /* (part, component) pairs that have not met */
	int components;
	int *component;             /* [node] */
	unsigned char *reached; /* [part * components + component] */
};

struct cut_components {
	size_t n, room;
	struct cut_component_set *of;
	int rounds;             /* port_groups.rounds */
	bool marked;
	size_t n_passed, passed_room;
	struct passed {
		size_t set, cell;
	} *passed;              /* since the mark */
};

/* Components of the machine without the closed port groups. Links are followed forwards only: see add. */
static void find_components(struct cut_component_set *s, const struct symmetric_schedule *d, const struct port_groups *g, const unsigned char *closed)
{
	const struct network *w = d->g->network;
	int *queue = new_array(int, (size_t)w->nodes);

	s->component = new_array(int, (size_t)w->nodes);
	for (int v = 0; v < w->nodes; v++)
		s->component[v] = -1;
	for (int first = 0; first < w->nodes; first++) {
		int n = 0;
		if (s->component[first] >= 0)
			continue;
		s->component[first] = s->components;
		queue[n++] = first;
		for (int i = 0; i < n; i++)
			for (int k = w->out_begin[queue[i]]; k < w->out_begin[queue[i] + 1]; k++) {
				const struct edge *e = &w->edges[w->out[k]];
				if (closed[g->of[d->way[w->out[k]]]] || s->component[e->dst] >= 0)
					continue;
				s->component[e->dst] = s->components;
				queue[n++] = e->dst;
			}
		s->components++;
	}
	free(queue);
}

/* Directions are elements of a finite group: a node that can be reached can be reached from, so that the components
 * do not depend on where the search starts. */
static void add(struct cut_components *s, const struct symmetric_schedule *d, const struct port_groups *g, const unsigned char *closed)
{
	struct cut_component_set one = {0};

	find_components(&one, d, g, closed);
	if (one.components < 2) {
		free(one.component);
		return;
	}
	for (int k = 0; k < g->n; k++)
		one.bandwidth += closed[k] ? g->bandwidth[k] : 0;
	one.left = (int64_t)d->i->chunks * one.components;
	one.reached = new_array(unsigned char, (size_t)one.left);
	s->of = grown(s->of, &s->room, s->n + 1, sizeof one);
	s->of[s->n++] = one;
}

struct cut_components *cut_components_new(const struct symmetric_schedule *d, const struct port_groups *g)
{
	enum { PORT_GROUPS_MAX = 64 }; /* with more, none is assumed to be a bottleneck: no sets, and the bound is 0 */
	struct cut_components *s = new(struct cut_components);
	unsigned char *closed = new_array(unsigned char, (size_t)g->n);

	s->rounds = g->rounds;
	for (int k = 0; k < g->n && g->n <= PORT_GROUPS_MAX; k++) {
		int alike = 0;
		for (int i = 0; i < g->n; i++)
			closed[i] = i == k;
		add(s, d, g, closed);
		for (int i = 0; i < k; i++)
			alike += g->bandwidth[i] == g->bandwidth[k];
		for (int i = 0; i < g->n; i++)
			closed[i] = g->bandwidth[i] <= g->bandwidth[k];
		if (!alike)
			add(s, d, g, closed);
	}
	free(closed);
	return s;
}

void cut_components_free(struct cut_components *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++) {
		free(s->of[i].component);
		free(s->of[i].reached);
	}
	free(s->of);
	free(s->passed);
	free(s);
}

void cut_components_pass(struct cut_components *s, int part, int node)
{
	for (size_t i = 0; i < s->n; i++) {
		struct cut_component_set *x = &s->of[i];
		size_t cell = (size_t)part * (size_t)x->components + (size_t)x->component[node];
		if (x->reached[cell])
			continue;
		x->reached[cell] = 1;
		x->left--;
		if (!s->marked)
			continue;
		s->passed = grown(s->passed, &s->passed_room, s->n_passed + 1, sizeof *s->passed);
		s->passed[s->n_passed++] = (struct passed){i, cell};
	}
}

int64_t cut_components_needed(const struct cut_components *s)
{
	int64_t most = 0;

	for (size_t i = 0; i < s->n; i++) {
		int64_t need = (s->of[i].left * s->rounds + s->of[i].bandwidth - 1) / s->of[i].bandwidth;
		most = need > most ? need : most;
	}
	return most;
}

void cut_components_mark(struct cut_components *s)
{
	s->marked = true;
	s->n_passed = 0;
}

void cut_components_back(struct cut_components *s)
{
	for (size_t i = 0; i < s->n_passed; i++) {
		struct cut_component_set *x = &s->of[s->passed[i].set];
		x->reached[s->passed[i].cell] = 0;
		x->left++;
	}
	s->marked = false;
	s->n_passed = 0;
}
