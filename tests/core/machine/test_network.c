#include "core/base/error.h"
#include "core/base/json.h"
#include "core/machine/network.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "tests/support/random.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

TestSuite(network, .description = "the B relation over pairs of nodes");

static struct network *network_of(struct topology *t)
{
	struct error e = {0};
	struct network *w = network_new(t, &e);
	cr_assert(ne(ptr, w, NULL), "%s: %s", e.where, e.what);
	topology_free(t);
	return w;
}

static struct network *open_network(const char *name)
{
	struct error e = {0};
	struct topology *t = topology_open(name, &e);
	cr_assert(ne(ptr, t, NULL), "%s: %s", e.where, e.what);
	return network_of(t);
}

/* A machine of one-unit duplex links, and more of its JSON. */
static struct topology *topology_of(int nodes, int switches, const char *links, const char *more)
{
	struct error e = {0};
	struct text text = {0};
	text_add(&text, "{\"format\": \"sccl-topology\", \"version\": 1, \"name\": \"t\", \"nodes\": %d, \"switches\": %d, "
			"\"duplex\": true, \"links\": [", nodes, switches);
	for (const char *between = ""; *links; between = ", ") {
		char *end;
		long src = strtol(links, &end, 10), dst = strtol(end + 1, &end, 10), wide = *end == 'x' ? strtol(end + 1, &end, 10) : 1;
		text_add(&text, "%s{\"src\": %ld, \"dst\": %ld, \"bandwidth\": %ld}", between, src, dst, wide);
		links = end + strspn(end, " ");
	}
	text_add(&text, "]%s}", more);
	struct json_document *d = json_document_parse(text.bytes, "t.json", &e);
	cr_assert(ne(ptr, d, NULL), "%s: %s", e.where, e.what);
	struct json_place top = json_top(d);
	struct topology *t = topology_read(&top, &e);
	cr_assert(ne(ptr, t, NULL), "%s: %s", e.where, e.what);
	json_document_close(d);
	text_free(&text);
	return t;
}

static struct network *make(int nodes, int switches, const char *links, const char *more)
{
	return network_of(topology_of(nodes, switches, links, more));
}

static int width(const struct network *w, int src, int dst)
{
	int edge = network_edge(w, src, dst);
	return edge < 0 ? 0 : w->edges[edge].bandwidth;
}

/* What the header promises of every network, told from its edges alone. */
static void check_form(const struct network *w)
{
	size_t out = 0, in = 0;
	for (size_t i = 1; i < w->n_edges; i++)
		cr_assert(w->edges[i - 1].src < w->edges[i].src ||
			  (w->edges[i - 1].src == w->edges[i].src && w->edges[i - 1].dst < w->edges[i].dst));
	for (int v = 0; v < w->nodes; v++) {
		for (int i = w->out_begin[v]; i < w->out_begin[v + 1]; i++, out++)
			cr_assert(eq(int, w->edges[w->out[i]].src, v));
		for (int i = w->in_begin[v]; i < w->in_begin[v + 1]; i++, in++)
			cr_assert(eq(int, w->edges[w->in[i]].dst, v));
	}
	cr_assert(eq(sz, out, w->n_edges));
	cr_assert(eq(sz, in, w->n_edges));
	for (size_t i = 0; i < w->n_edges; i++)
		cr_assert(eq(int, network_edge(w, w->edges[i].src, w->edges[i].dst), (int)i));
	for (size_t l = 0; l < w->n_limits; l++) {
		long sum = 0;
		for (size_t i = 0; i < w->limits[l].n_edges; i++) {
			sum += w->edges[w->limits[l].edges[i]].bandwidth;
			cr_assert(i == 0 || w->limits[l].edges[i - 1] <= w->limits[l].edges[i]);
		}
		cr_assert(gt(long, sum, w->limits[l].bandwidth), "a limit that cannot bind");
	}
}

/* Floyd and Warshall's way, beside the breadth-first one. */
static void check_distances(const struct network *w)
{
	int n = w->nodes, *d = malloc((size_t)n * (size_t)n * sizeof *d);
	for (int i = 0; i < n * n; i++)
		d[i] = i / n == i % n ? 0 : UNREACHABLE;
	for (size_t i = 0; i < w->n_edges; i++)
		d[w->edges[i].src * n + w->edges[i].dst] = 1;
	for (int k = 0; k < n; k++)
		for (int i = 0; i < n * n; i++)
			if (d[i / n * n + k] + d[k * n + i % n] < d[i])
				d[i] = d[i / n * n + k] + d[k * n + i % n];
	for (int i = 0; i < n * n; i++)
		cr_assert(eq(int, network_distance(w, i / n, i % n), d[i]));
	free(d);
}

