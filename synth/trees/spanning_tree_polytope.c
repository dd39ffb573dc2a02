/*
 * `linear-program` (Wang, Li, Liberty, Smola: Optimal message scheduling for aggregation, SysML 2018): the least time
 * to send all gradients once over spanning trees, where a link takes one unit of time for all of them. That is C(G),
 * the optimum of a linear program over the spanning-tree polytope, and the reciprocal of the graph's strength
 * (Nash-Williams, Tutte). Where links alone bind, the strength is computed exactly and a partition proves it; over
 * routes, column generation with minimum spanning trees finds it and prices prove it in integers; beyond
 * PROGRAM_NODES_MAX nodes over routes it is approximated. An allreduce goes up and down trees of that rate: shallow
 * ones over links, the fewest found over routes.
 */

#include "synth/builder/rows.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "synth/trees/undirected_trees.h"
#include "synth/trees/packing.h"
#include "synth/trees/shared_links.h"
#include "synth/trees/strength.h"
#include "synth/trees/tree_proof.h"
#include "synth/trees/tree_schedule.h"
#include "synth/trees/weighted_trees.h"

#include <stdlib.h>

static void report_partition(const struct method_request *r, const int *part, int parts, struct rational bound)
{
	char text[RATIONAL_TEXT];

	bool each = parts == r->network->nodes && parts > 16;

	text_add(r->report, "no trees do better: %d parts%s", parts, each ? " of a node each" : "");
	for (int k = 0; k < parts && !each; k++) {
		text_add(r->report, "%s{", k ? ", " : " ");
		for (int v = 0, n = 0; v < r->network->nodes; v++)
			if (part[v] == k)
				text_add(r->report, "%s%d", n++ ? " " : "", v);
		text_add(r->report, "}");
	}
	text_add(r->report, ", %s of the links that join them\n", rational_text(rational_div(rational(1, 1), bound), text));
}

/* The rate was found in floating point; prices in integers may prove it. */
static void report_prices(const struct method_request *r, const struct packing *p, const double *lengths, struct rational rate)
{
	struct rational bound = price_bound(p, lengths);

	text_add(r->report, rational_ok(bound) && rational_compare(bound, rate) == 0
				    ? "no trees do better: by prices of links, in whole numbers\n"
				    : "no trees do better: shown only in floating point\n");
}

/*
 * Bounds on C(G): on average a link carries (P - 1) / links of what the trees carry; every tree crosses each cut; and
 * every part of a partition is left by a cut, where each link belongs to two of these cuts.
 */
static void report_bounds(const struct method_request *r, const struct packing *p)
{
	int64_t links = 0, cut = least_cut(p), nodes = r->network->nodes;
	size_t n;
	struct joint *joints = joints_of(r->network, &n);
	char low[RATIONAL_TEXT], by_cut[RATIONAL_TEXT], high[RATIONAL_TEXT];

	for (size_t i = 0; i < n; i++)
		links += joints[i].width;
	free(joints);
	text_add(r->report, "bounds: at least %s by all links and %s by the least cut, at most %s\n",
		 rational_text(rational(nodes - 1, links), low), rational_text(rational(1, cut), by_cut),
		 rational_text(rational(2 * (nodes - 1), nodes * cut), high));
}

/* The width of the narrowest link of a spanning tree that has it as wide as can be (Prim): the best tree by itself. */
static int64_t widest_tree(int nodes, const struct joint *joints, size_t n)
{
	bool *in = new_array(bool, (size_t)nodes);
	int64_t narrowest = INT64_MAX;

	in[0] = true;
	for (int added = 1; added < nodes; added++) {
		const struct joint *widest = NULL;
		for (size_t i = 0; i < n; i++)
			if (in[joints[i].a] != in[joints[i].b] && (!widest || joints[i].width > widest->width))
				widest = &joints[i];
		if (!widest)
			break;
		in[widest->a] = in[widest->b] = true;
		narrowest = widest->width < narrowest ? widest->width : narrowest;
	}
	free(in);
	return narrowest;
}

/* Lemma 2.1 where links alone bind: a link of width b takes c_e = 1/b for all data. */
static void report_lemma(const struct method_request *r, struct rational exact)
{
	int64_t links = 0, narrowest = INT64_MAX;
	size_t n;
	struct joint *joints = joints_of(r->network, &n);
	char text[4][RATIONAL_TEXT];

	for (size_t i = 0; i < n; i++) {
		links += joints[i].width;
		narrowest = joints[i].width < narrowest ? joints[i].width : narrowest;
	}
	text_add(r->report, "lemma 2.1: the slowest link %s >= the best single tree %s >= C(G) %s >= all links %s\n",
		 rational_text(rational(1, narrowest), text[0]), rational_text(rational(1, widest_tree(r->network->nodes, joints, n)), text[1]),
		 rational_text(rational_div(rational(1, 1), exact), text[2]), rational_text(rational(r->network->nodes - 1, links), text[3]));
	free(joints);
}

/* A pair joined through switches is not a link; the links of its route are limits. */
static bool is_link(const struct method_request *r, size_t row)
{
	const struct network *w = r->network;
	return row >= w->n_edges || topology_link(r->topology, w->edges[row].src, w->edges[row].dst);
}

