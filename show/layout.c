/*
 * Grids are found by the links alone: for some A B C = P, all links join nodes whose numbers, written in these digits,
 * differ by one in one digit, around or not. The order on a circle is one that an automorphism
 * turns; where there is none, it is improved by exchanges of two nodes as long as the links get shorter.
 */

#include "show/layout.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "core/symmetry/automorphisms.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846, pitch = 78;

/* Do A and B differ by one in exactly one digit of the bases DIMS? */
static bool are_neighbours(int a, int b, const int dims[3])
{
	int differing = 0;

	for (int d = 2; d >= 0; d--) {
		int x = a % dims[d], y = b % dims[d], gap = abs(x - y);
		a /= dims[d];
		b /= dims[d];
		if (!gap)
			continue;
		differing++;
		if (gap != 1 && gap != dims[d] - 1)
			return false;
	}
	return differing == 1;
}

static bool is_grid(const struct topology *t, const int dims[3])
{
	for (size_t i = 0; i < t->n_links; i++)
		if (!are_neighbours(t->links[i].src, t->links[i].dst, dims))
			return false;
	return true;
}

/* The grid that is nearest to a square or cube. */
static bool find_grid(const struct topology *t, int best[3])
{
	int best_sum = 0;

	if (t->switches || !t->n_links || t->nodes < 6)
		return false;
	for (int a = 1; a <= t->nodes; a++)
		for (int b = 2; t->nodes % a == 0 && b <= t->nodes / a; b++) {
			int dims[3] = {a, b, t->nodes / a / b};
			if (t->nodes / a % b != 0 || dims[2] < 2 || !is_grid(t, dims))
				continue;
			if (!best_sum || a + b + dims[2] < best_sum) {
				best_sum = a + b + dims[2];
				memcpy(best, dims, sizeof dims);
			}
		}
	return best_sum > 0;
}

static void place_grid(const struct topology *t, const int dims[3], struct layout *l)
{
	for (int v = 0; v < t->nodes; v++) {
		int x = v % dims[2], y = v / dims[2] % dims[1], z = v / dims[2] / dims[1];
		int columns = (int)ceil(sqrt((double)dims[0])), row = z / columns;
		l->at[v][0] = pitch * (x + (z % columns) * (dims[2] + 1));
		l->at[v][1] = pitch * (y + row * (dims[1] + 1));
	}
}

/* ---- circles ---- */

/* The sum of the lengths of the links of NODES, N of them from FIRST on, in this ORDER on a circle. */
static double length_of(const struct topology *t, int first, int n, const int *order)
{
	double sum = 0;

	for (size_t i = 0; i < t->n_links; i++) {
		int a = t->links[i].src - first, b = t->links[i].dst - first;
		if (a >= 0 && a < n && b >= 0 && b < n)
			sum += t->links[i].bandwidth * sin(pi * abs(order[a] - order[b]) / n);
	}
	return sum;
}

static void exchange(int *order, int a, int b)
{
	int kept = order[a];
	order[a] = order[b];
	order[b] = kept;
}

static void improve(const struct topology *t, int first, int n, int *order)
{
	enum { NODES_IMPROVED = 32 };
	double least = length_of(t, first, n, order);

	for (bool better = n <= NODES_IMPROVED; better;) {
		better = false;
		for (int a = 1; a < n; a++)
			for (int b = a + 1; b < n; b++) {
				exchange(order, a, b);
				double length = length_of(t, first, n, order);
				if (length < least - 1e-9) {
					least = length;
					better = true;
				} else
					exchange(order, a, b);
			}
	}
}

/* ---- rotations: an automorphism whose cycles are all of one length turns a circle into itself ---- */

enum { NODES_TURNED = 32, TURNS_MAX = 600 };

/* The length of all cycles of IMAGE, a permutation of N nodes; 1: they differ. */
static int cycle_length(const int *image, int n)
{
	int length = 0;

	for (int v = 0; v < n; v++) {
		int at = image[v], k = 1;
		for (; at != v && k <= n; k++)
			at = image[at];
		if (length && k != length)
			return 1;
		length = k;
	}
	return length;
}

