/*
 * Recursive bisection (Kernighan and Lin, 1970): a cluster starts from a random half, and pairs are exchanged as long
 * as a sequence of exchanges lowers the weight between the halves. The root is joined to the node of the other half
 * that it has the heaviest link to, and both halves recurse. A half without such a link is drawn again, within a total
 * number of tries. The generator's seed is fixed.
 */

#include "synth/trees/halving_trees.h"

#include "core/base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct clusters {
	int nodes;
	const double *weights;
	int *parent;
	int tries;        /* bisections that may still be tried */
	uint64_t chance;
};

static double between(const struct clusters *c, int a, int b)
{
	return c->weights[a * c->nodes + b];
}

static int below(struct clusters *c, int n)
{
	c->chance ^= c->chance << 13;
	c->chance ^= c->chance >> 7;
	c->chance ^= c->chance << 17;
	return (int)(c->chance >> 33) % n;
}

static void shuffle(struct clusters *c, int *list, int n)
{
	for (int i = n - 1; i > 0; i--) {
		int k = below(c, i + 1), was = list[i];
		list[i] = list[k];
		list[k] = was;
	}
}

/*
 * By how much the weight between the halves falls if places A and B change sides; the first HALF places are one side.
 */
static double gain(const struct clusters *c, const int *list, int n, int half, int a, int b)
{
	double sum = -2 * between(c, list[a], list[b]);

	for (int i = 0; i < n; i++) {
		double sign = i < half ? -1 : 1; /* as seen from A */
		sum += i == a ? 0 : sign * between(c, list[a], list[i]);
		sum -= i == b ? 0 : sign * between(c, list[b], list[i]);
	}
	return sum;
}

static void swap(int *list, int a, int b)
{
	int was = list[a];
	list[a] = list[b];
	list[b] = was;
}

/* The best exchange of two places that have not moved yet; false: none is left. */
static bool best_exchange(const struct clusters *c, const int *list, int n, int half, const bool *moved, int *a, int *b, double *most)
{
	*a = -1;
	for (int i = 0; i < half; i++)
		for (int k = half; k < n; k++) {
			if (moved[i] || moved[k])
				continue;
			double g = gain(c, list, n, half, i, k);
			if (*a < 0 || g > *most) {
				*a = i;
				*b = k;
				*most = g;
			}
		}
	return *a >= 0;
}

/*
 * One pass: all exchanges one after the other, gain or loss, of which the most profitable prefix is kept. False: no
 * gain.
 */
static bool improve(const struct clusters *c, int *list, int n, int half)
{
	int *best = copy_bytes(list, (size_t)n * sizeof *best), a, b;
	bool *moved = new_array(bool, (size_t)n);
	double sum = 0, most = 1e-9, g;

	bool better = false;
	while (best_exchange(c, list, n, half, moved, &a, &b, &g)) {
		swap(list, a, b);
		moved[a] = moved[b] = true;
		sum += g;
		if (sum > most) {
			most = sum;
			better = true;
			memcpy(best, list, (size_t)n * sizeof *best);
		}
	}
	memcpy(list, best, (size_t)n * sizeof *best);
	free(best);
	free(moved);
	return better;
}

/* The place from FROM up to TO that the root has its heaviest link to; -1: it has none. */
static int heaviest(const struct clusters *c, const int *list, int from, int to, int root)
{
	int at = -1;

	for (int i = from; i < to; i++)
		if (between(c, root, list[i]) > (at < 0 ? 0 : between(c, root, list[at])))
			at = i;
	return at;
}

static bool grow(struct clusters *c, int *list, int n, int root);

static bool grow_halves(struct clusters *c, int *list, int n, int root)
{
	int half = n / 2;
	bool in_first = false;

	shuffle(c, list, n);
	while (improve(c, list, n, half))
		;
	for (int i = 0; i < half; i++)
		in_first |= list[i] == root;
	int at = in_first ? heaviest(c, list, half, n, root) : heaviest(c, list, 0, half, root);
	if (at < 0)
		return false;
	int other = list[at];
	c->parent[other] = root;
	return grow(c, list, half, in_first ? root : other) && grow(c, list + half, n - half, in_first ? other : root);
}

static bool grow(struct clusters *c, int *list, int n, int root)
{
	while (n > 1 && c->tries > 0) {
		c->tries--;
		if (grow_halves(c, list, n, root))
			return true;
	}
	return n == 1;
}

bool halving_by_clusters(int nodes, int root, const double *weights, int *parent)
{
	enum { TRIES_A_NODE = 10 };
	struct clusters c = {nodes, weights, parent, TRIES_A_NODE * nodes, 0x9e3779b97f4a7c15};
	int *list = new_array(int, (size_t)nodes);

	for (int v = 0; v < nodes; v++)
		list[v] = v;
	parent[root] = -1;
	bool ok = grow(&c, list, nodes, root);
	free(list);
	return ok;
}
