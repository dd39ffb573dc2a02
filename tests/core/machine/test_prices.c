/* Bounds by prices of links, held against the flows themselves. */

#include "tests/support/by_hand.h"
#include "tests/support/drawn.h"

#include "core/bounds/bounds.h"
#include "core/graph/linear_program.h"
#include "core/machine/network.h"
#include "core/machine/prices.h"
#include "core/base/text.h"

#include <math.h>

TestSuite(prices, .description = "bounds by prices of links and limits");

/* ---- the least congestion of flows, all sources at once, edge by edge: what prices can show at most ---- */

struct flows {
	const struct network *w;
	const int *demand;
	struct linear *program; /* columns: the congestion, then [from][edge] */
};

static int column_of(const struct flows *k, int from, size_t edge)
{
	return 1 + from * (int)k->w->n_edges + (int)edge;
}

static void serve(struct flows *k, int from, int to)
{
	int n = 0, *columns = new_array(int, k->w->n_edges);
	double *values = new_array(double, k->w->n_edges), all = k->demand[from * k->w->nodes + to];

	for (size_t e = 0; e < k->w->n_edges; e++)
		if (k->w->edges[e].src == to || k->w->edges[e].dst == to) {
			columns[n] = column_of(k, from, e);
			values[n++] = k->w->edges[e].dst == to ? 1 : -1;
		}
	linear_row(k->program, all, all, n, columns, values);
	free(columns);
	free(values);
}

static void restrict_to(struct flows *k, size_t n_edges, const int *edges, int bandwidth)
{
	int n = 0, *columns = new_array(int, 1 + n_edges * (size_t)k->w->nodes);
	double *values = new_array(double, 1 + n_edges * (size_t)k->w->nodes);

	columns[n] = 0;
	values[n++] = bandwidth;
	for (int from = 0; from < k->w->nodes; from++)
		for (size_t i = 0; i < n_edges; i++) {
			if (i > 0 && edges[i] == edges[i - 1]) {
				values[n - 1] -= 1;
				continue;
			}
			columns[n] = column_of(k, from, (size_t)edges[i]);
			values[n++] = -1;
		}
	linear_row(k->program, 0, linear_infinity, n, columns, values);
	free(columns);
	free(values);
}

static double least_congestion(const struct network *w, const int *demand)
{
	struct flows k = {w, demand, linear_new()};

	linear_column(k.program, 1, 0, linear_infinity, 0, NULL, NULL);
	for (size_t i = 0; i < (size_t)w->nodes * w->n_edges; i++)
		linear_column(k.program, 0, 0, linear_infinity, 0, NULL, NULL);
	for (int from = 0; from < w->nodes; from++)
		for (int to = 0; to < w->nodes; to++)
			if (to != from)
				serve(&k, from, to);
	for (int e = 0; e < (int)w->n_edges; e++)
		restrict_to(&k, 1, &e, w->edges[e].bandwidth);
	for (size_t l = 0; l < w->n_limits; l++)
		restrict_to(&k, w->limits[l].n_edges, w->limits[l].edges, w->limits[l].bandwidth);
	cr_assert(linear_solve(k.program));
	double least = linear_cost(k.program);
	linear_free(k.program);
	return least;
}

static double alltoall_congestion(const struct network *w)
{
	int *demand = new_array(int, (size_t)(w->nodes * w->nodes));

	for (int i = 0; i < w->nodes * w->nodes; i++)
		demand[i] = i / w->nodes != i % w->nodes;
	double least = least_congestion(w, demand) / w->nodes;
	free(demand);
	return least;
}

/* ---- machines ---- */

static struct network *network_of(const struct topology *t)
{
	struct error e = {0};
	struct network *w = network_new(t, &e);
	cr_assert(w != NULL, "%s", e.what);
	return w;
}

static struct bounds bounds_of(const struct topology *t, enum collective_kind kind)
{
	const struct collective k = {.kind = kind};
	struct error e = {0};
	struct bounds b;
	cr_assert(bounds_compute(t, &k, &b, &e), "%s", e.what);
	return b;
}

Test(prices, of_random_machines_show_all_that_flows_need)
{
	int priced = 0;

	for (int round = 0; round < 300; round++) {
		struct topology *t = random_machine(5, 4, 4);
		struct network *w = network_of(t);
		struct bounds b = bounds_of(t, ALLTOALL);
		double least = alltoall_congestion(w);
		cr_expect(rational_double(b.bandwidth) <= least * (1 + 1e-7), "machine %d: no more than what flows need", round);
		cr_expect(rational_double(b.bandwidth) >= least * (1 - 1e-5), "machine %d: no less", round);
		priced += b.n_prices > 0;
		bounds_free(&b);
		network_free(w);
		topology_free(t);
	}
	cr_expect(priced > 30, "cuts do not show all of them: %d by prices", priced);
}

