/*
 * Operations on weighted trees: re-rooting, centres, conversion of fractional packings into integer weights (exactly
 * where the fractions are simple, otherwise tree by tree or by rounding), and the rate recomputed from loads.
 */

#include "synth/trees/weighted_trees.h"

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/network.h"
#include "synth/trees/packing.h"

#include <math.h>
#include <stdlib.h>

void trees_free(struct trees *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->of[i].parent);
	free(s->of);
	*s = (struct trees){0};
}

static void measure(struct tree *t, int nodes)
{
	t->depth = 0;
	for (int v = 0; v < nodes; v++) {
		int depth = 0;
		for (int u = v; t->parent[u] >= 0; u = t->parent[u])
			depth++;
		t->depth = depth > t->depth ? depth : t->depth;
		if (t->parent[v] < 0)
			t->root = v;
	}
}

void trees_add(struct trees *s, const int *parent, int64_t weight)
{
	s->of = grown(s->of, &s->capacity, s->n + 1, sizeof *s->of);
	struct tree *t = &s->of[s->n++];
	*t = (struct tree){.weight = weight, .parent = copy_bytes(parent, (size_t)s->nodes * sizeof *parent)};
	measure(t, s->nodes);
}

int64_t trees_weight(const struct trees *s)
{
	int64_t sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += s->of[i].weight;
	return sum;
}

int trees_depth(const struct trees *s)
{
	int depth = 0;

	for (size_t i = 0; i < s->n; i++)
		depth = s->of[i].depth > depth ? s->of[i].depth : depth;
	return depth;
}

void trees_turn(struct tree *t, int nodes, int root)
{
	for (int v = root, above = -1; v >= 0;) {
		int next = t->parent[v];
		t->parent[v] = above;
		above = v;
		v = next;
	}
	measure(t, nodes);
}

/* The deepest node, of several the least. */
static int deepest(const struct tree *t, int nodes)
{
	int at = t->root, most = 0;

	for (int v = 0; v < nodes; v++) {
		int depth = 0;
		for (int u = v; t->parent[u] >= 0; u = t->parent[u])
			depth++;
		at = depth > most ? v : at;
		most = depth > most ? depth : most;
	}
	return at;
}

/*
 * The middle of a longest path, of which a deepest node is one end and the node farthest from that the other. The
 * present root is kept where no other is better.
 */
int trees_centre(const struct tree *t, int nodes)
{
	struct tree turned = {.parent = copy_bytes(t->parent, (size_t)nodes * sizeof *t->parent)};

	measure(&turned, nodes);
	int depth = turned.depth;
	trees_turn(&turned, nodes, deepest(&turned, nodes));
	int v = deepest(&turned, nodes);
	for (int hops = turned.depth / 2; hops > 0; hops--)
		v = turned.parent[v];
	trees_turn(&turned, nodes, v);
	free(turned.parent);
	if (turned.depth < depth)
		return v;
	for (v = 0; t->parent[v] >= 0;)
		v = t->parent[v];
	return v;
}

void trees_turn_to_centres(struct trees *s)
{
	for (size_t i = 0; i < s->n; i++)
		trees_turn(&s->of[i], s->nodes, trees_centre(&s->of[i], s->nodes));
}

struct rational rate_near(double x)
{
	int64_t den = common_denominator(&x, 1, 1 << 12, 1e-6);

	return rational(llround(x * (double)den), den);
}

bool trees_of_packing(const struct packing *p, struct trees *out)
{
	double *weights = new_array(double, p->n);
	int64_t d = 0;

	for (size_t i = 0; i < p->n; i++)
		weights[i] = p->of[i].weight;
	int64_t parts = common_denominator(weights, p->n, 1 << 14, 1e-5);
	free(weights);
	*out = (struct trees){.nodes = p->network->nodes};
	for (size_t i = 0; i < p->n && parts; i++) {
		int64_t weight = llround(p->of[i].weight * (double)parts);
		if (weight > 0)
			trees_add(out, p->of[i].parent, weight);
		d = common_divisor(d, weight);
	}
	for (size_t i = 0; i < out->n; i++)
		out->of[i].weight /= d > 0 ? d : 1;
	return out->n > 0;
}

