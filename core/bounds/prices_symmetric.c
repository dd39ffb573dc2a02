/* Prices by orbits of the machine under a group of automorphisms that acts freely. */

#include "core/machine/prices.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/symmetry/machine_orbits.h"
#include "core/symmetry/transitive_group.h"

#include <stdlib.h>
#include <string.h>

/* The orbits under a group found by search, or, without one, of single members. */
static void find_orbits(const struct network *w, bool searched, struct machine_orbits *out)
{
	struct transitive_group g;
	size_t nodes = (size_t)w->nodes;

	if (!searched || !transitive_group_find_free(w, &g)) {
		machine_orbits_new(w, NULL, 0, out);
		return;
	}
	int *generators = new_array(int, g.symmetry->n * nodes);
	for (size_t i = 0; i < g.symmetry->n; i++)
		memcpy(&generators[i * nodes], g.symmetry->generators[i].nodes, nodes * sizeof *generators);
	machine_orbits_new(w, generators, g.symmetry->n, out);
	free(generators);
	transitive_group_free(&g);
}

/* Numbers of the orbits of what is priced: of some edges, then of all limits. */
static int number_priced(const struct price_list *f, const struct machine_orbits *o, int *number)
{
	int *seen = new_array(int, (size_t)(o->n_edges + o->n_limits)), n = 0; /* 1 + its number */

	for (int i = 0; i < f->n; i++) {
		int orbit = i < f->n_edges ? o->edge[f->edge[i]] : o->n_edges + o->limit[i - f->n_edges];
		if (!seen[orbit])
			seen[orbit] = ++n;
		number[i] = seen[orbit] - 1;
	}
	free(seen);
	return n;
}

void price_orbits_new(const struct price_list *f, bool searched, struct price_orbits *out)
{
	const struct network *w = f->w;
	struct price_orbits a = {.number = new_array(int, (size_t)f->n)};
	struct machine_orbits o;

	find_orbits(w, searched, &o);
	a.n = number_priced(f, &o, a.number);
	a.n_nodes = o.n_nodes;
	a.node = copy_bytes(o.node, (size_t)w->nodes * sizeof *a.node);
	a.first = new_array(int, (size_t)a.n_nodes);
	a.size = new_array(int, (size_t)a.n_nodes);
	for (int v = w->nodes - 1; v >= 0; v--) {
		a.first[a.node[v]] = v;
		a.size[a.node[v]]++;
	}
	machine_orbits_free(&o);
	*out = a;
}

void price_orbits_free(struct price_orbits *a)
{
	free(a->node);
	free(a->number);
	free(a->first);
	free(a->size);
}
