#include "methods/arborescence.h"

#include "core/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A graph in which a cycle became one vertex: of each of its edges the ends that it had before. */
struct smaller {
	int n, root, hub; /* hub: the vertex that was the cycle */
	int *now;         /* [vertex before] */
	double *lengths;
	int *from, *to;   /* [from * n + to]: ends before */
};

/* The nearest into each vertex. False: one has none. */
static bool choose_nearest(int n, int root, const double *lengths, int *parent)
{
	for (int v = 0; v < n; v++) {
		parent[v] = -1;
		for (int u = 0; u < n && v != root; u++)
			if (u != v && lengths[u * n + v] < (parent[v] < 0 ? INFINITY : lengths[parent[v] * n + v]))
				parent[v] = u;
		if (parent[v] < 0 && v != root)
			return false;
	}
	return true;
}

/* Marks the vertices of a cycle; false: there is none. */
static bool find_cycle(int n, const int *parent, bool *in)
{
	int *seen = new_array(int, (size_t)n);
	bool found = false;

	for (int start = 0; start < n && !found; start++) {
		int v = start;
		while (v >= 0 && !seen[v]) {
			seen[v] = start + 1;
			v = parent[v];
		}
		if (v < 0 || seen[v] != start + 1)
			continue;
		found = true;
		for (int u = v; !in[u]; u = parent[u])
			in[u] = true;
	}
	free(seen);
	return found;
}

/* Into the cycle an edge costs what it has more than the one that it takes the place of. */
static struct smaller contract(int n, int root, const double *lengths, const int *parent, const bool *in)
{
	struct smaller s = {.now = new_array(int, (size_t)n)};

	for (int v = 0; v < n; v++)
		if (!in[v])
			s.now[v] = s.n++;
	s.hub = s.n++;
	for (int v = 0; v < n; v++)
		if (in[v])
			s.now[v] = s.hub;
	s.root = s.now[root];
	size_t pairs = (size_t)s.n * (size_t)s.n;
	s.lengths = new_array(double, pairs);
	s.from = new_array(int, pairs);
	s.to = new_array(int, pairs);
	for (size_t i = 0; i < pairs; i++)
		s.lengths[i] = INFINITY;
	for (int u = 0; u < n; u++)
		for (int v = 0; v < n; v++) {
			int pair = s.now[u] * s.n + s.now[v];
			double length = lengths[u * n + v] - (in[v] ? lengths[parent[v] * n + v] : 0);
			if (s.now[u] == s.now[v] || !(length < s.lengths[pair]))
				continue;
			s.lengths[pair] = length;
			s.from[pair] = u;
			s.to[pair] = v;
		}
	return s;
}

bool least_arborescence(int nodes, int root, const double *lengths, int *parent)
{
	bool *in = new_array(bool, (size_t)nodes), ok = choose_nearest(nodes, root, lengths, parent);

	if (ok && find_cycle(nodes, parent, in)) {
		struct smaller s = contract(nodes, root, lengths, parent, in);
		int *above = new_array(int, (size_t)s.n);
		ok = least_arborescence(s.n, s.root, s.lengths, above);
		for (int v = 0; v < s.n && ok; v++)
			if (above[v] >= 0)
				parent[s.to[above[v] * s.n + v]] = s.from[above[v] * s.n + v];
		free(above);
		free(s.now);
		free(s.lengths);
		free(s.from);
		free(s.to);
	}
	free(in);
	return ok;
}

bool least_tree(int nodes, const double *lengths, int *parent)
{
	double *near = new_array(double, (size_t)nodes);
	bool *in = new_array(bool, (size_t)nodes), ok = true;

	for (int v = 0; v < nodes; v++) {
		near[v] = v ? INFINITY : 0;
		parent[v] = -1;
	}
	for (int n = 0; n < nodes && ok; n++) {
		int next = -1;
		for (int v = 0; v < nodes; v++)
			if (!in[v] && near[v] < (next < 0 ? INFINITY : near[next]))
				next = v;
		ok = next >= 0;
		if (!ok)
			break;
		in[next] = true;
		for (int v = 0; v < nodes; v++)
			if (!in[v] && lengths[next * nodes + v] < near[v]) {
				near[v] = lengths[next * nodes + v];
				parent[v] = next;
			}
	}
	free(near);
	free(in);
	return ok;
}