/* Integer weights by taking one tree after the other. */
static bool peeled(struct packing *p, struct rational rate, struct trees *out)
{
	return rational_ok(rate) && packing_whole(p, rate) && trees_of_packing(p, out);
}

/*
 * The candidates' weights rounded: the least sum that comes within a hundredth of the rate, or the best of all small
 * sums.
 */
static struct trees rounded(const struct packing *p, double rate)
{
	enum { SUM_MAX = 1 << 9 };
	struct trees best = {.nodes = p->network->nodes};

	for (int sum = 1; sum <= SUM_MAX && !(best.n && rational_double(trees_rate(&best, p->network, p->root < 0)) > 0.99 * rate); sum++) {
		struct trees now = {.nodes = p->network->nodes};
		for (size_t i = 0; i < p->n; i++)
			if (llround(p->of[i].weight / rate * sum) > 0)
				trees_add(&now, p->of[i].parent, llround(p->of[i].weight / rate * sum));
		bool better = now.n && (!best.n || rational_compare(trees_rate(&now, p->network, p->root < 0),
								     trees_rate(&best, p->network, p->root < 0)) > 0);
		trees_free(better ? &best : &now);
		best = better ? now : best;
	}
	return best;
}

bool trees_fewest(struct packing *p, double rate, bool one_by_one, struct trees *out)
{
	enum { WEIGHT_MAX = 1 << 10, TIMES_MAX = 8 };
	struct rational exact = rate_near(rate);
	struct trees more = {0};

	*out = (struct trees){.nodes = p->network->nodes};
	if (packing_fewest(p, rate))
		trees_of_packing(p, out);
	if (out->n && rational_ok(exact) && trees_weight(out) <= TIMES_MAX * exact.num)
		return true;
	if (one_by_one && peeled(p, exact, &more) && (out->n == 0 || trees_weight(&more) < trees_weight(out))) {
		trees_free(out);
		*out = more;
	} else
		trees_free(&more);
	if (out->n && trees_weight(out) > WEIGHT_MAX)
		trees_free(out);
	return out->n > 0;
}

bool trees_near(struct packing *p, double rate, struct trees *out)
{
	*out = (struct trees){.nodes = p->network->nodes};
	return packing_best(p, NULL) > 0 && trees_rounded(p, rate, out);
}

bool trees_rounded(const struct packing *p, double rate, struct trees *out)
{
	*out = rounded(p, rate);
	return out->n > 0;
}

int64_t *trees_loads(const struct trees *s, const struct network *w, bool up)
{
	int64_t *loads = new_array(int64_t, w->n_edges + w->n_limits);

	for (size_t i = 0; i < s->n; i++)
		for (int v = 0; v < s->nodes; v++) {
			int above = s->of[i].parent[v];
			if (above >= 0)
				loads[network_edge(w, above, v)] += s->of[i].weight;
			if (above >= 0 && up)
				loads[network_edge(w, v, above)] += s->of[i].weight;
		}
	for (size_t l = 0; l < w->n_limits; l++)
		for (size_t k = 0; k < w->limits[l].n_edges; k++)
			loads[w->n_edges + l] += loads[w->limits[l].edges[k]];
	return loads;
}

struct rational trees_rate(const struct trees *s, const struct network *w, bool up)
{
	int64_t *loads = trees_loads(s, w, up);
	struct rational most = rational(0, 1);

	for (size_t i = 0; i < w->n_edges + w->n_limits; i++) {
		int width = i < w->n_edges ? w->edges[i].bandwidth : w->limits[i - w->n_edges].bandwidth;
		struct rational need = rational(loads[i], width);
		most = rational_compare(need, most) > 0 ? need : most;
	}
	free(loads);
	return rational_div(rational(trees_weight(s), 1), most);
}

void trees_report(const struct trees *s, struct text *into)
{
	enum { EDGES_MAX = 1 << 13 };
	bool all = (int64_t)s->n * s->nodes <= EDGES_MAX;

	for (size_t i = 0; i < s->n; i++) {
		const struct tree *t = &s->of[i];
		text_add(into, "  %lld x root %d, depth %d%s", (long long)t->weight, t->root, t->depth, all ? ":" : "");
		for (int v = 0; v < s->nodes && all; v++)
			if (t->parent[v] >= 0)
				text_add(into, " %d>%d", t->parent[v], v);
		text_add(into, "\n");
	}
}
