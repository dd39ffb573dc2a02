#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/base/text.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"
#include "core/verify/verify.h"
#include "synth/problem/problem.h"
#include "synth/program/hub_bridges.h"
#include "synth/program/hub_cores.h"
#include "synth/program/hub_forest.h"
#include "synth/program/hub_orbits.h"
#include "synth/program/hub_program.h"
#include "synth/program/node_groups.h"
#include "synth/program/partial_sums.h"
#include "synth/program/pattern_questions.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

TestSuite(hubs, .description = "allreduces that add up at hubs");

/* A machine, and an allreduce on it as a single question. */
struct machine {
	struct topology *topology;
	struct collective collective;
	struct problem problem;
};

static void machine_of(struct topology *t, struct machine *m)
{
	struct error e = {0};

	m->topology = t;
	cr_assert(collective_open("allreduce", m->topology->nodes, 0, &m->collective, &e), "%s", e.what);
	cr_assert(problem_open_direct(m->topology, &m->collective, &m->problem, &e), "%s", e.what);
}

static void machine_open(const char *name, struct machine *m)
{
	struct error e = {0};
	struct topology *t = topology_open(name, &e);

	cr_assert(t != NULL, "%s", e.what);
	machine_of(t, m);
}

static void machine_close(struct machine *m)
{
	problem_close(&m->problem);
	collective_free(&m->collective);
	topology_free(m->topology);
}

/* R/C of the algorithm that is found, verified; 0: none is. */
static struct rational found(const struct machine *m, int steps, int most)
{
	struct error e = {0};
	struct instance i;
	struct pattern_bound bound;
	int chunks;

	cr_assert(problem_instance(&m->problem, (struct candidate){1, steps, steps}, &i, &e), "%s", e.what);
	struct rational least = problem_bandwidth_in(&m->problem, steps, TIMED_FULL);
	struct step *s = hub_program_steps(&i, steps, most, least, &chunks, &bound, &e);
	problem_instance_done(&i);
	cr_expect(eq(int, s == NULL, e.kind != ERROR_NONE), "%s", e.what);
	if (!s) {
		free(bound.price);
		return rational(0, 1);
	}
	struct candidate c = {chunks, steps, 0};
	for (int k = 0; k < steps; k++)
		c.rounds += s[k].rounds;
	cr_expect(le(int, chunks, most));
	cr_expect(rational_compare(least, candidate_bandwidth(c)) <= 0, "the bound is above what there is");
	if (bound.price)
		cr_expect(rational_compare(rational(bound.pay, bound.round), candidate_bandwidth(c)) <= 0, "what was refuted is there");
	free(bound.price);
	struct algorithm *a = problem_algorithm(&m->problem, c, s, (size_t)steps, &e);
	cr_assert(a != NULL, "%s", e.what); /* it has passed the verifier */
	cr_expect(eq(int, (int)a->n_steps, steps));
	algorithm_free(a);
	return candidate_bandwidth(c);
}

/*
 * A tree of 2 P - 2 sends, whose centre is a link, meets the bandwidth bound in as many steps as the tree has links from
 * end to end; hubs on a square need two more sends and one step less. In 5 steps on trn2 a cube of eight hubs takes 40, but no hubs 36.
 */
static const struct {
	const char *machine;
	int steps;
	int num, den; /* 0: no hubs are near enough */
} known[] = {
	{"mi100x8", 3, 7, 24}, {"trn2", 7, 15, 32}, {"trn2", 6, 1, 2}, {"trn2", 3, 0, 1},
	{"complete:4", 1, 1, 1}, {"complete:4", 2, 1, 2}, {"ring:4", 2, 1, 1}, {"ring:8", 3, 0, 1}, {"line:4", 3, 3, 1},
	{"line:4", 2, 0, 1}, {"hypercube:3", 3, 1, 1}, {"hypercube:3", 4, 2, 3}, {"hypercube:3", 5, 7, 12},
	{"switch:4", 1, 3, 1}, {"switch:4", 2, 3, 2},
	{"trn2", 4, 1, 1}, {"trn2", 5, 9, 16}, /* half a minute: only with HUBS_ALL */
};

