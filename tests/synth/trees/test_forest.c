#include "core/bounds/bounds.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/base/watch.h"
#include "core/machine/topology.h"
#include "core/machine/topology_rows.h"
#include "synth/trees/forest_solve.h"
#include "tests/support/random.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>

TestSuite(forest, .description = "trees that use the full rate", .timeout = 100);

static struct topology *opened(const char *machine)
{
	struct error e = {0};
	struct topology *t = topology_open(machine, &e);
	cr_assert(ne(ptr, t, NULL), "%s: %s", e.where, e.what);
	return t;
}

/* BOXES of the machine, all bandwidths times SCALE, each node with a link of NIC to one more switch. */
static struct topology *in_boxes(const char *machine, int boxes, int scale, int nic)
{
	struct topology *one = opened(machine), *t = new(struct topology);
	int nodes = one->nodes * boxes;
	size_t capacity = 0;

	t->name = copy_string(machine);
	t->nodes = nodes;
	t->switches = one->switches * boxes + (boxes > 1);
	for (int b = 0; b < boxes; b++)
		for (size_t i = 0; i < one->n_links; i++) {
			int src = one->links[i].src, dst = one->links[i].dst;
			src = src < one->nodes ? src + b * one->nodes : nodes + b * one->switches + src - one->nodes;
			dst = dst < one->nodes ? dst + b * one->nodes : nodes + b * one->switches + dst - one->nodes;
			topology_add_link(t, &capacity, src, dst, one->links[i].bandwidth * scale);
		}
	for (int v = 0; v < nodes && boxes > 1; v++) {
		topology_add_link(t, &capacity, v, nodes + t->switches - 1, nic);
		topology_add_link(t, &capacity, nodes + t->switches - 1, v, nic);
	}
	topology_sort_links(t);
	topology_free(one);
	return t;
}

static struct forest judged(const struct topology *t, int root)
{
	struct error e = {0};
	struct forest f;
	char why[256] = "";

	cr_assert(forest_new(t, root, &f, &e), "%s: %s", e.where, e.what);
	cr_expect(forest_check(t, &f, why, sizeof why), "%s, root %d: %s", t->name, root, why);
	return f;
}

/* Published optima of allgather: GB/s over all nodes, rounded to hundredths; a unit of bandwidth is so many GB/s. */
static const struct {
	const char *machine;
	int boxes, scale, nic, unit, hundredths;
} published[] = {
	{"dgx1v", 1, 1, 0, 25, 17143},          {"dgx1p", 1, 1, 0, 20, 9143},       {"p3.8xlarge", 1, 1, 0, 25, 13333},
	{"dgx-a100", 1, 1, 0, 25, 34286},       {"dgx-a100", 2, 1, 1, 25, 34667},   {"dgx-a100", 4, 1, 1, 25, 26667},
	{"mi250x16", 1, 1, 0, 50, 34286},       {"mi250x16", 2, 25, 8, 2, 35413},   {"mi250x-frontier", 1, 1, 0, 50, 33333},
	{"dgx-h100", 1, 1, 0, 25, 51429},       {"dgx-h100", 2, 1, 2, 25, 53333},   {"dgx-h100", 4, 1, 2, 25, 51613},
	{"mi300x8", 1, 1, 0, 64, 51200},
};

Test(forest, rates_are_the_published_optima)
{
	for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
		struct topology *t = in_boxes(published[i].machine, published[i].boxes, published[i].scale, published[i].nic);
		struct error e = {0};
		struct forest f;
		cr_assert(forest_rate(t, -1, &f, &e), "%s", e.what);
		struct rational all = rational((int64_t)published[i].unit * t->nodes * 100, 1);
		int64_t rate = rational_floor(rational_add(rational_div(all, f.bandwidth), rational(1, 2)));
		cr_expect(eq(i64, rate, published[i].hundredths), "%s, %d boxes", t->name, published[i].boxes);
		forest_free(&f);
		topology_free(t);
	}
}