Test(network, without_switches_is_the_links)
{
	struct network *w = open_network("dgx1");
	cr_expect(eq(sz, w->n_edges, 32));
	cr_expect(eq(sz, w->n_limits, 0));
	cr_expect(eq(int, width(w, 0, 1), 2));
	cr_expect(eq(int, width(w, 0, 2), 1));
	cr_expect(eq(int, network_edge(w, 0, 4), -1));
	cr_expect(eq(int, network_distance(w, 0, 4), 2));
	check_form(w);
	check_distances(w);
	network_free(w);
}

Test(network, one_switch_joins_all_pairs_and_limits_each_node)
{
	struct network *w = open_network("switch:4");
	cr_expect(eq(sz, w->n_edges, 12));
	cr_expect(eq(sz, w->n_limits, 8));
	for (size_t i = 0; i < w->n_limits; i++) {
		cr_expect(eq(sz, w->limits[i].n_edges, 3));
		cr_expect(eq(int, w->limits[i].bandwidth, 1));
	}
	check_form(w);
	network_free(w);
}

Test(network, two_nodes_on_a_switch_need_no_limit)
{
	struct network *w = open_network("switch:2");
	cr_expect(eq(sz, w->n_edges, 2));
	cr_expect(eq(sz, w->n_limits, 0));
	network_free(w);
}

Test(network, a_route_is_as_wide_as_its_narrowest_link)
{
	struct network *w = make(2, 2, "0-2x5 2-3x3 3-1x4", "");
	cr_expect(eq(int, width(w, 0, 1), 3));
	cr_expect(eq(int, width(w, 1, 0), 3));
	cr_expect(eq(sz, w->n_limits, 0));
	network_free(w);
}

Test(network, a_direct_link_is_used_instead_of_a_switch)
{
	struct network *w = make(3, 1, "0-1x5 0-3 1-3 2-3", "");
	cr_expect(eq(int, width(w, 0, 1), 5));
	cr_expect(eq(int, width(w, 0, 2), 1));
	cr_expect(eq(sz, w->n_limits, 2), "into and out of node 2");
	check_form(w);
	network_free(w);
}

Test(network, nodes_do_not_forward)
{
	struct network *w = make(3, 2, "0-3 3-1 1-4 4-2", "");
	cr_expect(eq(int, network_edge(w, 0, 2), -1));
	cr_expect(eq(int, network_distance(w, 0, 2), 2));
	check_distances(w);
	network_free(w);
}

Test(network, the_shortest_route_is_taken)
{
	/* 0 to 1 over one narrow switch, or over two wide ones. */
	struct network *w = make(2, 3, "0-2 2-1 0-3x9 3-4x9 4-1x9", "");
	cr_expect(eq(int, width(w, 0, 1), 1));
	network_free(w);
}

Test(network, parallel_switches_share_the_pairs)
{
	struct network *w = make(4, 2, "0-4 1-4 2-4 3-4 0-5 1-5 2-5 3-5", "");
	cr_expect(eq(sz, w->n_edges, 12));
	for (size_t i = 0; i < w->n_limits; i++)
		cr_expect(le(sz, w->limits[i].n_edges, 2), "three pairs over two links: two on the fuller one");
	check_form(w);
	network_free(w);
}

Test(network, wider_parallel_routes_take_more)
{
	/* Nodes 0 and 1 on switch 4, 2 and 3 on switch 5; between them switch 6, one unit, and switch 7, three. */
	struct network *w = make(4, 4, "0-4x9 1-4x9 2-5x9 3-5x9 4-6 6-5 4-7x3 7-5x3", "");
	cr_expect(eq(sz, w->n_edges, 12));
	int narrow = 0, wide = 0;
	for (int src = 0; src < 2; src++)
		for (int dst = 2; dst < 4; dst++)
			*(width(w, src, dst) == 1 ? &narrow : &wide) += 1;
	cr_expect(eq(int, narrow, 1));
	cr_expect(eq(int, wide, 3));
	network_free(w);
}

/* Does any limit hold pairs of one box (of SIZE nodes) and pairs of two? */
static bool mixes_boxes(const struct network *w, int size)
{
	for (size_t l = 0; l < w->n_limits; l++) {
		bool within = false, between = false;
		for (size_t i = 0; i < w->limits[l].n_edges; i++) {
			const struct edge *e = &w->edges[w->limits[l].edges[i]];
			bool *is = e->src / size == e->dst / size ? &within : &between;
			*is = true;
		}
		if (within && between)
			return true;
	}
	return false;
}