Test(hubs, known_values)
{
	for (size_t k = 0; k < sizeof known / sizeof *known - (getenv("HUBS_ALL") ? 0 : 2); k++) {
		struct machine m;
		machine_open(known[k].machine, &m);
		struct rational r = found(&m, known[k].steps, 1024);
		cr_expect(rational_compare(r, rational(known[k].num, known[k].den)) == 0, "%s in %d steps: %lld/%lld", known[k].machine,
			  known[k].steps, (long long)r.num, (long long)r.den);
		machine_close(&m);
	}
}

/* Two boxes of four nodes, all joined by links of WIDTH; from every odd node a link to an even one of the other box. */
static struct topology *boxes(int width)
{
	struct text t = {0};
	struct error e = {0};

	text_add(&t, "{\"format\": \"sccl-topology\", \"version\": 1, \"name\": \"boxes\", \"nodes\": 8, \"links\": [");
	for (int u = 0; u < 8; u++)
		for (int v = u - u % 4; v < u - u % 4 + 4; v++)
			if (u != v)
				text_add(&t, "{\"src\": %d, \"dst\": %d, \"bandwidth\": %d}, ", u, v, width);
	text_add(&t, "{\"src\": 1, \"dst\": 4, \"bandwidth\": 1}, {\"src\": 3, \"dst\": 6, \"bandwidth\": 1}, "
		     "{\"src\": 5, \"dst\": 0, \"bandwidth\": 1}, {\"src\": 7, \"dst\": 2, \"bandwidth\": 1}]}");
	struct json_document *d = json_document_parse(t.bytes, "boxes.json", &e);
	struct topology *made = d ? topology_read_document(d, &e) : NULL;
	cr_assert(made != NULL, "%s", e.what);
	text_free(&t);
	return made;
}

/*
 * The sum of each box crosses once a chunk, half of the chunks over each link: 1/2. In the step before, half of the chunks
 * cross each link of a box, as every node is a hub for half of them: 1/8. So it is in the step after.
 */
Test(hubs, one_way_links)
{
	struct machine m;

	machine_of(boxes(4), &m);
	struct rational r = found(&m, 3, 1024);
	cr_expect(rational_compare(r, rational(3, 4)) == 0, "%lld/%lld", (long long)r.num, (long long)r.den);
	r = found(&m, 4, 1024); /* values cross in two steps, in either of which other values are added up or sent out */
	cr_expect(rational_compare(r, rational(5, 8)) == 0, "%lld/%lld", (long long)r.num, (long long)r.den);
	machine_close(&m);
}

/*
 * Between two DGX-2 some nodes send across ahead of the sum of their box, or are sent the other box's sum by a link of
 * their own: R/C = 41/88 in three steps is the least, where all nodes that are added up or have the result around one
 * hub need 1/2. In four steps 13/44 is the least, and 1024 chunks come near it.
 */
Test(hubs, some_stay_aside)
{
	struct machine m;

	machine_open("dgx2x2", &m);
	struct rational r = found(&m, 3, 1024);
	cr_expect(rational_compare(r, rational(41, 88)) == 0, "%lld/%lld", (long long)r.num, (long long)r.den);
	r = found(&m, 4, 1024);
	cr_expect(lt(dbl, rational_double(r), 13.0 / 44 * 1.02), "%lld/%lld", (long long)r.num, (long long)r.den);
	machine_close(&m);
}