/* The places of nodes on the circle: cycle j of k has the places j, j + k, j + 2 k, ... and begins where links are shortest. */
static double place_cycles(const struct topology *t, const int *image, int n, int length, int *order)
{
	int k = n / length, cycle = 0;
	bool placed[NODES_TURNED] = {false};
	double least = 0;

	for (int v = 0; v < n; v++)
		order[v] = v;
	for (int v = 0; v < n; v++) {
		int best = 0;
		if (placed[v])
			continue;
		least = INFINITY;
		for (int shift = 0; shift <= length; shift++) { /* the last time for the best */
			int at = v, from = shift < length ? shift : best;
			for (int i = 0; i < length; i++, at = image[at]) {
				order[at] = (i + from) % length * k + cycle;
				placed[at] = true;
			}
			double now = length_of(t, 0, n, order);
			if (shift < length && now < least - 1e-9) {
				least = now;
				best = shift;
			}
		}
		cycle++;
	}
	return least;
}

/* Keeps the order of IMAGE in *BEST if it turns the circle by less, or has shorter links. */
static void try_turn(const struct topology *t, const int *image, int *best_length, double *least, int *best)
{
	int order[NODES_TURNED], n = t->nodes, length = cycle_length(image, n);

	if (length < 3 || length < *best_length)
		return;
	double sum = place_cycles(t, image, n, length, order);
	if (length == *best_length && sum > *least - 1e-9)
		return;
	*best_length = length;
	*least = sum;
	memcpy(best, order, (size_t)n * sizeof *best);
}

/* An order that an automorphism turns into itself. False: there is none, or the machine is too large. The elements of the group are
 * products of generators, breadth first. */
static bool find_turn(const struct topology *t, int *order)
{
	struct error ignored = {0};
	size_t n_generators = 0, n = (size_t)t->nodes, known = 1;
	struct network *w = t->nodes > NODES_TURNED || t->switches ? NULL : network_new(t, &ignored);
	int *generators = w ? automorphisms_generators(w, -1, &n_generators) : NULL, length = 0;
	int (*all)[NODES_TURNED] = zeroed(TURNS_MAX, sizeof *all);
	double least = INFINITY;

	for (size_t v = 0; v < n && v < NODES_TURNED; v++)
		all[0][v] = (int)v;
	for (size_t i = 0; i < known; i++)
		for (size_t g = 0; g < n_generators && known < TURNS_MAX; g++) {
			bool is_new = true;
			for (size_t v = 0; v < n; v++)
				all[known][v] = generators[g * n + (size_t)all[i][v]];
			for (size_t k = 0; k < known && is_new; k++)
				is_new = memcmp(all[k], all[known], n * sizeof(int)) != 0;
			if (!is_new)
				continue;
			try_turn(t, all[known++], &length, &least, order);
		}
	free(all);
	free(generators);
	network_free(w);
	return length > 0;
}

/* N nodes from FIRST on, around X, Y. */
static void place_circle(const struct topology *t, int first, int n, double x, double y, double radius, struct layout *l)
{
	int *order = new_array(int, (size_t)n);

	for (int i = 0; i < n; i++)
		order[i] = i;
	if (n < t->nodes || !find_turn(t, order))
		improve(t, first, n, order);
	for (int i = 0; i < n; i++) {
		double angle = 2 * pi * order[i] / n - pi / 2;
		l->at[first + i][0] = x + radius * cos(angle);
		l->at[first + i][1] = y + radius * sin(angle);
	}
	free(order);
}

/* The number of copies that the name states, as in dgx1*4; 1: it states none. */
static int copies_of(const struct topology *t)
{
	const char *star = strchr(t->name, '*');
	long n = star ? strtol(star + 1, NULL, 10) : 1;

	return n > 1 && n <= t->nodes && t->nodes % n == 0 ? (int)n : 1;
}