/* All but the machines of the table that take seconds. */
Test(forest, trees_use_the_published_optima)
{
	for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
		if (published[i].boxes * published[i].nic > 4)
			continue;
		struct topology *t = in_boxes(published[i].machine, published[i].boxes, published[i].scale, published[i].nic);
		struct forest f = judged(t, -1);
		forest_free(&f);
		topology_free(t);
	}
}

Test(forest, a_broadcast_has_as_many_trees_as_the_narrowest_way_is_wide)
{
	static const struct {
		const char *machine;
		int trees;
	} rows[] = {{"dgx1v", 6}, {"dgx1p", 4}, {"ring:8", 2}, {"complete:8", 7}, {"torus:4x4x4", 6}, {"hypercube:5", 5}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct topology *t = opened(rows[i].machine);
		for (int root = 0; root < t->nodes; root += 3) {
			struct forest f = judged(t, root);
			cr_expect(eq(i64, f.chunks, rows[i].trees), "%s, root %d", rows[i].machine, root);
			cr_expect(eq(i64, f.rounds.num, 1));
			forest_free(&f);
		}
		topology_free(t);
	}
}

Test(forest, machines_of_one_hop_have_trees_of_one_hop)
{
	static const char *const machines[] = {"dgx-a100", "switch:16", "complete:8", "mi300x8"};

	for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
		struct topology *t = opened(machines[i]);
		struct forest f = judged(t, -1);
		cr_expect(eq(int, trees_depth(&f.trees), 1), "%s", machines[i]);
		forest_free(&f);
		topology_free(t);
	}
}

static uint64_t state;
static int below(int n)
{
	return random_below(&state, n);
}

/* Nodes and switches, each pair joined or not; widths of the two directions differ where LOPSIDED. */
static struct topology *constructed(bool lopsided)
{
	struct topology *t = new(struct topology);
	size_t capacity = 0;

	t->name = copy_string("drawn");
	t->nodes = 2 + below(4);
	t->switches = below(4);
	for (int a = 0; a < t->nodes + t->switches; a++)
		for (int b = 0; b < a; b++) {
			int width = below(3) ? 1 + below(4) : 0;
			if (width) {
				topology_add_link(t, &capacity, a, b, width);
				topology_add_link(t, &capacity, b, a, lopsided ? 1 + below(4) : width);
			}
		}
	topology_sort_links(t);
	return t;
}

static void limit_node(struct topology *t, enum limit_of of, int node, int bandwidth)
{
	size_t capacity = t->n_limits;
	t->limits = grown(t->limits, &capacity, t->n_limits + 1, sizeof *t->limits);
	t->limits[t->n_limits++] = (struct limit){.of = of, .node = node, .bandwidth = bandwidth};
}

/* Is it one of the limits of MASK that stops what leaves the set over the link? */
static bool is_covered(const struct topology *t, int mask, const struct link *l)
{
	for (size_t i = 0; i < t->n_limits; i++)
		if (mask >> i & 1 && (t->limits[i].of == LIMIT_INTO ? l->dst : l->src) == t->limits[i].node)
			return true;
	return false;
}

/* What can leave a set: links, some of them replaced by limits on its side or the other, whichever is least. */
static int64_t leaving(const struct topology *t, int set)
{
	int64_t least = INT64_MAX;

	for (int mask = 0; mask < 1 << t->n_limits; mask++) {
		int64_t sum = 0;
		for (size_t i = 0; i < t->n_limits; i++) {
			bool inside = set >> t->limits[i].node & 1;
			if (mask >> i & 1)
				sum += inside == (t->limits[i].of == LIMIT_OUT_OF) ? t->limits[i].bandwidth : 1 << 20;
		}
		for (size_t i = 0; i < t->n_links; i++) {
			const struct link *l = &t->links[i];
			if (set >> l->src & 1 && !(set >> l->dst & 1) && !is_covered(t, mask, l))
				sum += l->bandwidth;
		}
		least = sum < least ? sum : least;
	}
	return least;
}

/* Over all sets of nodes and switches; 0: some node is not reached. */
static struct rational brute(const struct topology *t, int root)
{
	int n = t->nodes + t->switches, all_nodes = (1 << t->nodes) - 1;
	struct rational best = rational(0, 1);

