/*
 * `blink`: TreeGen (Wang et al., MLSys 2020). Arborescences out of the root are packed by multiplicative weights; an
 * integer program selects as many of them as can have weight 1. Where these fall short of the cut, weights are relaxed,
 * here to whatever the fewest trees that reach the cut need. A reduce runs the trees of a broadcast backwards; an
 * allreduce goes up and down undirected trees, since links are duplex. On a single switch each node is the root of a
 * one-hop tree for its part of the chunks (section 3.5); over boxes on a switch an allreduce has three phases
 * (hierarchical_trees.h).
 */

#include "synth/builder/rows.h"

#include "core/bounds/bounds.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "synth/trees/hierarchical_trees.h"
#include "synth/trees/undirected_trees.h"
#include "synth/trees/packing.h"
#include "synth/trees/strength.h"
#include "synth/trees/depth_reduction.h"
#include "synth/trees/tree_schedule.h"
#include "synth/trees/weighted_trees.h"
#include "synth/trees/forest.h"

#include <math.h>
#include <stdlib.h>

static const double default_epsilon = 0.03;

/*
 * Chunks per round that the cut lets through; for an allreduce the partition. A gather is bounded as a reduce, whose
 * trees it uses.
 */
static bool find_cut(const struct method_request *r, struct rational *cut, struct error *e)
{
	static const enum collective_kind alike[COLLECTIVE_KINDS] = {[BROADCAST] = BROADCAST, [GATHER] = REDUCE, [ALLREDUCE] = ALLREDUCE};
	struct collective k = {.kind = alike[r->collective.kind], .root = r->collective.root};
	struct bounds b;
	bool ok = bounds_compute(r->topology, &k, &b, e);

	if (ok) {
		*cut = rational_div(rational(1, 1), b.bandwidth);
		bounds_free(&b);
	}
	return ok;
}

static void report_rate(struct text *report, double rate, double cut)
{
	if (rate > cut * (1 - 1e-9))
		text_add(report, "rate %.6g, the cut's\n", rate);
	else
		text_add(report, "rate %.6g, %.1f %% below the cut's\n", rate, 100 * (1 - rate / cut));
}

/* The candidates that have weight: how many, and the paper's way to say how little some of them carry. */
static void report_weights(const struct method_request *r, const struct packing *p, double epsilon, double rate, double cut)
{
	size_t n = 0;
	double least = INFINITY, most = 0;

	for (size_t i = 0; i < p->n; i++)
		if (p->of[i].weight > 0) {
			n++;
			least = fmin(least, p->of[i].weight);
			most = fmax(most, p->of[i].weight);
		}
	text_add(r->report, "multiplicative weights, epsilon %g: %zu tree%s, ", epsilon, n, plural((int64_t)n));
	report_rate(r->report, rate, cut);
	text_add(r->report, "their weights: %.3g to %.3g; of 1000 MB a tree carries %.3g to %.3g MB\n", least, most, 1000 * least / rate,
		 1000 * most / rate);
}

static const double blinks_threshold = 0.05;

/*
 * Section 3.2.1: Blink accepts a rate within 5 % of the cut; this method goes on to the cut unless --threshold is
 * given.
 */
static void report_ones(const struct method_request *r, int ones, double cut)
{
	const char *then = ones < cut * (1 - blinks_threshold) ? ": weights are relaxed" : ": near enough for Blink; weights are relaxed nevertheless";

	text_add(r->report, "integer program over them: %d of weight 1, ", ones);
	if (ones >= cut * (1 - 1e-9))
		text_add(r->report, "the cut's rate\n");
	else
		text_add(r->report, "%.1f %% below the cut%s\n", 100 * (1 - ones / cut), r->options.threshold > 0 ? "" : then);
}

/*
 * Edmonds' packing as grown by ForestColl (synth/trees/forest.h): exact and integral. Empty where routes allow less
 * than links.
 */
static struct trees grown_trees(const struct method_request *r, const struct network *w)
{
	bool gather = r->collective.kind == GATHER;
	struct topology *t = gather ? topology_reversed(r->topology) : topology_copy(r->topology);
	struct trees s = {.nodes = w->nodes};
	struct forest f = {0};
	struct error none = {0};

	if (forest_new(t, r->collective.root, &f, &none)) {
		s = f.trees;
		f.trees = (struct trees){0};
		forest_free(&f);
	}
	topology_free(t);
	return s;
}

/*
 * Takes ownership of both. Returns B if it reaches the rate with fewer trees, or with as many of less weight; otherwise
 * A.
 */
static struct trees fewer(struct trees a, struct trees b, const struct network *w, double rate)
{
	bool fits = b.n && rational_double(trees_rate(&b, w, false)) > rate * (1 - 1e-9);
	bool first = !fits || (a.n && (a.n != b.n ? a.n < b.n : trees_weight(&a) <= trees_weight(&b)));

	trees_free(first ? &b : &a);
	return first ? a : b;
}