/* A pattern across a bridge is the cheapest with as many nodes aside as pay for it; none is where links are dear. */
Test(hubs, bridges)
{
	struct machine m;
	struct hub_bridges b;
	struct timed_tree pattern;

	machine_of(boxes(4), &m);
	const struct network *w = m.problem.network;
	hub_bridges_find(w, &b);
	cr_assert(b.part != NULL);
	cr_expect(eq(sz, b.n, (size_t)4)); /* two links one way, and two the other */
	double *prices = new_array(double, 3 * w->n_edges);
	for (size_t e = 0; e < 3 * w->n_edges; e++)
		prices[e] = 1;
	struct bridge_pattern p = {&b.of[0], 1, 0, false};
	double cost = hub_bridge_price(w, b.part, &p, 3, prices, 0, &pattern);
	cr_expect(eq(dbl, cost, 6 + 4 + 6)); /* into two hubs, between four nodes, out of two */
	cr_expect(eq(int, pattern.n, 16));
	free(pattern.of);
	p.aside = 1; /* three sends in place of one */
	cr_expect(eq(dbl, hub_bridge_price(w, b.part, &p, 3, prices, 0, &pattern), 18));
	free(pattern.of);
	p.later = true;
	cr_expect(eq(dbl, hub_bridge_price(w, b.part, &p, 3, prices, 0, NULL), 18));
	p.later = false; /* two links across are left: one that is dear is spared, both cannot be */
	for (size_t e = 0, dear = 0; e < w->n_edges; e++) {
		int src = w->edges[e].src, dst = w->edges[e].dst;
		bool hub = src == b.of[0].sum[0] || src == b.of[0].sum[1];
		if (b.part[src] == b.part[dst] || hub)
			continue;
		for (size_t s = 0; s < 3; s++)
			prices[s * w->n_edges + e] = 5;
		cr_expect(eq(dbl, hub_bridge_price(w, b.part, &p, 3, prices, 0, NULL), dear ? 22 : 18));
		dear++;
	}
	p.aside = 5; /* there are only four links across */
	cr_expect(isinf(hub_bridge_price(w, b.part, &p, 3, prices, 0, NULL)));
	free(prices);
	hub_bridges_free(&b);
	machine_close(&m);
	machine_open("dgx1", &m);
	hub_bridges_find(m.problem.network, &b);
	cr_expect(b.part == NULL && b.n == 0);
	hub_bridges_free(&b);
	machine_close(&m);
}

/* With few chunks R/C is larger, but there is an algorithm. */
Test(hubs, few_chunks)
{
	struct machine m;

	machine_open("mi250x-frontier", &m);
	for (int most = 1; most <= 64; most *= 8)
		cr_expect(gt(int, (int)found(&m, 5, most).num, 0));
	machine_close(&m);
}

/* What gossips show to be the least, which annealed patterns attain; with 1024 chunks a little more. A minute: only with HUBS_ALL. */
Test(hubs, annealed)
{
	static const struct {
		int steps, num, den;
	} least[] = {{6, 5, 8}, {7, 29, 60}, {8, 9, 22}};
	struct machine m;

	machine_open("mi250x16", &m);
	for (size_t i = 0; i < (getenv("HUBS_ALL") ? sizeof least / sizeof *least : 0); i++) {
		double of = (double)least[i].num / least[i].den, r = rational_double(found(&m, least[i].steps, 1024));
		cr_expect(of <= r && r < 1.008 * of, "%d steps: %f", least[i].steps, r);
	}
	machine_close(&m);
}

/*
 * Node 0 adds up and sends out; in between it sends half of the sum to node 1, who drops that. In reverse that is a send of
 * what node 1 no longer has. Neither is needed.
 */
Test(hubs, needless_sends)
{
	static const struct send first[] = {{0, 1, 0}, {0, 2, 0}, {0, 0, 1}}, then[] = {{0, 0, 1}, {0, 0, 2}};
	static const struct send again[] = {{0, 0, 1}, {0, 0, 2}, {0, 1, 0}};

	for (int reversed = 0; reversed < 2; reversed++) {
		struct step *steps = new_array(struct step, 2);
		steps[0].n_sends = reversed ? 2 : 3;
		steps[0].sends = copy_bytes(first, steps[0].n_sends * sizeof *first);
		steps[1].n_sends = reversed ? 3 : 2;
		steps[1].sends = copy_bytes(reversed ? again : then, steps[1].n_sends * sizeof *then);
		partial_sums_tell_apart(steps, 2, 1, 3, NULL);
		cr_expect(steps[0].n_sends == 0 && steps[0].n_reduces == 2, "the sum");
		cr_expect(steps[1].n_sends == 2 && steps[1].n_reduces == 0, "the result");
		steps_free(steps, 2);
	}
}

Test(hubs, too_large_or_too_late)
{
	static const volatile int interrupted = 1;
	struct machine m;

	machine_open("ring:65", &m);
	cr_expect(eq(int, (int)found(&m, 40, 1024).num, 0));
	machine_close(&m);
	machine_open("trn2", &m);
	stop_on(&interrupted);
	cr_expect(eq(int, (int)found(&m, 6, 1024).num, 0));
	stop_on(NULL);
	machine_close(&m);
}

