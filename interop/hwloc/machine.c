/*
 * Collects links and the tree of buses, and turns the tree into links: a switch for each place where paths from
 * accelerators meet, one link for each chain of bridges between.
 */

#include "interop/hwloc/machine.h"

#include "core/base/memory.h"

#include <stdlib.h>

void machine_free(struct machine *m)
{
	free(m->model);
	free(m->links);
	free(m->places);
	free(m->addresses);
}

void machine_add_link(struct machine *m, int src, int dst, uint64_t speed, enum machine_kind kind)
{
	m->links = grown(m->links, &m->links_capacity, m->n_links + 1, sizeof *m->links);
	m->links[m->n_links++] = (struct machine_link){src, dst, speed, kind};
}

int machine_add_place(struct machine *m, int parent, uint64_t speed)
{
	m->places = grown(m->places, &m->places_capacity, m->n_places + 1, sizeof *m->places);
	m->places[m->n_places] = (struct machine_place){parent, speed};
	return (int)m->n_places++;
}

static int group_of(int *group, int v)
{
	while (group[v] != v) {
		group[v] = group[group[v]];
		v = group[v];
	}
	return v;
}

bool machine_is_joined(const struct machine *m)
{
	int n = m->n + m->n_hubs;
	int *group = new_array(int, (size_t)n);
	bool joined = true;

	for (int v = 0; v < n; v++)
		group[v] = v;
	for (size_t i = 0; i < m->n_links; i++)
		group[group_of(group, m->links[i].src)] = group_of(group, m->links[i].dst);
	for (int v = 1; v < m->n; v++)
		joined &= group_of(group, v) == group_of(group, 0);
	free(group);
	return joined;
}

/* ---- the tree of buses ---- */

/*
 * The first place above P where paths from two accelerators meet, -1: none. *speed is the lowest known speed on the
 * path to it, 0: none is known.
 */
static int meeting_above(const struct machine *m, const int *branches, int p, uint64_t *speed)
{
	*speed = 0;
	do {
		uint64_t s = m->places[p].speed;
		if (s && (!*speed || s < *speed))
			*speed = s;
		p = m->places[p].parent;
	} while (p >= 0 && branches[p] < 2);
	return p;
}

static void add_both_directions(struct machine *m, int a, int b, uint64_t speed)
{
	machine_add_link(m, a, b, speed, KIND_PCIE);
	machine_add_link(m, b, a, speed, KIND_PCIE);
}

/* Assumes unknown speeds to be as low as the lowest known one. */
static void fill_in(struct machine *m, size_t first)
{
	uint64_t slowest = 0;

	for (size_t i = first; i < m->n_links; i++)
		if (m->links[i].speed && (!slowest || m->links[i].speed < slowest))
			slowest = m->links[i].speed;
	for (size_t i = first; i < m->n_links; i++)
		if (!m->links[i].speed)
			m->links[i].speed = slowest;
}

/*
 * Each place where paths meet becomes a switch; chains of bridges in between become one link. Routes between nodes are
 * the shortest, so if there are hubs, each accelerator gets a switch of its own in front of the bus: otherwise the bus
 * would be as near as the hubs.
 */
int machine_add_tree(struct machine *m)
{
	int next = m->n + m->n_hubs;
	size_t n = m->n_places, first = m->n_links;
	int *branches = new_array(int, n), *vertex = new_array(int, n);

	for (size_t p = 0; p < n; p++)
		if (m->places[p].parent >= 0)
			branches[m->places[p].parent]++;
	for (int p = 0; p < (int)n; p++)
		vertex[p] = p < m->n && !m->n_hubs ? p : p < m->n || branches[p] > 1 ? next++ : -1;
	for (int p = 0; p < (int)n; p++) {
		uint64_t speed;
		int above = vertex[p] < 0 ? -1 : meeting_above(m, branches, p, &speed);
		if (above < 0)
			continue;
		add_both_directions(m, vertex[p], vertex[above], speed);
		if (vertex[p] != p && p < m->n)
			add_both_directions(m, p, vertex[p], speed);
	}
	fill_in(m, first);
	free(branches);
	free(vertex);
	return next - m->n - m->n_hubs;
}