/* The highest rate of any trees. Where links alone bind that is the strength or, by Edmonds' theorem, the cut. */
static double best_rate(struct packing *p, struct rational cut, struct rational *exact)
{
	int *part = new_array(int, (size_t)p->network->nodes), parts;
	size_t n;
	struct joint *joints = joints_of(p->network, &n);
	bool links = p->network->n_limits == 0;

	if (links)
		*exact = p->root < 0 ? strength(p->network->nodes, joints, n, part, &parts) : cut;
	double rate = links ? rational_double(*exact) : packing_best(p, NULL);
	free(part);
	free(joints);
	if (!links)
		packing_spare(p, rate);
	return rate;
}

/*
 * Undirected trees over links are chosen shallow, as their pipeline fills from all ends at once; arborescences few, or
 * those of Edmonds' packing where few trees exist only in fractions, or the machine is large.
 */
static bool choose(const struct method_request *r, struct packing *p, double rate, struct rational exact, struct trees *out)
{
	enum { FEW_NODES = 64 };
	struct error none = {0};

	if (p->root < 0 && p->network->n_limits == 0)
		return undirected_trees(r, exact, "blink", out, &none);
	if (p->root < 0 || p->network->nodes <= FEW_NODES)
		trees_fewest(p, rate, p->root < 0, out);
	if (p->root >= 0)
		*out = fewer(*out, grown_trees(r, p->network), p->network, rate);
	if (out->n && p->network->n_limits == 0)
		trees_reduce_depth(p->network, true, rational_div(rational(trees_weight(out), 1), trees_rate(out, p->network, false)), out);
	return out->n > 0 || trees_near(p, rate, out);
}

/*
 * The simplest trees within the threshold of the optimum: those of weight 1, otherwise of the coarsest fractions. *OUT
 * has the trees of the integer program at first. False: none are near enough, go on to the cut.
 */
static bool near_enough(const struct method_request *r, struct packing *p, double rate, struct trees *out)
{
	double threshold = r->options.threshold;

	if (!(threshold > 0))
		return false;
	text_add(r->report, "within %g %% of the optimum: ", 100 * threshold);
	if ((double)trees_weight(out) >= (1 - threshold) * rate - 1e-9) {
		text_add(r->report, "weights stay 1\n");
		return true;
	}
	trees_free(out);
	int parts = packing_parts(p, rate, threshold);
	if (parts)
		text_add(r->report, "weights are multiples of 1/%d\n", parts);
	else
		text_add(r->report, "no simple weights; continuing to the cut\n");
	return parts && trees_of_packing(p, out);
}

enum { CANDIDATES_MAX = 256 };

static bool pack(const struct method_request *r, struct packing *p, struct rational bound, struct trees *out, struct error *e)
{
	struct rational exact = {0};
	double most, cut = rational_double(bound), epsilon = r->options.epsilon > 0 ? r->options.epsilon : default_epsilon;
	double rate = packing_approximate(p, epsilon, &most);

	if (!(rate > 0))
		return error_set(e, ERROR_INPUT, "blink", "needs links in both directions: no tree reaches all nodes up and down");
	report_weights(r, p, epsilon, rate, cut);
	packing_keep(p, CANDIDATES_MAX);
	report_ones(r, packing_ones(p, most), cut);
	trees_of_packing(p, out);
	rate = best_rate(p, bound, &exact);
	if (rate > 0 && near_enough(r, p, rate, out))
		return true;
	trees_free(out);
	if (rate <= 0)
		return error_set(e, ERROR_LIMIT, "blink", "found no rate in time");
	return choose(r, p, rate, exact, out) ||
	       error_set(e, ERROR_LIMIT, "blink", "found no trees of small integral weights at the rate %.6g", rate);
}

static void report_trees(const struct method_request *r, const struct trees *s, struct rational rate, struct rational cut)
{
	char text[RATIONAL_TEXT], of[RATIONAL_TEXT];

	text_add(r->report, "%zu tree%s of weight %lld in total, rate %s of the cut's %s\n", s->n, plural((int64_t)s->n), (long long)trees_weight(s),
		 rational_text(rate, text), rational_text(cut, of));
	trees_report(s, r->report);
}

static bool packed_trees(const struct method_request *r, const struct network *w, struct trees *out, struct error *e)
{
	struct packing p;
	bool up_and_down = r->collective.kind == ALLREDUCE;
	struct rational cut;
	bool ok = find_cut(r, &cut, e) && packing_new(w, up_and_down ? -1 : r->collective.root, "blink", &p, e);

	if (!ok)
		return false;
	ok = pack(r, &p, cut, out, e);
	if (ok && up_and_down)
		trees_turn_to_centres(out);
	if (ok)
		report_trees(r, out, trees_rate(out, w, up_and_down), cut);
	packing_free(&p);
	return ok;
}

/* A single switch that links all nodes at equal bandwidth, and no other link. */
static bool is_one_switch(const struct topology *t)
{
	if (t->switches != 1 || t->n_links != 2 * (size_t)t->nodes)
		return false;
	for (size_t i = 0; i < t->n_links; i++)
		if ((t->links[i].src < t->nodes && t->links[i].dst < t->nodes) || t->links[i].bandwidth != t->links[0].bandwidth)
			return false;
	return true;
}

