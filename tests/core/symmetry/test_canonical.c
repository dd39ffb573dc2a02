#include "tests/support/by_hand.h"

#include "core/base/error.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "core/symmetry/canonical.h"
#include "core/symmetry/submachines.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

TestSuite(canonical, .description = "machines that are alike but for their numbers", .timeout = 60);

static struct network *network(const char *machine)
{
	struct error e = {0};
	struct topology *t = topology_open(machine, &e);
	struct network *w = t ? network_new(t, &e) : NULL;

	cr_assert(w != NULL, "%s: %s", e.where, e.what);
	topology_free(t);
	return w;
}

/* Edge by edge, with none of the code that made the map. */
static void expect_carries(const struct network *a, const struct network *b, const int *to)
{
	cr_assert(eq(sz, a->n_edges, b->n_edges));
	for (size_t i = 0; i < a->n_edges; i++) {
		int image = network_edge(b, to[a->edges[i].src], to[a->edges[i].dst]);
		cr_assert(image >= 0, "%d->%d has no image", a->edges[i].src, a->edges[i].dst);
		cr_expect(eq(int, b->edges[image].bandwidth, a->edges[i].bandwidth));
	}
}

static bool alike(const char *one, int root_one, const char *other, int root_other)
{
	struct network *a = network(one), *b = network(other);
	int to[2048];
	bool is = network_isomorphism(a, root_one, b, root_other, to);

	if (is)
		expect_carries(a, b, to);
	if (is && root_one >= 0)
		cr_expect(eq(int, to[root_one], root_other));
	network_free(a);
	network_free(b);
	return is;
}

Test(canonical, machines_numbered_in_two_ways_are_alike)
{
	cr_expect(alike("dgx1", -1, "dgx1v", -1));
	cr_expect(alike("dgx1v", -1, "dgx1v@gpus=6,1,7,0,3,2,5,4", -1));
	cr_expect(alike("hypercube:3", -1, "torus:2x2x2", -1));
	cr_expect(alike("switch:5", -1, "switch:5@gpus=4,0,3,1,2", -1), "limits of a switch are carried along");
}

Test(canonical, other_bandwidths_links_or_limits_are_not)
{
	cr_expect(not(alike("dgx1v", -1, "dgx1p", -1)));
	cr_expect(not(alike("ring:6", -1, "line:6", -1)));
	cr_expect(not(alike("ring:6", -1, "ring:7", -1)));
	cr_expect(not(alike("dgx1v@drop=0-1", -1, "dgx1v@drop=0-4", -1)), "as many links, of other widths");
	cr_expect(not(alike("switch:5", -1, "complete:5", -1)), "the switch shares its links");
	cr_expect(not(alike("ring:6", -1, "ring:3@gpus=0,1,2", -1)));
}

/* Machines of so many edges are drawn with fewer vertices. */
Test(canonical, large_machines_are_told_apart)
{
	cr_expect(alike("complete:300", -1, "complete:300", -1));
	cr_expect(alike("complete:70@drop=0-1", -1, "complete:70@drop=5-9", -1), "what is not joined is drawn");
	cr_expect(not(alike("complete:70@drop=0-1", -1, "complete:70", -1)));
	cr_expect(not(alike("complete:70@drop=0-1,1-2", -1, "complete:70@drop=0-1,2-3", -1)));
	cr_expect(alike("switch:70", -1, "switch:70", -1));
	cr_expect(not(alike("switch:70", -1, "complete:70", -1)), "the switch shares its links");
	cr_expect(alike("hypercube:10", -1, "torus:4x4x4x4x4", -1));
	cr_expect(not(alike("torus:32x40", -1, "torus:20x64", -1)));
	cr_expect(alike("mesh:40x50", 7, "mesh:40x50", 1992));
	cr_expect(not(alike("mesh:40x50", 7, "mesh:40x50", 6)));
}

Test(canonical, a_root_is_carried_to_the_root)
{
	cr_expect(alike("dgx1v", 0, "dgx1v", 5), "by a symmetry");
	cr_expect(not(alike("dgx1v", 0, "dgx1v", 2)), "of another orbit");
	cr_expect(alike("line:5", 1, "line:5", 3));
	cr_expect(not(alike("line:5", 1, "line:5", 2)));
}