	for (int set = 1; set < 1 << n; set++) {
		int roots = 0;
		int64_t capacity = leaving(t, set);
		if ((set & all_nodes) == all_nodes)
			continue;
		for (int v = 0; v < t->nodes; v++)
			roots += (root < 0 || v == root) && set >> v & 1;
		if (roots && !capacity)
			return rational(0, 1);
		struct rational r = rational(roots, capacity ? capacity : 1);
		best = rational_compare(r, best) > 0 ? r : best;
	}
	return best;
}

static void compare_with_all_sets(const struct topology *t, int root, int *solved)
{
	struct rational best = brute(t, root);
	struct error e = {0};
	struct forest f;
	char why[256] = "";
	bool done = forest_new(t, root, &f, &e);

	if (best.num == 0) {
		cr_expect(not(done), "a node is not reached");
		cr_expect(eq(int, e.kind, ERROR_INPUT));
		return;
	}
	cr_assert(done, "%d nodes, %d switches, state %#llx: %s", t->nodes, t->switches, (unsigned long long)state, e.what);
	cr_expect(forest_check(t, &f, why, sizeof why), "%s", why);
	cr_expect(eq(int, rational_compare(f.bandwidth, best), 0));
	forest_free(&f);
	++*solved;
}

Test(forest, rates_of_random_machines_are_those_of_all_sets)
{
	int solved = 0;

	for (state = 1; solved < 300;) {
		struct topology *t = constructed(false);
		compare_with_all_sets(t, -1, &solved);
		compare_with_all_sets(t, below(t->nodes), &solved);
		topology_free(t);
	}
}

/* With limits, and switches that take in more than they send out: some cannot use the whole rate, which is right all the same. */
Test(forest, lopsided_machines_and_limits_keep_their_rate)
{
	int solved = 0, above = 0;

	for (state = 7; solved < 200;) {
		struct topology *t = constructed(true);
		struct error e = {0};
		struct forest f;
		char why[256] = "";
		limit_node(t, LIMIT_INTO, below(t->nodes), 1 + below(4));
		limit_node(t, LIMIT_OUT_OF, below(t->nodes), 1 + below(4));
		if (forest_rate(t, -1, &f, &e)) {
			cr_expect(eq(int, rational_compare(f.bandwidth, brute(t, -1)), 0), "state %#llx", (unsigned long long)state);
			forest_free(&f);
			cr_assert(forest_new(t, -1, &f, &e), "state %#llx: %s", (unsigned long long)state, e.what);
			cr_expect(forest_check(t, &f, why, sizeof why), "%s", why);
			above += f.above;
			forest_free(&f);
			solved++;
		} else
			cr_expect(eq(i64, brute(t, -1).num, 0));
		topology_free(t);
	}
	cr_expect(lt(int, above, 40), "%d of %d do not use the rate", above, solved);
}

static struct topology *of_links(int nodes, int switches, size_t n, const int (*links)[3])
{
	struct topology *t = new(struct topology);
	size_t capacity = 0;

	t->name = copy_string("lopsided");
	t->nodes = nodes;
	t->switches = switches;
	for (size_t i = 0; i < n; i++)
		topology_add_link(t, &capacity, links[i][0], links[i][1], links[i][2]);
	topology_sort_links(t);
	return t;
}

/* Widths without a common divisor: thousands of trees, which grow root by root. */
Test(forest, many_trees_grow_root_by_root)
{
	static const int links[][3] = {{0, 1, 5003}, {1, 0, 5009}, {0, 2, 5011}, {2, 0, 5021}, {0, 3, 5023}, {3, 0, 5039},
				       {1, 2, 5051}, {2, 1, 5059}, {1, 3, 5077}, {3, 1, 5081}, {2, 3, 5087}, {3, 2, 5099}};
	struct topology *t = of_links(4, 0, sizeof links / sizeof *links, links);
	struct forest f = judged(t, -1);

	cr_expect(eq(int, rational_compare(f.bandwidth, brute(t, -1)), 0));
	cr_expect(gt(i64, trees_weight(&f.trees), 10000));
	forest_free(&f);
	topology_free(t);
}

