/*
 * `kernighan-lin`: MXNet's trees (src/kvstore/gpu_topology.h, 2018). A link weighs 1 plus its bandwidth; a tree for
 * each node is found by clustering, or by exhaustive search where that gets stuck; links of a tree weigh 0.7 times as
 * much for the next. Small messages use the tree of node 0 (C = 1), large ones all trees in equal parts (C = P); with
 * --bytes, whichever is faster, or by a bound on the elements. Options are named after MXNet's variables.
 */

#include "synth/builder/rows.h"

#include "core/schedule/algorithm.h"
#include "core/schedule/cost.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "synth/builder/chunk_refinement.h"
#include "synth/trees/halving_trees.h"
#include "synth/trees/tree_schedule.h"
#include "synth/trees/weighted_trees.h"

#include <inttypes.h>
#include <stdlib.h>

static const double usage_penalty = 0.7;
enum { ELEMENT = 4 }; /* bytes: MXNet counts float32 */

/* Do the links of weights above 1 join all nodes? */
static bool are_joined(const double *weights, int n)
{
	bool *seen = new_array(bool, (size_t)n);
	int *queue = new_array(int, (size_t)n), head = 0, tail = 0;

	queue[tail++] = 0;
	seen[0] = true;
	for (; head < tail; head++)
		for (int v = 0; v < n; v++)
			if (!seen[v] && weights[queue[head] * n + v] > 1) {
				seen[v] = true;
				queue[tail++] = v;
			}
	free(queue);
	free(seen);
	return tail == n;
}

/* PCIe, here any route through switches, weighs 1, and is ignored where direct links join all nodes. */
static double *weigh_links(const struct method_request *r)
{
	const struct network *w = r->network;
	size_t n = (size_t)w->nodes;
	double *weights = new_array(double, n * n);

	for (size_t i = 0; i < w->n_edges; i++) {
		int a = w->edges[i].src, b = w->edges[i].dst, back = network_edge(w, b, a);
		const struct link *there = topology_link(r->topology, a, b), *again = topology_link(r->topology, b, a);
		if (back < 0)
			continue;
		bool direct = there && again;
		int units = direct ? there->bandwidth < again->bandwidth ? there->bandwidth : again->bandwidth : 0;
		weights[(size_t)a * n + (size_t)b] = 1 + units;
	}
	bool joined = are_joined(weights, w->nodes);
	for (size_t i = 0; i < n * n && joined; i++)
		weights[i] = weights[i] > 1 ? weights[i] : 0;
	return weights;
}

/* The distinct weights, ascending. */
static void report_weights(const struct method_request *r, const double *weights)
{
	size_t n = (size_t)r->network->nodes * (size_t)r->network->nodes;
	double last = 0, next;

	text_add(r->report, "links weigh");
	do {
		next = 0;
		for (size_t i = 0; i < n; i++)
			if (weights[i] > last && (next <= 0 || weights[i] < next))
				next = weights[i];
		if (next > 0)
			text_add(r->report, " %g", next);
		last = next;
	} while (next > 0);
	text_add(r->report, "\n");
}

static bool add_tree(struct trees *s, const struct method_options *o, int root, double *weights, int *parent, int *searched)
{
	int n = s->nodes;
	double penalty = o->usage_penalty > 0 ? o->usage_penalty : usage_penalty;

	if (o->backtrack || !halving_by_clusters(n, root, weights, parent)) {
		if (!halving_by_search(n, root, weights, parent))
			return false;
		++*searched;
	}
	trees_add(s, parent, 1);
	for (int v = 0; v < n; v++)
		if (v != root) {
			weights[parent[v] * n + v] *= penalty;
			weights[v * n + parent[v]] *= penalty;
		}
	return true;
}

/* Trees for roots FIRST up to, but not including, LAST. */
static bool find_trees(const struct method_request *r, int first, int last, struct trees *out, struct error *e)
{
	double *weights = weigh_links(r);
	int *parent = new_array(int, (size_t)out->nodes), searched = 0, root = first;

	report_weights(r, weights);
	while (root < last && add_tree(out, &r->options, root, weights, parent, &searched))
		root++;
	free(weights);
	free(parent);
	if (root < last)
		return error_set(e, ERROR_INPUT, "kernighan-lin", "no balanced binary tree of links was found from node %d", root);
	text_add(r->report, "%d tree%s by clustering, %d by search\n", last - first - searched, plural(last - first - searched),
		 searched);
	trees_report(out, r->report);
	return true;
}