Test(canonical, a_limit_that_counts_an_edge_twice_is_another_limit)
{
	struct network *a = network("ring:3"), *b = network("ring:3");
	int once[] = {0, 1}, twice[] = {0, 0, 1}, other[] = {0, 1, 1}, to[3];
	struct network_limit of_a = {NULL, 3, twice, 1, NULL}, of_b = {NULL, 3, other, 1, NULL};

	/* Borrowed for the while: both machines get a limit of their own. */
	a->limits = &of_a, b->limits = &of_b;
	a->n_limits = b->n_limits = 1;
	cr_expect(network_isomorphism(a, -1, b, -1, to), "which of the two counts twice is no matter: 0->1 and 0->2 change places");
	of_b = (struct network_limit){NULL, 2, once, 1, NULL};
	cr_expect(not(network_isomorphism(a, -1, b, -1, to)));
	of_b = (struct network_limit){NULL, 3, other, 2, NULL};
	cr_expect(not(network_isomorphism(a, -1, b, -1, to)));
	a->limits = b->limits = NULL;
	a->n_limits = b->n_limits = 0;
	network_free(a);
	network_free(b);
}

/* complete:70 without the links both ways between A and B, and with twice the bandwidth between nodes of unlike parity. */
static struct network *in_two_widths(int a, int b)
{
	char name[64];

	snprintf(name, sizeof name, "complete:70@drop=%d-%d", a, b);
	struct network *w = network(name);
	for (size_t i = 0; i < w->n_edges; i++)
		w->edges[i].bandwidth = 1 + (w->edges[i].src + w->edges[i].dst) % 2;
	return w;
}

Test(canonical, pairs_apart_are_drawn_where_two_widths_are_more_frequent)
{
	static const struct {
		int a, b, c, d;
		bool alike;
	} rows[] = {{0, 1, 2, 3, true}, {0, 1, 7, 4, true}, {0, 2, 3, 69, true}, {0, 1, 0, 2, false}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct network *one = in_two_widths(rows[i].a, rows[i].b), *other = in_two_widths(rows[i].c, rows[i].d);
		int to[70];
		cr_expect(eq(int, network_isomorphism(one, -1, other, -1, to), rows[i].alike), "row %zu", i);
		if (rows[i].alike)
			expect_carries(one, other, to);
		network_free(one);
		network_free(other);
	}
}

Test(canonical, limits_over_some_links_of_a_large_machine_are_carried_along)
{
	struct network *a = network("complete:70"), *b = network("complete:70");
	int of_a[] = {network_edge(a, 0, 1), network_edge(a, 2, 3)}, apart[] = {network_edge(b, 5, 6), network_edge(b, 9, 8)};
	int in_a_row[] = {network_edge(b, 5, 6), network_edge(b, 6, 7)}, to[70];
	struct network_limit one = {NULL, 2, of_a, 1, NULL}, other = {NULL, 2, apart, 1, NULL};

	/* Borrowed for the while, as above. */
	a->limits = &one, b->limits = &other;
	a->n_limits = b->n_limits = 1;
	cr_expect(network_isomorphism(a, -1, b, -1, to));
	cr_expect(to[0] == 5 ? to[1] == 6 : to[0] == 9 && to[1] == 8);
	other.edges = in_a_row;
	cr_expect(not(network_isomorphism(a, -1, b, -1, to)));
	a->limits = b->limits = NULL;
	a->n_limits = b->n_limits = 0;
	network_free(a);
	network_free(b);
}