Test(network, pairs_of_a_box_keep_to_its_switches)
{
	/* Crowded switches, as 15 pairs share a node's 6 units on dgx2, and routes longer than over the common switch. */
	static const struct {
		const char *name;
		int size, within, between;
	} boxes[] = {{"dgx2*2", 16, 6, 1}, {"switch:5*3x4", 5, 1, 4}, {"fat-tree:2x3*2x2", 6, 1, 2}, {"p2.16xlarge*2", 16, 1, 1}};
	for (size_t b = 0; b < sizeof boxes / sizeof *boxes; b++) {
		struct network *w = open_network(boxes[b].name);
		cr_expect(not(mixes_boxes(w, boxes[b].size)), "%s", boxes[b].name);
		for (size_t i = 0; i < w->n_edges; i++) {
			const struct edge *e = &w->edges[i];
			bool same = e->src / boxes[b].size == e->dst / boxes[b].size;
			cr_assert(eq(int, e->bandwidth, same ? boxes[b].within : boxes[b].between), "%s: %d to %d", boxes[b].name,
				  e->src, e->dst);
		}
		network_free(w);
	}
	/* Without a switch of their own they have the common one alone. */
	struct network *w = open_network("dgx1*2");
	cr_expect(eq(int, width(w, 0, 1), 2));
	cr_expect(eq(int, width(w, 0, 4), 1));
	cr_expect(mixes_boxes(w, 8));
	network_free(w);
}

Test(network, switches_linked_to_each_other_are_one_fabric)
{
	/* 0 and 1 over switch 4, which joins all four nodes with switch 5, or over switch 6, which joins three. */
	struct network *w = make(4, 3, "0-4x9 1-4x9 4-5x9 2-5x9 3-5x9 0-6 1-6 2-6", "");
	cr_expect(eq(int, width(w, 0, 1), 1));
	cr_expect(eq(int, width(w, 0, 2), 1));
	cr_expect(eq(int, width(w, 0, 3), 9));
	network_free(w);
	/* Both join three, and so they share; the wider one takes more. */
	w = make(3, 2, "0-3x9 1-3x9 2-3x9 0-4 1-4 2-4", "");
	for (size_t i = 0; i < w->n_edges; i++)
		cr_expect(eq(int, w->edges[i].bandwidth, 9));
	network_free(w);
}

Test(network, a_fabric_that_does_not_lead_there_is_no_choice)
{
	/* Switch 4 joins 0 and 1 alone, and leads from 1 to 0 only. */
	struct topology *t = topology_of(3, 2, "0-3x5 1-3x5 2-3x5 0-4x7 1-4x7", "");
	size_t n = 0;
	for (size_t i = 0; i < t->n_links; i++)
		if (!(t->links[i].src == 4 && t->links[i].dst == 1) && !(t->links[i].src == 0 && t->links[i].dst == 4))
			t->links[n++] = t->links[i];
	t->n_links = n;
	struct network *w = network_of(t);
	cr_expect(eq(int, width(w, 0, 1), 5));
	cr_expect(eq(int, width(w, 1, 0), 7));
	network_free(w);
}

Test(network, routes_are_the_same_every_time)
{
	struct network *a = open_network("p2.16xlarge"), *b = open_network("p2.16xlarge");
	cr_assert(eq(sz, a->n_limits, b->n_limits));
	for (size_t i = 0; i < a->n_limits; i++) {
		cr_assert(eq(sz, a->limits[i].n_edges, b->limits[i].n_edges));
		cr_expect(eq(int, memcmp(a->limits[i].edges, b->limits[i].edges, a->limits[i].n_edges * sizeof(int)), 0));
	}
	cr_expect(eq(sz, a->n_edges, 240));
	network_free(a);
	network_free(b);
}

Test(network, a_tree_counts_the_pairs_over_each_bridge)
{
	/* 16 dies: 15 pairs leave each, 2 * 14 each card, 8 * 8 each half. */
	struct network *w = open_network("p2.16xlarge");
	size_t seen[3] = {0};
	static const size_t pairs[] = {15, 28, 64};
	for (size_t i = 0; i < w->n_limits; i++)
		for (int k = 0; k < 3; k++)
			seen[k] += w->limits[i].n_edges == pairs[k];
	cr_expect(eq(sz, w->n_limits, 50));
	cr_expect(eq(sz, seen[0], 32));
	cr_expect(eq(sz, seen[1], 16));
	cr_expect(eq(sz, seen[2], 2));
	check_form(w);
	network_free(w);
}