static bool construct(const struct method_request *r, struct construction *out, struct error *e)
{
	struct trees s = {.nodes = r->network->nodes};
	bool broadcast = r->collective.kind == BROADCAST;
	struct method_request asked = *r;
	int first = broadcast ? r->collective.root : 0;

	/* MXNet does not pipeline: one chunk per tree, unless more are requested. */
	if (!asked.options.chunks)
		asked.options.chunks = broadcast ? 1 : s.nodes;
	bool one = broadcast || asked.options.chunks == 1;
	bool ok = find_trees(r, first, one ? first + 1 : s.nodes, &s, e) && trees_construct(&asked, &s, "kernighan-lin", out, e);
	trees_free(&s);
	return ok;
}

/* The algorithm over one tree or over all, with chunks refined to the width of links. */
static struct algorithm *constructed(const struct method_request *r, bool one, struct text *report, struct error *e)
{
	struct method_request asked = *r;
	struct construction d = {0};

	asked.options.chunks = one ? 1 : r->network->nodes;
	asked.report = report;
	if (!construct(&asked, &d, e))
		return NULL;
	return algorithm_refined(algorithm_new(r->topology, &r->collective, d.chunks, d.n_steps, d.steps, "kernighan-lin"), r->network);
}

/* The largest message, in bytes, for which one tree is as fast as all. 0: none; INT64_MAX: every size. */
static bool switch_over(const struct algorithm *a, const struct algorithm *b, const struct method_options *o, int64_t *out,
			struct error *e)
{
	const struct cost one = algorithm_cost(a), all = algorithm_cost(b);
	struct rational saved = rational_mul(rational(all.steps - one.steps, 1), o->alpha);
	struct rational lost = rational_mul(rational_sub(one.bandwidth, all.bandwidth), o->beta);
	struct rational none = {0, 1}, most = rational_div(saved, lost);

	if (!rational_ok(saved) || !rational_ok(lost))
		return error_set(e, ERROR_INPUT, "--alpha, --beta", "are too large or too fine to compute with");
	if (rational_compare(saved, none) < 0)
		*out = 0;
	else if (rational_compare(lost, none) <= 0 || !rational_ok(most))
		*out = INT64_MAX;
	else
		*out = rational_floor(most);
	return true;
}

static void report_switch(int64_t most, struct text *report)
{
	if (most < 1)
		text_add(report, "one tree per node for any size\n");
	else if (most == INT64_MAX)
		text_add(report, "one tree for any size\n");
	else
		text_add(report, "one tree up to %" PRId64 " byte%s, one per node beyond\n", most, plural(most));
}

static void take(struct algorithm *a, struct construction *out)
{
	*out = (struct construction){a->chunks, a->n_steps, a->steps, true};
	a->steps = NULL;
	a->n_steps = 0;
}

static bool construct_for_size(const struct method_request *r, struct construction *out, struct error *e)
{
	struct text reports[2] = {{0}, {0}};
	struct algorithm *one = constructed(r, true, &reports[0], e), *all = one ? constructed(r, false, &reports[1], e) : NULL;
	int64_t most = 0;

	bool ok = all && switch_over(one, all, &r->options, &most, e);
	if (ok && r->options.array_bound) /* elements below the bound go over one tree */
		most = r->options.array_bound > INT64_MAX / ELEMENT ? INT64_MAX - 1 : ELEMENT * r->options.array_bound - 1;
	if (ok) {
		bool is_small = r->options.bytes <= most;
		take(is_small ? one : all, out);
		text_add_bytes(r->report, reports[!is_small].bytes, reports[!is_small].length);
		report_switch(most, r->report);
	}
	algorithm_free(one);
	algorithm_free(all);
	text_free(&reports[0]);
	text_free(&reports[1]);
	return ok;
}

bool kernighan_lin_construct(const struct method_request *r, struct construction *out, struct error *e)
{
	if (!r->options.bytes && r->options.array_bound)
		return error_set(e, ERROR_INPUT, "--tree-array-bound", "requires --bytes, the size to choose for");
	if (!r->options.bytes)
		return construct(r, out, e);
	if (r->collective.kind == BROADCAST)
		return error_set(e, ERROR_INPUT, "--bytes", "only an allreduce has a tree per node; other collectives use that of their root");
	if (r->options.chunks)
		return error_set(e, ERROR_INPUT, "-C", "already sets the number of trees; omit it or --bytes");
	return construct_for_size(r, out, e);
}
