#include "core/base/error.h"
#include "core/machine/network.h"
#include "core/symmetry/transitive_group.h"
#include "core/machine/topology.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TestSuite(regular, .description = "groups that leave no node where it is");

/* How many elements the group has that is found; 0: none. Each is seen to keep the machine and to move every node. */
static size_t elements_of(const char *machine)
{
	struct error e = {0};
	struct transitive_group g;
	size_t n = 0, which;
	struct topology *t = topology_open(machine, &e);
	cr_assert(t != NULL, "%s", e.what);
	struct network *w = network_new(t, &e);
	cr_assert(w != NULL, "%s", e.what);
	if (transitive_group_find_free(w, &g)) {
		n = g.group.n;
		cr_expect(symmetry_keeps_machine(g.symmetry, w, &which), "%s: generator %zu", machine, which);
		for (size_t i = 1; i < n; i++)
			for (int v = 0; v < w->nodes; v++)
				cr_expect(ne(int, g.group.nodes[i * (size_t)w->nodes + (size_t)v], v), "%s: element %zu", machine, i);
		transitive_group_free(&g);
	}
	network_free(w);
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
