#include "core/base/error.h"
#include "core/machine/network.h"
#include "core/symmetry/transitive_group.h"
#include "core/machine/topology.h"
#include "core/machine/topology_rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>

TestSuite(regular, .description = "groups that leave no node where it is");

/* How many elements the group has that is found; 0: none. Each is seen to keep the machine and to move every node. */
static size_t elements_of_topology(const struct topology *t)
{
	struct error e = {0};
	struct transitive_group g;
	size_t n = 0, which;
	struct network *w = network_new(t, &e);
	cr_assert(w != NULL, "%s", e.what);
	if (transitive_group_find_free(w, &g)) {
		n = g.group.n;
		cr_expect(symmetry_keeps_machine(g.symmetry, w, &which), "%s: generator %zu", t->name, which);
		for (size_t i = 1; i < n; i++)
			for (int v = 0; v < w->nodes; v++)
				cr_expect(ne(int, g.group.nodes[i * (size_t)w->nodes + (size_t)v], v), "%s: element %zu", t->name, i);
		transitive_group_free(&g);
	}
	network_free(w);
	return n;
}

static size_t elements_of(const char *machine)
{
	struct error e = {0};
	struct topology *t = topology_open(machine, &e);
	cr_assert(t != NULL, "%s", e.what);
	size_t n = elements_of_topology(t);
	topology_free(t);
	return n;
}

Test(regular, machines_that_are_no_shape_have_small_ones)
{
	cr_expect(eq(sz, elements_of("dgx1"), 4));
	cr_expect(gt(sz, elements_of("amd-z52"), 1));
	cr_expect(eq(sz, elements_of("ring:6"), 6));
	cr_expect(eq(sz, elements_of("mesh:3x2"), 2));
}

Test(regular, some_have_none)
{
	cr_expect(eq(sz, elements_of("star:5"), 0), "its centre stays");
	cr_expect(eq(sz, elements_of("line:3"), 0), "its middle stays");
	cr_expect(eq(sz, elements_of("dgx1@drop=0-1"), 0));
}

/* Has the machine a transitive group, and a rotation of its directions? WAY: of a ring only the links from v to v + 1 are kept. */
static bool rotates(const char *machine, bool way)
{
	struct error e = {0};
	struct transitive_group g;
	struct topology *t = topology_open(machine, &e);
	cr_assert(t != NULL, "%s", e.what);
	size_t kept = 0;
	for (size_t i = 0; i < t->n_links; i++)
		if (!way || t->links[i].dst == (t->links[i].src + 1) % t->nodes)
			t->links[kept++] = t->links[i];
	t->n_links = kept;
	struct network *w = network_new(t, &e);
	cr_assert(w != NULL, "%s", e.what);
	cr_assert(transitive_group_find(w, &g), "%s", machine);
	int *turn = transitive_group_rotation(&g);
	bool found = turn != NULL;
	cr_expect(found ? turn[0] == 0 : true, "%s", machine);
	free(turn);
	transitive_group_free(&g);
	network_free(w);
	topology_free(t);
	return found;
}

Test(regular, directions_rotate_where_each_has_an_opposite_or_none_has)
{
	cr_expect(rotates("ring:6", false));
	cr_expect(rotates("torus:4x4", false));
	cr_expect(rotates("hypercube:3", false), "each direction is its own opposite");
	cr_expect(not(rotates("ring:6", true)), "no way back from a neighbour is a link");
	cr_expect(not(rotates("complete:6@drop=0-2,1-3,2-4,3-5,4-0,5-1", false)), "a Moebius ladder: two are a pair, the third is its own opposite");
}

/* The circulant machine of NODES whose node v has a link to v + d for each D that ends with 0; node v has the number NUMBER[v]. */
static size_t elements_of_circulant(int nodes, const int *d, const int *number)
{
	struct error e = {0};
	char name[32];
	size_t kept = 0;
	snprintf(name, sizeof name, "complete:%d", nodes);
	struct topology *t = topology_open(name, &e);
	cr_assert(t != NULL, "%s", e.what);
	for (size_t i = 0; i < t->n_links; i++) {
		struct link l = t->links[i];
		int away = (l.dst - l.src + nodes) % nodes, k = 0;
		while (d[k] && d[k] != away)
			k++;
		l.src = number[l.src];
		l.dst = number[l.dst];
		if (d[k])
			t->links[kept++] = l;
	}
	t->n_links = kept;
	qsort(t->links, kept, sizeof *t->links, link_order);
	size_t n = elements_of_topology(t);
	topology_free(t);
	return n;
}

Test(regular, other_numbers_are_found)
{
	static const int both[] = {1, 5, 0}, one_way[] = {1, 3, 0};
	/* Numbers of which a shift within pairs keeps the ring: its reflection, which commutes with no rotation by one. */
	static const int mirrored[] = {0, 2, 4, 5, 3, 1};
	static const int any[] = {0, 3, 1, 6, 5, 2, 4};

	cr_expect(eq(sz, elements_of_circulant(6, both, mirrored), 6));
	cr_expect(eq(sz, elements_of_circulant(7, one_way, any), 7));
}