/* By the root's only link into a switch goes one chunk a round, which the switch cannot copy for each of N - 1 others. */
Test(forest, a_switch_that_would_have_to_copy_forwards)
{
	for (int n = 3; n <= 70; n += 67 / 4) {
		int links[200][3], count = 0;
		char why[256] = "";
		struct error e = {0};
		struct forest f;
		memcpy(links[count++], (const int[]){0, n, 1}, sizeof *links);
		for (int v = 1; v < n; v++) {
			memcpy(links[count++], (const int[]){n, v, 1}, sizeof *links);
			memcpy(links[count++], (const int[]){v, 0, 1}, sizeof *links);
		}
		struct topology *t = of_links(n, 1, (size_t)count, (const int (*)[3])links);
		cr_assert(forest_new(t, 0, &f, &e), "%s", e.what);
		cr_expect(forest_check(t, &f, why, sizeof why), "%s", why);
		cr_expect(f.above && rational_compare(f.bandwidth, rational(1, 1)) == 0);
		cr_expect(eq(int, rational_compare(f.rounds, rational(f.chunks * (n - 1), 1)), 0));
		forest_free(&f);
		topology_free(t);
	}
}

/* Spread by whole trees, what goes through switch 5 cannot all be joined; unit by unit it can. */
Test(forest, what_one_way_of_spreading_switches_leaves_the_other_makes)
{
	static const int links[][3] = {{0, 3, 3}, {3, 0, 3}, {0, 5, 2}, {5, 0, 4}, {1, 2, 2}, {2, 1, 4}, {1, 5, 2}, {5, 1, 4}, {2, 5, 4},
				       {5, 2, 4}, {3, 6, 4}, {6, 3, 1}, {4, 5, 4}, {5, 4, 4}, {4, 6, 1}, {6, 4, 4}, {5, 6, 3}, {6, 5, 4}};
	struct topology *t = of_links(3, 4, sizeof links / sizeof *links, links);
	struct forest f = judged(t, -1);

	cr_expect(f.one_way);
	cr_expect(eq(int, rational_compare(f.bandwidth, brute(t, -1)), 0));
	forest_free(&f);
	topology_free(t);
	struct topology *even = opened("dgx1*2");
	f = judged(even, -1);
	cr_expect(not(f.one_way));
	forest_free(&f);
	topology_free(even);
}

/* Neither way: what switches forward is left to the linear program. */
Test(forest, what_no_way_of_spreading_switches_makes_has_trees_all_the_same)
{
	static const int links[][3] = {{0, 5, 4}, {0, 6, 3}, {0, 7, 4}, {1, 4, 3}, {1, 5, 1}, {1, 6, 1}, {1, 7, 2}, {2, 4, 1}, {2, 5, 4}, {2, 7, 3},
				       {3, 4, 2}, {3, 5, 4}, {3, 7, 1}, {4, 1, 1}, {4, 2, 2}, {4, 3, 3}, {5, 0, 3}, {5, 1, 3}, {5, 2, 1}, {5, 3, 2},
				       {5, 6, 1}, {5, 7, 2}, {6, 0, 3}, {6, 1, 2}, {6, 5, 3}, {7, 0, 3}, {7, 1, 1}, {7, 2, 1}, {7, 3, 3}, {7, 5, 3}};
	struct topology *t = of_links(4, 4, sizeof links / sizeof *links, links);
	struct forest f = judged(t, 3);

	forest_free(&f);
	topology_free(t);
}