/* ---- limits of the machine ---- */

Test(network, limits_of_edges_and_of_nodes_are_kept_where_they_bind)
{
	struct network *w = make(3, 0, "0-1x2 1-2 2-0",
				 ", \"limits\": [{\"name\": \"socket\", \"edges\": [[0, 1], [1, 2]], \"bandwidth\": 2}, "
				 "{\"edges\": [[2, 0]], \"bandwidth\": 1}, {\"out_of\": 0, \"bandwidth\": 2}, "
				 "{\"into\": 2, \"bandwidth\": 2}, {\"edges\": [[1, 0]], \"bandwidth\": 1}]");
	cr_assert(eq(sz, w->n_limits, 3));
	cr_expect(eq(str, w->limits[0].name, "socket"));
	cr_expect(eq(int, w->limits[0].edges[0], network_edge(w, 0, 1)));
	cr_expect(eq(int, w->limits[0].edges[1], network_edge(w, 1, 2)));
	cr_expect(eq(sz, w->limits[1].n_edges, 2), "out of node 0: three units by links, two by the limit");
	cr_expect(eq(sz, w->limits[2].n_edges, 1), "one edge held below its link's width");
	check_form(w);
	network_free(w);
}

Test(network, a_limit_on_links_of_a_switch_covers_the_pairs_across_them)
{
	struct network *w = make(3, 1, "0-3x9 1-3x9 2-3x9", ", \"limits\": [{\"edges\": [[0, 3]], \"bandwidth\": 4}, "
							    "{\"into\": 3, \"bandwidth\": 10}]");
	size_t covered[2] = {0};
	for (size_t i = 0; i < w->n_limits; i++) {
		covered[0] += w->limits[i].bandwidth == 4 ? w->limits[i].n_edges : 0;
		covered[1] += w->limits[i].bandwidth == 10 ? w->limits[i].n_edges : 0;
	}
	cr_expect(eq(sz, covered[0], 2), "0 to 1 and 0 to 2");
	cr_expect(eq(sz, covered[1], 6), "all pairs");
	check_form(w);
	network_free(w);
}

Test(network, a_pair_that_crosses_a_limit_twice_counts_twice)
{
	struct network *w = make(2, 1, "0-2x2 1-2x2", ", \"limits\": [{\"edges\": [[0, 2], [2, 1]], \"bandwidth\": 3}]");
	cr_assert(eq(sz, w->n_limits, 1));
	cr_expect(eq(sz, w->limits[0].n_edges, 2));
	cr_expect(eq(int, w->limits[0].edges[0], network_edge(w, 0, 1)));
	cr_expect(eq(int, w->limits[0].edges[1], network_edge(w, 0, 1)));
	check_form(w);
	network_free(w);
}

/* ---- what is reached, and the way back ---- */

Test(network, what_is_not_joined_is_unreachable)
{
	struct network *w = make(4, 0, "0-1 2-3", "");
	cr_expect(eq(int, network_distance(w, 0, 1), 1));
	cr_expect(eq(int, network_distance(w, 0, 2), UNREACHABLE));
	cr_expect(eq(int, network_distance(w, 0, 0), 0));
	check_distances(w);
	network_free(w);
}

static void expect_reversed(const struct network *w, const struct network *r)
{
	cr_assert(eq(sz, w->n_edges, r->n_edges));
	cr_assert(eq(sz, w->n_limits, r->n_limits));
	for (size_t i = 0; i < w->n_edges; i++)
		cr_expect(eq(int, width(r, w->edges[i].dst, w->edges[i].src), w->edges[i].bandwidth));
	for (int a = 0; a < w->nodes; a++)
		for (int b = 0; b < w->nodes; b++)
			cr_expect(eq(int, network_distance(r, b, a), network_distance(w, a, b)));
	for (size_t l = 0; l < w->n_limits; l++) {
		const struct network_limit *x = &w->limits[l], *y = &r->limits[l];
		cr_assert(eq(sz, x->n_edges, y->n_edges));
		for (size_t i = 0; i < x->n_edges; i++) {
			int back = network_edge(r, w->edges[x->edges[i]].dst, w->edges[x->edges[i]].src);
			bool there = false;
			for (size_t k = 0; k < y->n_edges; k++)
				there = there || y->edges[k] == back;
			cr_expect(there);
		}
	}
}