/* How many links, counted per direction, are busy for which fraction of the time. */
static void report_use(const struct method_request *r, const struct packing *p, const struct trees *s, struct rational rate)
{
	int64_t *loads = trees_loads(s, r->network, true), whole = trees_weight(s) * rate.den;
	struct rational last = rational(2, 1);
	char text[RATIONAL_TEXT];

	text_add(r->report, "use of links:");
	for (bool more = true, first = true; more; first = false) {
		struct rational next = rational(-1, 1);
		int n = 0;
		for (size_t row = 0; row < p->n_rows; row++) {
			struct rational use = rational_div(rational(loads[row] * rate.num, whole), rational(p->width[row], 1));
			if (!is_link(r, row) || rational_compare(use, last) >= 0 || rational_compare(use, next) < 0)
				continue;
			n = rational_compare(use, next) > 0 ? 1 : n + 1;
			next = use;
		}
		more = n > 0;
		if (more)
			text_add(r->report, "%s %d at %s", first ? "" : ",", n, rational_text(next, text));
		last = next;
	}
	text_add(r->report, "\n");
	free(loads);
}

static bool has_no_tree(struct error *e)
{
	return error_set(e, ERROR_INPUT, "linear-program", "needs links in both directions: no tree reaches all nodes up and down");
}

static void report_rate(const struct method_request *r, const struct trees *s, struct rational exact)
{
	struct rational rate = trees_rate(s, r->network, true);
	char text[RATIONAL_TEXT], seconds[RATIONAL_TEXT];

	text_add(r->report, "C(G) = %s, %zu tree%s of weight %lld in total, rate %s\n",
		 rational_text(rational_div(rational(1, 1), exact), seconds), s->n, plural((int64_t)s->n), (long long)trees_weight(s),
		 rational_text(rate, text));
	if (rational_compare(rate, exact) < 0)
		text_add(r->report, "these come near: no trees of small integral weights were found that reach 1/C(G)\n");
}

/* The fewer of those that an integer program chooses and those that share links. */
static bool few_trees(const struct method_request *r, struct packing *p, struct rational rate, struct trees *out)
{
	struct trees sharing = {.nodes = out->nodes};
	bool found = trees_fewest(p, rational_double(rate), true, out);

	if (trees_sharing_links(r->network, rate, found ? out->n : SIZE_MAX, &sharing)) {
		trees_free(out);
		*out = sharing;
		found = true;
	}
	if (found)
		trees_turn_to_centres(out);
	return found;
}

/* Only links bind: the strength of the graph. */
static bool trees_over_links(const struct method_request *r, struct packing *p, struct trees *out, struct error *e)
{
	int *part = new_array(int, (size_t)out->nodes), parts;
	size_t n;
	struct joint *joints = joints_of(r->network, &n);
	struct rational exact = strength(out->nodes, joints, n, part, &parts);
	bool ok = exact.num > 0 || has_no_tree(e);
	bool few = ok && r->options.fewest && few_trees(r, p, exact, out);

	ok = ok && (few || undirected_trees(r, exact, "linear-program", out, e));

	if (ok) {
		report_rate(r, out, exact);
		report_partition(r, part, parts, exact);
		report_bounds(r, p);
		report_lemma(r, exact);
	}
	free(part);
	free(joints);
	return ok;
}

/* Where the linear program would take minutes: approximated by multiplicative weights. */
static bool trees_about(const struct method_request *r, struct packing *p, struct trees *out, struct error *e)
{
	static const double epsilon = 0.03;
	char text[RATIONAL_TEXT];
	double most, rate = packing_approximate(p, epsilon, &most);

	if (!(rate > 0))
		return has_no_tree(e);
	if (!trees_rounded(p, rate, out))
		return error_set(e, ERROR_LIMIT, "linear-program", "found no trees of small integral weights at the rate %.6g", rate);
	struct rational exact = trees_rate(out, r->network, true);
	trees_turn_to_centres(out);
	text_add(r->report, "%d nodes are too many for the linear program: multiplicative weights\n", out->nodes);
	text_add(r->report, "C(G) is from %.6g to %s, %zu tree%s of weight %lld in total\n", 1 / most,
		 rational_text(rational_div(rational(1, 1), exact), text), out->n, plural((int64_t)out->n), (long long)trees_weight(out));
	return true;
}

/* Limits bind several pairs, as through switches. */
static bool trees_over_routes(const struct method_request *r, struct packing *p, struct trees *out, struct error *e)
{
	double *lengths = new_array(double, p->n_rows), best = packing_best(p, lengths);

	if (best > 0)
		packing_spare(p, best);
	bool ok = best > 0 && (trees_fewest(p, best, true, out) || trees_near(p, best, out));
	if (ok) {
		struct rational exact = rate_near(best);
		exact = rational_ok(exact) ? exact : trees_rate(out, r->network, true);
		trees_turn_to_centres(out);
		report_rate(r, out, exact);
		p->frugal = false;
		report_prices(r, p, lengths, exact);
	} else if (best > 0)
		error_set(e, ERROR_LIMIT, "linear-program", "found no trees of small integral weights at the rate %.6g", best);
	else
		has_no_tree(e);
	free(lengths);
	return ok;
}

enum { PROGRAM_NODES_MAX = 64 };

bool linear_program_construct(const struct method_request *r, struct construction *out, struct error *e)
{
	struct packing p;
	struct trees s = {.nodes = r->network->nodes};

	if (!packing_new(r->network, -1, "linear-program", &p, e))
		return false;
	bool large = r->network->nodes > PROGRAM_NODES_MAX;
	bool ok = (!r->network->n_limits ? trees_over_links : large ? trees_about : trees_over_routes)(r, &p, &s, e);
	if (ok) {
		report_use(r, &p, &s, trees_rate(&s, r->network, true));
		trees_report(&s, r->report);
		ok = trees_construct(r, &s, "linear-program", out, e);
	}
	trees_free(&s);
	packing_free(&p);
	return ok;
}
