#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/network_same.h"
#include "core/machine/topology.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

TestSuite(network_same, .description = "networks that differ only in the order of their limits");

static struct network *open_network(const char *name)
{
	struct error e = {0};
	struct topology *t = topology_open(name, &e);
	cr_assert(ne(ptr, t, NULL), "%s: %s", e.where, e.what);
	struct network *w = network_new(t, &e);
	cr_assert(ne(ptr, w, NULL), "%s: %s", e.where, e.what);
	topology_free(t);
	return w;
}

static bool same_limit(const struct network_limit *x, const struct network_limit *y)
{
	return x->bandwidth == y->bandwidth && x->n_edges == y->n_edges && memcmp(x->edges, y->edges, x->n_edges * sizeof *x->edges) == 0;
}

/* Is OF a permutation that gives each limit its equal? */
static void expect_permutation(const struct network *a, const struct network *b, const int *of, const char *name)
{
	bool *taken = new_array(bool, a->n_limits);

	for (size_t i = 0; i < a->n_limits; i++) {
		cr_assert(of[i] >= 0 && of[i] < (int)b->n_limits, "%s", name);
		cr_expect(not(taken[of[i]]), "%s: limit %d twice", name, of[i]);
		cr_expect(same_limit(&a->limits[i], &b->limits[of[i]]), "%s: limit %zu", name, i);
		taken[of[i]] = true;
	}
	free(taken);
}

Test(network_same, machines_that_equal_their_reverse)
{
	static const char *const names[] = {"dgx1", "dgx-h100", "pcie-box8", "p2.16xlarge", "gaudi3*2", "dgx1v"};

	for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
		struct network *w = open_network(names[k]), *r = network_reversed(w);
		int *of = new_array(int, w->n_limits);
		cr_expect(network_same(w, r, of), "%s", names[k]);
		expect_permutation(w, r, of, names[k]);
		cr_expect(network_same(r, w, NULL), "%s", names[k]);
		free(of);
		network_free(w);
		network_free(r);
	}
}

Test(network_same, those_that_do_not)
{
	static const char *const names[] = {"ndv2x2", "dgx2x2"};

	for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
		struct network *w = open_network(names[k]), *r = network_reversed(w);
		cr_expect(not(network_same(w, r, NULL)), "%s", names[k]);
		network_free(w);
		network_free(r);
	}
}

Test(network_same, any_difference_counts)
{
	struct network *w = open_network("dgx-h100"), *r = network_reversed(w);
	struct network_limit *l = &r->limits[r->n_limits / 2];

	l->bandwidth++;
	cr_expect(not(network_same(w, r, NULL)), "the bandwidth of a limit");
	l->bandwidth--;
	l->edges[0] = l->edges[1];
	cr_expect(not(network_same(w, r, NULL)), "the edges of a limit");
	network_free(r);
	r = network_reversed(w);
	r->edges[3].bandwidth++;
	cr_expect(not(network_same(w, r, NULL)), "the bandwidth of an edge");
	r->edges[3].bandwidth--;
	r->n_limits--;
	cr_expect(not(network_same(w, r, NULL)), "the number of limits");
	r->n_limits++;
	cr_expect(network_same(w, r, NULL));
	network_free(w);
	network_free(r);
}