/* Where every pair has one way, core/bounds says the same. */
Test(forest, rates_agree_with_the_bounds)
{
	static const char *const machines[] = {"dgx1v", "dgx2", "mesh:4x5", "torus:3x4x5", "p2.16xlarge", "mi50-two-rings"};

	for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
		struct topology *t = opened(machines[i]);
		struct collective k = {.kind = ALLGATHER};
		struct error e = {0};
		struct bounds b;
		struct forest f;
		cr_assert(bounds_compute(t, &k, &b, &e) && forest_rate(t, -1, &f, &e), "%s", e.what);
		cr_expect(eq(int, rational_compare(f.bandwidth, b.bandwidth), 0), "%s", machines[i]);
		bounds_free(&b);
		forest_free(&f);
		topology_free(t);
	}
}

/* What a judge must not let through. */
static void spoil(struct forest *f, int how)
{
	struct tree *t = &f->trees.of[0];
	int leaf = (t->root + 1) % f->nodes;

	switch (how) {
	case 0: t->weight++; break;
	case 1: t->parent[leaf] = leaf; break;
	case 2: t->parent[leaf] = -1; break;
	case 3: t->depth++; break;
	case 4: f->routes[0].count++; break;
	case 5: f->routes[0].count = 0; break;
	case 6: f->routes[0].n_via--; break;
	case 7: f->cut[0] = !f->cut[0]; break;
	case 8: f->cut_capacity++; break;
	case 9: f->bandwidth = rational(1, 13); break;
	default: f->chunks++; break;
	}
}

Test(forest, spoilt_forests_are_found)
{
	struct topology *t = opened("dgx-a100");

	for (int how = 0; how <= 10; how++) {
		struct error e = {0};
		struct forest f;
		char why[256] = "";
		cr_assert(forest_new(t, -1, &f, &e), "%s", e.what);
		spoil(&f, how);
		cr_expect(not(forest_check(t, &f, why, sizeof why)), "fault %d passes", how);
		cr_expect(ne(int, why[0], 0), "fault %d is not told", how);
		forest_free(&f);
	}
	topology_free(t);
}

static struct algorithm *made(const struct topology *t, enum collective_kind kind, int chunks)
{
	struct collective k = {.kind = kind};
	struct forest_answer a;
	struct error e = {0};

	cr_assert(forest_solve(t, &k, chunks, true, &a, &e), "%s: %s", t->name, e.what);
	struct algorithm *got = a.algorithm;
	a.algorithm = NULL;
	forest_answer_free(&a);
	return got;
}

Test(forest, one_wave_meets_the_bound_where_it_can)
{
	static const struct {
		const char *machine;
		enum collective_kind kind;
		int chunks, steps, rounds;
	} rows[] = {
		{"dgx-a100", ALLGATHER, 12, 1, 7}, {"dgx-h100", ALLGATHER, 18, 1, 7},  {"switch:16", ALLGATHER, 1, 1, 15},
		{"complete:8", ALLGATHER, 1, 1, 1}, {"mi300x8", REDUCESCATTER, 8, 1, 1}, {"dgx2", ALLREDUCE, 32, 2, 10},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct topology *t = opened(rows[i].machine);
		struct algorithm *a = made(t, rows[i].kind, 0);
		cr_expect(eq(int, a->chunks, rows[i].chunks), "%s", a->name);
		cr_expect(eq(int, (int)a->n_steps, rows[i].steps), "%s", a->name);
		cr_expect(eq(int, algorithm_rounds(a), rows[i].rounds), "%s", a->name);
		algorithm_free(a);
		topology_free(t);
	}
}

Test(forest, all_collectives_come_near_the_rate)
{
	static const enum collective_kind all[] = {ALLGATHER, REDUCESCATTER, ALLREDUCE, BROADCAST, REDUCE};
	static const char *const machines[] = {"dgx1", "dgx1p", "mi250x-frontier", "p2.16xlarge", "torus:4x4"};

	for (size_t i = 0; i < 5; i++) {
		struct topology *t = opened(machines[i]);
		for (size_t k = 0; k < 5; k++) {
			struct algorithm *a = made(t, all[k], 0);
			struct rational most = rational_mul(a->bound_bandwidth, rational(17, 16));
			cr_expect(le(int, rational_compare(algorithm_bandwidth(a), most), 0), "%s", a->name);
			algorithm_free(a);
		}
		topology_free(t);
	}
}