/* Where nodes are alike, classes stand for their members; behind switches, limits for links. */
Test(prices, of_machines_with_relabellings_do_too)
{
	static const char *const machines[] = {"dgx1", "hypercube:3", "torus:3x4", "dgx1@drop=0-1", "dgx1@narrow=0-1", "ring:5", "ring:6*2",
					       "dgx1*2", "switch:5", "fat-tree:2x3", "dragonfly:2x2x1", "bigraph:2x4", "mesh:3x3", "star:5",
					       "amd-z52", "dgx-a100", "torus:4x4@drop=0-1", "mi50-two-rings"};

	for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
		struct topology *t = machine(machines[m]);
		struct network *w = network_of(t);
		struct bounds b = bounds_of(t, ALLTOALL);
		double least = alltoall_congestion(w);
		cr_expect(rational_double(b.bandwidth) <= least * (1 + 1e-7), "%s", machines[m]);
		cr_expect(rational_double(b.bandwidth) >= least * (1 - 1e-5), "%s", machines[m]);
		bounds_free(&b);
		network_free(w);
		topology_free(t);
	}
}

Test(prices, show_more_than_cuts_where_these_are_not_tried)
{
	static const struct {
		const char *machine, *bound;
	} rows[] = {{"dragonfly:2x2x2", "6/5"}, {"bigraph:4x8", "5/4"}, {"torus:8x8@drop=0-1", "16/15"}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct topology *t = machine(rows[i].machine);
		struct bounds b = bounds_of(t, ALLTOALL);
		char got[RATIONAL_TEXT];
		rational_text(b.bandwidth, got);
		cr_expect(eq(str, got, (char *)rows[i].bound), "%s", rows[i].machine);
		cr_expect(gt(sz, b.n_prices, 0));
		bounds_free(&b);
		topology_free(t);
	}
}

/* One chunk from each node to another, some to several: these ask no less than what their farthest does. */
static struct collective random_sends(int nodes, int *demand)
{
	struct text members = {0};

	text_add(&members, "\"pre\": [");
	for (int c = 0; c < nodes; c++)
		text_add(&members, "%s[%d, %d]", c ? ", " : "", c, c);
	text_add(&members, "], \"post\": [");
	for (int c = 0; c < nodes; c++) {
		int to = (c + 1 + below(nodes - 1)) % nodes;
		demand[c * nodes + to] = 1;
		text_add(&members, "%s[%d, %d]", c ? ", " : "", c, to);
	}
	text_add(&members, "]");
	struct collective k = custom_of(nodes, 1, members.bytes);
	text_free(&members);
	return k;
}

Test(prices, show_all_that_sends_from_node_to_node_need)
{
	int priced = 0;

	for (int round = 0; round < 200; round++) {
		struct topology *t = random_machine(5, 4, 4);
		struct network *w = network_of(t);
		int demand[8 * 8] = {0};
		struct collective k = random_sends(t->nodes, demand);
		struct error e = {0};
		struct bounds b;
		cr_assert(bounds_compute(t, &k, &b, &e), "%s", e.what);
		double least = least_congestion(w, demand);
		cr_expect(rational_double(b.bandwidth) <= least * (1 + 1e-7), "machine %d", round);
		cr_expect(rational_double(b.bandwidth) >= least * (1 - 1e-5), "machine %d", round);
		priced += b.n_prices > 0;
		bounds_free(&b);
		collective_free(&k);
		network_free(w);
		topology_free(t);
	}
	cr_expect(priced > 20, "%d by prices", priced);
}

/* Widths that go together in no small numbers: what is stated is somewhat less than what flows need, and fits into files. */
Test(prices, are_told_in_numbers_that_files_hold)
{
	int priced = 0;

	for (int round = 0; round < 40; round++) {
		struct topology *t = random_machine(5, 4, 4);
		for (size_t i = 0; i < t->n_links; i++)
			t->links[i].bandwidth = 1 + below(30000);
		struct network *wide = network_of(t);
		struct bounds b = bounds_of(t, ALLTOALL);
		cr_expect(b.bandwidth.num <= INT32_MAX && b.bandwidth.den <= INT32_MAX, "machine %d", round);
		cr_expect(rational_double(b.bandwidth) <= alltoall_congestion(wide) * (1 + 1e-7), "machine %d", round);
		priced += b.n_prices > 0;
		bounds_free(&b);
		network_free(wide);
		topology_free(t);
	}
	cr_expect(priced > 0);
}

/* ---- prices that are stated ---- */