Test(network, reversed_keeps_the_routes)
{
	static const char *const names[] = {"dgx1@drop=0-1", "p2.16xlarge", "mi50-two-rings", "switch:5"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct network *w = open_network(names[i]), *r = network_reversed(w), *again = network_reversed(r);
		expect_reversed(w, r);
		expect_reversed(r, again);
		check_form(r);
		cr_expect(eq(int, memcmp(w->edges, again->edges, w->n_edges * sizeof *w->edges), 0));
		network_free(w);
		network_free(r);
		network_free(again);
	}
}

Test(network, of_one_way_links_is_reversed_too)
{
	struct topology *t = topology_of(3, 0, "0-1 1-2x2 2-0", "");
	t->links[0].bandwidth = 7; /* 0 -> 1 alone */
	struct network *w = network_of(t), *r = network_reversed(w);
	cr_expect(eq(int, width(r, 1, 0), 7));
	cr_expect(eq(int, width(r, 0, 1), 1));
	expect_reversed(w, r);
	network_free(w);
	network_free(r);
}

Test(network, shapes_and_machines_keep_the_form)
{
	static const char *const names[] = {"torus:3x4x2", "hypercube:5", "star:9", "complete:7", "mesh:3x5", "line:1",
					    "switch:16", "dgx2", "mi250x16", "mi50-two-rings", "dgx2@gpus=1,2,3"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct network *w = open_network(names[i]);
		check_form(w);
		check_distances(w);
		network_free(w);
	}
}

/* ---- random machines with switches, against an independent way to tell who is joined ---- */

static struct topology *random_topology(uint64_t *state, int nodes, int switches)
{
	struct text links = {0};
	text_add(&links, "%s", "");
	for (int a = 0; a < nodes + switches; a++)
		for (int b = a + 1; b < nodes + switches; b++)
			if (random_below(state, 2))
				text_add(&links, "%d-%dx%d ", a, b, 1 + random_below(state, 4));
	struct topology *t = topology_of(nodes, switches, links.bytes ? links.bytes : "", "");
	text_free(&links);
	return t;
}

/* Whether switches alone lead from v to dst. */
static bool leads(const struct topology *t, int v, int dst, bool *seen)
{
	if (topology_link(t, v, dst))
		return true;
	seen[v] = true;
	for (int s = t->nodes; s < t->nodes + t->switches; s++)
		if (!seen[s] && topology_link(t, v, s) && leads(t, s, dst, seen))
			return true;
	return false;
}

Test(network, random_pairs_are_joined_just_where_switches_lead)
{
	uint64_t state = 20210227;
	for (int round = 0; round < 200; round++) {
		struct error e = {0};
		struct topology *t = random_topology(&state, 2 + round % 5, round % 4);
		struct network *w = network_new(t, &e);
		cr_assert(ne(ptr, w, NULL));
		check_form(w);
		check_distances(w);
		for (int i = 0; i < t->nodes * t->nodes; i++) {
			bool seen[16] = {false};
			int src = i / t->nodes, dst = i % t->nodes;
			if (src != dst)
				cr_assert(eq(int, network_edge(w, src, dst) >= 0, leads(t, src, dst, seen)));
		}
		network_free(w);
		topology_free(t);
	}
}

Test(network, too_many_pairs_are_refused)
{
	struct error e = {0};
	struct topology *t = topology_open("switch:4096", &e);
	cr_expect(eq(ptr, network_new(t, &e), NULL));
	cr_expect(eq(int, e.kind, ERROR_LIMIT));
	cr_expect(eq(str, e.where, "switch:4096"));
	cr_expect(eq(str, e.what, "joins more than 4194304 pairs of nodes"));
	topology_free(t);
}

Test(network, too_long_routes_are_refused)
{
	/* 1024 nodes at the two ends of a line of 2048 switches. */
	struct error e = {0};
	struct text links = {0};
	for (int s = 1024; s < 3071; s++)
		text_add(&links, "%d-%d ", s, s + 1);
	for (int v = 0; v < 1024; v++)
		text_add(&links, "%d-%d ", v, v % 2 ? 1024 : 3071);
	struct topology *t = topology_of(1024, 2048, links.bytes, "");
	cr_expect(eq(ptr, network_new(t, &e), NULL));
	cr_expect(eq(str, e.what, "routes through its switches cross more than 33554432 links in total"));
	topology_free(t);
	text_free(&links);
}
