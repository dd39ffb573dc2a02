#include "core/base/error.h"
#include "core/machine/topology.h"
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

/* ---- prices ---- */

Test(cut, prices_are_counted_anew)
{
	static const char *const priced[] = {"dragonfly:2x2x2", "bigraph:4x8", "torus:8x8@drop=0-1"};

	for (size_t m = 0; m < sizeof priced / sizeof *priced; m++) {
		struct proof *p = bounds_of(priced[m], "alltoall", 0);
		struct cut *k = &p->sides[0].cut;
		cr_assert(eq(int, (int)k->kind, (int)CUT_PRICES));
		cr_expect(checked(p).holds, "%s", priced[m]);
		k->at_least = rational_add(k->at_least, rational(1, 1000000));
		cr_expect(checked(p).fault[0] != '\0', "%s", priced[m]);
		proof_free(p);
	}
}

Test(cut, changed_prices_show_less)
{
	static const int64_t changed[] = {-1, 0, 2, PRICE_MAX};
	struct proof *p = bounds_of("dragonfly:2x2x2", "alltoall", 0);
	struct cut *k = &p->sides[0].cut;

	for (size_t i = 0; i < k->n_prices; i++) {
		struct price was = k->prices[i];
		for (size_t c = 0; c < sizeof changed / sizeof *changed; c++) {
			k->prices[i].price = changed[c];
			cr_expect(checked(p).fault[0] != '\0', "price %zu is %d", i, (int)changed[c]);
		}
		k->prices[i] = was;
		k->prices[i].limit = 0;
		cr_expect(checked(p).fault[0] != '\0', "another limit");
		k->prices[i].limit = INT32_MAX;
		cr_expect(checked(p).fault[0] != '\0', "no limit");
		k->prices[i] = k->prices[(i + 1) % k->n_prices];
		cr_expect(checked(p).fault[0] != '\0', "one limit twice");
		k->prices[i] = was;
	}
	cr_expect(checked(p).holds);
	proof_free(p);
}

Test(cut, prices_of_another_machine_show_nothing_here)
{
	struct proof *p = bounds_of("torus:8x8@drop=0-1", "alltoall", 0), *other = bounds_of("dragonfly:2x2x2", "alltoall", 0);
	struct cut was = p->sides[0].cut;

	p->sides[0].cut.prices = other->sides[0].cut.prices;
	p->sides[0].cut.n_prices = other->sides[0].cut.n_prices;
	cr_expect(checked(p).fault[0] != '\0');
	p->sides[0].cut = was;
	for (size_t i = 0; i < was.n_prices; i++) /* no links of it */
		was.prices[i].dst = was.prices[i].src;
	cr_expect(checked(p).fault[0] != '\0');
	proof_free(p);
	proof_free(other);
}

/* They are of the machine as it is asked, for any collective: of a chunk that many want its farthest way counts, and nothing of sums. */
Test(cut, prices_show_no_more_of_other_collectives_than_is_so)
{
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		struct proof *p = bounds_of("ring:4", kinds[k], 1);
		struct cut *cut = &p->sides[0].cut, was = *cut;
		struct price all[8];
		for (int v = 0; v < 4; v++) {
			all[2 * v] = (struct price){.src = v, .dst = (v + 1) % 4, .limit = -1, .price = 1};
			all[2 * v + 1] = (struct price){.src = (v + 1) % 4, .dst = v, .limit = -1, .price = 1};
		}
		cut->kind = CUT_PRICES;
		cut->prices = all;
		cut->n_prices = 8;
		cut->at_least = rational_add(was.at_least, rational(1, 1000));
		cr_expect(checked(p).fault[0] != '\0', "%s: more than some algorithm takes", kinds[k]);
		cut->at_least = rational(1, 1000);
		cr_expect(eq(int, checked(p).holds, strcmp(kinds[k], "allreduce") != 0), "%s", kinds[k]);
		*cut = was;
		proof_free(p);
	}
}