static struct bounds stated_bounds(const struct topology *t, enum collective_kind kind, const struct price *list, size_t n)
{
	const struct collective k = {.kind = kind};
	struct network *w = network_of(t);
	struct error e = {0};
	struct bounds b;
	cr_assert(bounds_compute_on(t, w, &k, (struct stated_prices){list, n}, &b, &e), "%s", e.what);
	network_free(w);
	return b;
}

Test(prices, that_are_stated_show_what_they_show_and_no_more)
{
	struct topology *t = machine("dragonfly:2x2x2");
	struct bounds found = bounds_of(t, ALLTOALL), cuts = stated_bounds(t, ALLTOALL, NULL, 0);
	struct bounds again = stated_bounds(t, ALLTOALL, found.prices, found.n_prices);

	cr_expect(eq(int, rational_compare(found.bandwidth, again.bandwidth), 0));
	cr_expect(lt(int, rational_compare(cuts.bandwidth, found.bandwidth), 0), "none are looked for");
	bounds_free(&again);
	for (size_t i = 0; i < found.n_prices; i++) {
		int64_t was = found.prices[i].price;
		found.prices[i].price = was + 1;
		again = stated_bounds(t, ALLTOALL, found.prices, found.n_prices);
		cr_expect(le(int, rational_compare(again.bandwidth, found.bandwidth), 0), "any other are no better");
		found.prices[i].price = was;
		bounds_free(&again);
	}
	bounds_free(&found);
	bounds_free(&cuts);
	topology_free(t);
}

Test(prices, of_another_machine_show_nothing)
{
	const struct price twice[] = {{.src = 0, .dst = 1, .limit = -1, .price = 1}, {.src = 0, .dst = 1, .limit = -1, .price = 1}};
	const struct price no_link[] = {{.src = 0, .dst = 2, .limit = -1, .price = 1}};
	const struct price no_limit[] = {{.src = -1, .dst = -1, .limit = 0, .price = 1}};
	const struct {
		const struct price *list;
		size_t n;
	} bad[] = {{twice, 2}, {no_link, 1}, {no_limit, 1}};
	struct topology *t = machine("ring:5");

	for (size_t i = 0; i < 3; i++) {
		struct bounds b = stated_bounds(t, ALLTOALL, bad[i].list, bad[i].n);
		cr_expect(eq(sz, b.n_prices, 0));
		bounds_free(&b);
	}
	topology_free(t);
}

/* One thing has a price: what all must pay on it is counted by hand. */
Test(prices, count_the_shortest_ways)
{
	struct topology *t = machine("line:4");
	struct network *w = network_of(t);
	struct price_list f;
	int64_t paid, round, *prices;
	int demand[16];
	const struct demands d = {demand, 1, true};

	for (int i = 0; i < 16; i++)
		demand[i] = i / 4 != i % 4;
	price_list_new(w, true, &f);
	prices = new_array(int64_t, (size_t)f.n);
	cr_assert(price_list_fill(&f, &(struct price){.src = 1, .dst = 2, .limit = -1, .price = 7}, 1, prices));
	cr_assert(price_list_show(&f, prices, &d, &paid, &round));
	cr_expect(eq(i64, paid, 4 * 7), "from 0 and 1 to 2 and 3");
	cr_expect(eq(i64, round, 7));
	for (int i = 0; i < 16; i++)
		demand[i] = INT32_MAX;
	prices[0] = (int64_t)1 << 40;
	cr_expect(not(price_list_show(&f, prices, &d, &paid, &round)), "sums that could overflow are not begun");
	free(prices);
	price_list_free(&f);
	network_free(w);
	topology_free(t);
}

Test(prices, in_files_have_two_or_three_numbers)
{
	static const struct {
		const char *json, *what;
	} rows[] = {
		{"{\"prices\": [[0, 1]]}", "must be [src, dst, price]"},
		{"{\"prices\": [[0, 1, 1, 1]]}", "must be [src, dst, price]"},
		{"{\"limit_prices\": [[0, 1, 1]]}", "must be [limit, price]"},
		{"{\"prices\": [[0, 4, 1]]}", "must be an integer from 0 to 3"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct error e = {0};
		struct price *list;
		size_t n;
		struct json_document *d = json_document_parse(rows[i].json, "p.json", &e);
		cr_assert(ne(ptr, d, NULL), "%s", e.what);
		struct json_place top = json_top(d);
		cr_expect(not(prices_read(&top, 4, &list, &n, &e)), "%s", rows[i].json);
		cr_expect(ne(ptr, strstr(e.what, rows[i].what), NULL), "%s: %s", rows[i].json, e.what);
		free(list);
		json_document_close(d);
	}
}
