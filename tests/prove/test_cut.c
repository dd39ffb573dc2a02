#include "core/error.h"
#include "core/memory.h"
#include "core/topology.h"
#include "prove/cut.h"
#include "prove/make.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

TestSuite(cut, .description = "bounds from their cuts");

static struct proof *bounds_of(const char *machine, const char *kind, int root)
{
	struct error e = {0};
	struct collective k = {0};
	struct topology *t = topology_open(machine, &e);

	cr_assert(t != NULL, "%s", e.what);
	cr_assert(collective_open(kind, t->nodes, root, &k, &e), "%s", e.what);
	struct proof *p = proof_new(t, &k);
	cr_assert(proof_bounds(p, &e), "%s %s: %s", machine, kind, e.what);
	collective_free(&k);
	topology_free(t);
	return p;
}

static struct check_report checked(const struct proof *p)
{
	struct error e = {0};
	struct check_report r;
	cr_assert(proof_check(p, "none.json", &(struct check_options){0}, &r, &e), "%s", e.what);
	return r;
}

static const char *const machines[] = {"dgx1", "amd-z52", "ring:4", "line:3", "star:5", "torus:3x3", "hypercube:3", "switch:6",
				       "complete:5", "p2.16xlarge", "dgx2", "dgx-a100", "gaudi-hls1", "mesh:3x2@drop=0-1"};
static const char *const kinds[] = {"allgather", "broadcast", "gather", "scatter", "alltoall", "reduce", "reducescatter",
				    "allreduce"};

/* The judge's own count of what crosses the cut, and of what gets through, is no less than what was found. */
Test(cut, every_bound_is_shown_by_its_cut)
{
	for (size_t m = 0; m < sizeof machines / sizeof *machines; m++)
		for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
			struct proof *p = bounds_of(machines[m], kinds[k], 1);
			struct check_report r = checked(p);
			cr_expect(r.holds, "%s %s: %s", machines[m], kinds[k], r.fault);
			cr_expect(gt(int, (int)p->sides[0].cut.at_least.num, 0));
			proof_free(p);
		}
}

Test(cut, no_more_than_the_cut_shows_is_taken)
{
	for (size_t m = 0; m < sizeof machines / sizeof *machines; m++)
		for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
			struct proof *p = bounds_of(machines[m], kinds[k], 1);
			struct rational was = p->sides[0].cut.at_least;
			p->sides[0].cut.at_least = rational_add(was, rational(1, 1000));
			cr_expect(checked(p).fault[0] != '\0', "%s %s", machines[m], kinds[k]);
			p->sides[0].cut.at_least = was;
			p->sides[0].steps++;
			cr_expect(checked(p).fault[0] != '\0', "%s %s", machines[m], kinds[k]);
			proof_free(p);
		}
}

Test(cut, a_changed_cut_shows_less)
{
	struct proof *p = bounds_of("dgx1", "alltoall", 0);

	for (int n = 0; n < 8; n++) {
		p->sides[0].cut.part[n] = !p->sides[0].cut.part[n];
		cr_expect(checked(p).fault[0] != '\0', "node %d on the other side", n);
		p->sides[0].cut.part[n] = !p->sides[0].cut.part[n];
	}
	cr_expect(checked(p).holds);
	proof_free(p);
}

/* A part without a node is none: one-way gossip among fewer. */
Test(cut, parts_without_nodes_do_not_count)
{
	struct proof *p = bounds_of("dgx1", "allreduce", 0);
	struct cut *k = &p->sides[0].cut;

	cr_assert(eq(int, (int)k->kind, (int)CUT_PARTS));
	k->parts++;
	cr_expect(checked(p).holds);
	k->at_least = rational_mul(k->at_least, rational(8, 7));
	cr_expect(checked(p).fault[0] != '\0');
	proof_free(p);
}