static struct trees one_hop_trees(int nodes)
{
	struct trees s = {.nodes = nodes};
	int *parent = new_array(int, (size_t)nodes);

	for (int root = 0; root < nodes; root++) {
		for (int v = 0; v < nodes; v++)
			parent[v] = v == root ? -1 : root;
		trees_add(&s, parent, 1);
	}
	free(parent);
	return s;
}

/* Inside the boxes the trees of a single one; between boxes over the switch. */
static bool construct_hierarchical_trees(const struct method_request *r, const struct topology *one, int boxes, struct trees *out, struct error *e)
{
	struct method_request inside = *r;
	struct network *w = network_new(one, e);
	struct trees trees = {0};
	char text[RATIONAL_TEXT];

	inside.topology = one;
	inside.network = w;
	text_add(r->report, "three phases over %d boxes; trees within one:\n", boxes);
	bool ok = w && packed_trees(&inside, w, &trees, e);
	if (ok) {
		*out = hierarchical_trees(&trees, boxes);
		text_add(r->report, "each is hung from each node of each box in turn: %zu trees in total, rate %s\n", out->n,
			 rational_text(trees_rate(out, r->network, true), text));
	}
	trees_free(&trees);
	network_free(w);
	return ok;
}

static bool find_trees(const struct method_request *r, const struct network *w, struct trees *out, struct error *e)
{
	struct topology *one;
	int boxes;

	*out = (struct trees){0};
	if (r->collective.kind == ALLREDUCE && is_one_switch(r->topology)) {
		*out = one_hop_trees(w->nodes);
		text_add(r->report, "one switch: a one-hop tree of each node, for its share\n");
		return true;
	}
	if (r->collective.kind == ALLREDUCE && boxes_found(r->topology, &one, &boxes)) {
		bool ok = construct_hierarchical_trees(r, one, boxes, out, e);
		topology_free(one);
		return ok;
	}
	return packed_trees(r, w, out, e);
}

/* Every tree from every node, sorted by root; where each node has a tree of its own, that one alone. */
static struct trees from_all_nodes(const struct trees *s, bool of_its_own)
{
	struct trees all = {.nodes = s->nodes};

	for (int v = 0; v < s->nodes; v++)
		for (size_t i = 0; i < s->n; i++) {
			if (of_its_own && s->of[i].root != v)
				continue;
			trees_add(&all, s->of[i].parent, s->of[i].weight);
			trees_turn(&all.of[all.n - 1], s->nodes, v);
		}
	return all;
}

/* Has an allreduce three phases here? */
static bool is_boxes(const struct topology *t)
{
	struct topology *one;
	int boxes;
	bool found = boxes_found(t, &one, &boxes);

	if (found)
		topology_free(one);
	return found;
}

/*
 * "AllReduce without using a reduction function" (section 4.1): what a node has spreads over the allreduce's trees, its chunks
 * divided by weight.
 */
static bool construct_allgather(const struct method_request *r, struct construction *out, struct error *e)
{
	enum { ENOUGH = 8, THROUGH_SWITCHES = 8 }; /* beyond that many nodes the packing takes minutes, and others are better */
	struct method_request as_allreduce = *r;
	struct trees s;

	if (r->network->n_limits && r->network->nodes > THROUGH_SWITCHES && !is_one_switch(r->topology) && !is_boxes(r->topology))
		return error_set(e, ERROR_INPUT, "blink", "serves an allgather through several switches up to %d nodes", THROUGH_SWITCHES);
	as_allreduce.collective = (struct collective){.kind = ALLREDUCE};
	if (!find_trees(&as_allreduce, r->network, &s, e)) {
		trees_free(&s);
		return false;
	}
	struct trees all = from_all_nodes(&s, is_one_switch(r->topology));
	int64_t each = trees_weight(&all) / s.nodes, waves = r->options.chunks ? r->options.chunks / each : (ENOUGH + each - 1) / each;
	bool ok = !r->options.chunks || r->options.chunks % each == 0 ||
		  error_set(e, ERROR_INPUT, "blink", "needs a multiple of %lld chunks here, the weight of its trees", (long long)each);
	const struct tree_plan plan = {.kind = ALLGATHER, .waves = (int)waves};
	*out = (struct construction){.chunks = (int)(waves * each)};
	ok = ok && trees_schedule(r->network, &all, &plan, "blink", &out->steps, &out->n_steps, e);
	trees_free(&all);
	trees_free(&s);
	return ok;
}

bool blink_construct(const struct method_request *r, struct construction *out, struct error *e)
{
	if (r->collective.kind == ALLGATHER)
		return construct_allgather(r, out, e);
	struct network *back = r->collective.kind == GATHER ? network_reversed(r->network) : NULL;
	struct trees s;
	bool ok = find_trees(r, back ? back : r->network, &s, e) && trees_construct(r, &s, "blink", out, e);

	trees_free(&s);
	network_free(back);
	return ok;
}