/* In each step of an exchange a hub has the sum of a part of the grid, and gets those of all its neighbours. */
Test(hubs, cores_add_up)
{
	struct hub_cores cores;
	struct machine m;

	machine_open("trn2", &m);
	const struct network *w = m.problem.network;
	hub_cores_find(w, 8, &cores);
	cr_expect(gt(sz, cores.n, 0));
	for (size_t c = 0; c < cores.n; c++) {
		const struct hub_core *core = &cores.of[c];
		uint64_t has[HUB_NODES_MAX] = {0}, before[HUB_NODES_MAX], all = 0;
		for (int i = 0; i < core->n_from; i++)
			all |= has[core->from[i]] = UINT64_C(1) << core->from[i];
		for (int d = 0; d < core->dimensions; d++) {
			memcpy(before, has, sizeof has);
			for (int i = 0; i < core->exchange.n; i++) {
				const struct edge *x = &w->edges[core->exchange.of[i].edge];
				if (core->exchange.of[i].step != d)
					continue;
				bool twice = has[x->dst] & before[x->src];
				cr_expect(not(twice), "a part is added twice");
				has[x->dst] |= before[x->src];
			}
		}
		for (int i = 0; i < core->n_to; i++)
			cr_expect(has[core->to[i]] == all, "hub %d has not all", core->to[i]);
	}
	hub_cores_free(&cores);
	machine_close(&m);
}

/* On a line of four with the hub at one end the only forest is the line; a step less is too few. */
Test(hubs, forests)
{
	static const double prices[4 * 6] = {[0] = 1};
	int first = 0;
	struct hub_core core = {.n_from = 1, .from = &first, .n_to = 1, .to = &first};
	struct timed_tree t;
	struct machine m;

	machine_open("line:4", &m);
	for (int into = 0; into < 2; into++) {
		cr_expect(isinf(hub_forest_find(m.problem.network, &core, into, 0, 2, prices, 0, NULL)));
		cr_expect(isfinite(hub_forest_find(m.problem.network, &core, into, 1, 3, prices, 8, &t)));
		cr_expect(eq(int, t.n, 3));
		for (int i = 0; i < t.n; i++)
			cr_expect(ge(int, t.of[i].step, 1));
		free(t.of);
	}
	machine_close(&m);
}

/* A torus of 4x4 looks the same from all nodes, and along all links. */
Test(hubs, cores_that_symmetries_map_to_each_other)
{
	struct hub_cores cores;
	struct machine m;
	size_t single = 0, links = 0;

	machine_open("trn2", &m);
	hub_cores_find(m.problem.network, 8, &cores);
	struct node_group all = node_group_all(m.problem.network, -1);
	size_t *which = new_array(size_t, cores.n);
	size_t n = hub_cores_apart(m.problem.network, &cores, NULL, 0, which);
	cr_expect(eq(sz, n, cores.n));
	n = hub_cores_apart(m.problem.network, &cores, all.generators, all.n, which);
	cr_expect(n > 0 && n < cores.n / 8);
	for (size_t i = 0; i < n; i++) {
		const struct hub_core *c = &cores.of[which[i]];
		cr_expect(i == 0 || which[i - 1] < which[i]);
		single += c->dimensions == 0;
		links += c->dimensions == 1 && c->n_from == 2 && c->n_to == 2 && c->from[0] == c->to[0] && c->from[1] == c->to[1];
	}
	cr_expect(eq(sz, single, 1));
	cr_expect(le(sz, links, 2), "a grid of two, and two hubs that have the result themselves");
	node_group_free(&all);
	free(which);
	hub_cores_free(&cores);
	machine_close(&m);
}

/* Boxes may change places: of the two hubs that add up all, either is the first. */
Test(hubs, cores_of_boxes_that_change_places)
{
	struct hub_cores cores;
	struct machine m;
	size_t beside = 0;

	machine_of(boxes(4), &m);
	hub_cores_find(m.problem.network, 3, &cores);
	struct node_group all = node_group_all(m.problem.network, -1);
	size_t *which = new_array(size_t, cores.n);
	size_t n = hub_cores_apart(m.problem.network, &cores, all.generators, all.n, which);
	for (size_t i = 0; i < n; i++)
		beside += cores.of[which[i]].n_beside > 0;
	cr_expect(n > 0 && n < cores.n, "%zu of %zu", n, cores.n);
	cr_expect(gt(sz, beside, 0));
	node_group_free(&all);
	free(which);
	hub_cores_free(&cores);
	machine_close(&m);
}