static void place_circles(const struct topology *t, struct layout *l)
{
	int copies = copies_of(t), n = t->nodes / copies, columns = (int)ceil(sqrt((double)copies));
	double radius = n == 1 ? 0 : fmax(70, n * 46 / (2 * pi)), room = 2 * radius + pitch * 1.4;

	for (int i = 0; i < copies; i++) {
		int row = i / columns, column = i % columns;
		place_circle(t, i * n, n, room * column, room * row, radius, l);
	}
}

/* ---- switches ---- */

static int root_of(int *parent, int v)
{
	while (parent[v] != v)
		v = parent[v] = parent[parent[v]];
	return v;
}

static void add_hub(const struct topology *t, int *parent, int root, struct layout *l)
{
	struct layout_hub h = {.nodes = new_array(int, (size_t)t->nodes)};
	bool *joined = new_array(bool, (size_t)t->nodes);

	for (int s = 0; s < t->switches; s++)
		h.n_switches += root_of(parent, s) == root;
	for (size_t i = 0; i < t->n_links; i++) {
		int a = t->links[i].src, b = t->links[i].dst;
		if (a < t->nodes && b >= t->nodes && root_of(parent, b - t->nodes) == root)
			joined[a] = true;
		if (b < t->nodes && a >= t->nodes && root_of(parent, a - t->nodes) == root)
			joined[b] = true;
	}
	for (int v = 0; v < t->nodes; v++)
		if (joined[v]) {
			h.nodes[h.n_nodes++] = v;
			h.at[0] += l->at[v][0];
			h.at[1] += l->at[v][1];
		}
	free(joined);
	h.at[0] /= h.n_nodes ? h.n_nodes : 1;
	h.at[1] /= h.n_nodes ? h.n_nodes : 1;
	for (size_t i = 0; i < l->n_hubs; i++) /* two in one place are drawn below each other */
		if (fabs(l->hubs[i].at[0] - h.at[0]) < 40 && fabs(l->hubs[i].at[1] - h.at[1]) < 24)
			h.at[1] = l->hubs[i].at[1] + 28;
	l->hubs[l->n_hubs++] = h;
}

static void place_hubs(const struct topology *t, struct layout *l)
{
	int *parent = new_array(int, (size_t)t->switches);

	l->hubs = new_array(struct layout_hub, (size_t)t->switches);
	for (int s = 0; s < t->switches; s++)
		parent[s] = s;
	for (size_t i = 0; i < t->n_links; i++)
		if (t->links[i].src >= t->nodes && t->links[i].dst >= t->nodes)
			parent[root_of(parent, t->links[i].src - t->nodes)] = root_of(parent, t->links[i].dst - t->nodes);
	for (int s = 0; s < t->switches; s++)
		if (root_of(parent, s) == s)
			add_hub(t, parent, s, l);
	free(parent);
}

static void find_view(const struct topology *t, struct layout *l)
{
	double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, margin = t->switches || t->nodes < 6 ? pitch * 0.5 : pitch * 0.8;

	for (int v = 0; v < t->nodes; v++)
		for (int d = 0; d < 2; d++) {
			low[d] = fmin(low[d], l->at[v][d]);
			high[d] = fmax(high[d], l->at[v][d]);
		}
	for (int d = 0; d < 2; d++) {
		l->view[d] = low[d] - margin;
		l->view[2 + d] = high[d] - low[d] + 2 * margin;
	}
}

struct layout layout_new(const struct topology *t)
{
	struct layout l = {.at = zeroed((size_t)t->nodes, sizeof *l.at), .radius = 15};
	int dims[3];

	if (find_grid(t, dims))
		place_grid(t, dims, &l);
	else
		place_circles(t, &l);
	place_hubs(t, &l);
	find_view(t, &l);
	return l;
}

void layout_free(struct layout *l)
{
	for (size_t i = 0; i < l->n_hubs; i++)
		free(l->hubs[i].nodes);
	free(l->hubs);
	free(l->at);
}