Test(forest, waves_cost_no_more_than_pipelining_does)
{
	struct topology *t = opened("ring:8");

	for (int waves = 1; waves <= 8; waves++) {
		struct algorithm *a = made(t, BROADCAST, 2 * waves);
		cr_expect(le(int, algorithm_rounds(a), waves + 7 - 1), "%s", a->name);
		algorithm_free(a);
	}
	topology_free(t);
}

static void refused(const char *machine, enum collective_kind kind, int chunks, enum error_kind expected)
{
	struct collective k = {.kind = kind};
	struct topology *t = opened(machine);
	struct forest_answer a;
	struct error e = {0};

	cr_expect(not(forest_solve(t, &k, chunks, true, &a, &e)), "%s", machine);
	cr_expect(eq(int, e.kind, expected), "%s: %s", machine, e.what);
	topology_free(t);
}

Test(forest, what_trees_cannot_do_is_refused)
{
	refused("dgx1", ALLTOALL, 0, ERROR_INPUT);
	refused("dgx1", ALLGATHER, 7, ERROR_INPUT);
	refused("dgx1", REDUCESCATTER, 6, ERROR_INPUT);
	refused("dgx1", ALLREDUCE, 12, ERROR_INPUT);
	refused("line:1", ALLGATHER, 0, ERROR_INPUT);
	refused("ring:4@drop=0-1@drop=1-2", ALLGATHER, 0, ERROR_INPUT);
	refused("complete:64", ALLGATHER, 1 << 16, ERROR_LIMIT);
}

Test(forest, machines_of_thousands_of_nodes_are_too_large)
{
	struct topology *t = opened("ring:4000");
	struct error e = {0};
	struct forest f;

	cr_expect(not(forest_new(t, -1, &f, &e)));
	cr_expect(eq(int, e.kind, ERROR_LIMIT));
	topology_free(t);
}

/* Whenever the time ends there are right trees, or none and a line that says why. */
Test(forest, ends_in_time)
{
	static const char *const machines[] = {"fat-tree:4x4", "dgx-a100*2", "torus:8x8", "bigraph:4x8"};
	int made = 0, late = 0;

	for (size_t m = 0; m < sizeof machines / sizeof *machines; m++)
		for (double seconds = 0; seconds < 3; seconds = 2 * seconds + 0.0005) {
			struct topology *t = opened(machines[m]);
			struct error e = {0};
			struct forest f;
			char why[256] = "";
			double before = stop_within(seconds);
			bool ok = forest_new(t, -1, &f, &e);
			stop_restore(before);
			if (ok)
				cr_expect(forest_check(t, &f, why, sizeof why), "%s within %g: %s", machines[m], seconds, why);
			else
				cr_expect(eq(int, e.kind, ERROR_LIMIT), "%s within %g: %s", machines[m], seconds, e.what);
			made += ok;
			late += !ok;
			forest_free(&f);
			topology_free(t);
		}
	cr_expect(gt(int, made, 0));
	cr_expect(gt(int, late, 0));
}

/* The last numbers that were noted. */
struct noted {
	int64_t times, done, all;
};

static void see(void *context, const char *doing, int64_t done, int64_t all)
{
	struct noted *n = context;

	cr_expect(ne(int, doing[0], 0));
	*n = (struct noted){n->times + 1, done, all};
}

Test(forest, tells_how_far_it_is)
{
	struct topology *t = opened("dgx1");
	struct noted n = {0};
	struct error e = {0};
	struct forest f;

	watch_with(see, &n);
	cr_assert(forest_new(t, -1, &f, &e), "%s", e.what);
	watch_with(NULL, NULL);
	cr_expect(gt(i64, n.times, 8));
	cr_expect(eq(i64, n.done, n.all)); /* all edges of all trees */
	cr_expect(eq(i64, n.all, 8 * 7 * f.chunks));
	forest_free(&f);
	n.times = 0;
	cr_assert(forest_new(t, -1, &f, &e), "%s", e.what);
	cr_expect(eq(i64, n.times, 0));
	forest_free(&f);
	topology_free(t);
}