/* Of N nodes: how many classes, and choices in all. */
static void expect_parts(const char *machine, const int *classes, const int *choices)
{
	struct error e = {0};
	struct submachines p;
	int seen[9] = {0}, choices_seen[9] = {0};

	cr_assert(submachines_new(machine, 3, &p, &e), "%s: %s", e.where, e.what);
	for (size_t i = 0; i < p.n; i++) {
		seen[p.all[i].nodes]++;
		choices_seen[p.all[i].nodes] += p.all[i].alike;
		cr_expect(eq(sz, strlen(p.all[i].digest), (size_t)CANONICAL_DIGEST));
		for (size_t k = 0; k < i; k++)
			cr_expect(ne(str, p.all[i].digest, p.all[k].digest), "digests tell classes apart");
	}
	for (int n = 3; n <= 8; n++) {
		cr_expect(eq(int, seen[n], classes[n - 3]), "%s: classes of %d nodes", machine, n);
		cr_expect(eq(int, choices_seen[n], choices[n - 3]), "%s: choices of %d nodes", machine, n);
	}
	submachines_free(&p);
}

Test(canonical, dgx1v_has_46_connected_parts_and_dgx1p_14)
{
	static const int v[] = {5, 14, 14, 10, 2, 1}, p[] = {2, 4, 3, 3, 1, 1}, choices[] = {32, 56, 56, 28, 8, 1};

	expect_parts("dgx1v", v, choices);
	expect_parts("dgx1p", p, choices);
}

Test(canonical, parts_of_a_large_machine_are_refused)
{
	struct error e = {0};
	struct submachines p;

	cr_expect(not(submachines_new("hypercube:5", 3, &p, &e)));
	cr_expect(eq(int, e.kind, ERROR_LIMIT));
	cr_expect(eq(sz, p.n, (size_t)0));
}

Test(canonical, switches_that_copy_and_add_are_others)
{
	static const char *const all[] = {"switch:4", "switch:4+nvls", "dgx-h100+nvls", "switch:8+nvls@widen=0-8,1-8"};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		for (size_t k = 0; k < sizeof all / sizeof *all; k++)
			cr_expect(eq(int, alike(all[i], -1, all[k], -1), i == k), "%s, %s", all[i], all[k]);
}

Test(canonical, a_form_tells_what_switches_can_do)
{
	static const char *const all[] = {"switch:4", "switch:4+nvls", "switch:4+nvls@widen=0-4,1-4"};
	struct canonical forms[3];

	for (size_t i = 0; i < 3; i++) {
		struct network *w = network(all[i]);
		struct canonical again = canonical_new(w, -1);
		forms[i] = canonical_new(w, -1);
		cr_expect(eq(str, again.form, forms[i].form), "%s", all[i]);
		for (size_t k = 0; k < i; k++)
			cr_expect(ne(str, forms[k].form, forms[i].form), "%s, %s", all[k], all[i]);
		canonical_free(&again);
		network_free(w);
	}
	for (size_t i = 0; i < 3; i++)
		canonical_free(&forms[i]);
}

/* The form of a switch that copies and adds, two of whose links have a limit together. */
static struct canonical form_of_two_links(int bandwidth)
{
	struct error e = {0};
	char members[320];

	snprintf(members, sizeof members,
		 "\"duplex\": true, \"nodes\": 3, \"switches\": 1, \"multicast\": true, \"reduce\": true, \"links\": [{\"src\": 0, \"dst\": 3, \"bandwidth\": 2}, "
		 "{\"src\": 1, \"dst\": 3, \"bandwidth\": 2}, {\"src\": 2, \"dst\": 3, \"bandwidth\": 2}], "
		 "\"limits\": [{\"edges\": [[0, 3], [1, 3]], \"bandwidth\": %d}]", bandwidth);
	struct topology *t = machine_of(members);
	struct network *w = network_new(t, &e);
	cr_assert(w != NULL, "%s: %s", e.where, e.what);
	struct canonical c = canonical_new(w, -1);
	network_free(w);
	topology_free(t);
	return c;
}

Test(canonical, a_form_tells_over_which_link_what_counts_once_goes)
{
	struct canonical one = form_of_two_links(1), same = form_of_two_links(1), other = form_of_two_links(2);

	cr_expect(eq(str, one.form, same.form));
	cr_expect(ne(str, one.form, other.form));
	cr_expect(ne(ptr, strstr(one.form, "limit 1:"), NULL), "%s", one.form);
	canonical_free(&one);
	canonical_free(&same);
	canonical_free(&other);
}
