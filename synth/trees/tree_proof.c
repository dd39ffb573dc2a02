/*
 * Upper bounds on what undirected spanning trees can carry, in integers: prices scaled to integers and one minimum
 * spanning tree (linear programming duality), and the least cut by a maximum flow from node 0 to each other node.
 */

#include "synth/trees/tree_proof.h"

#include "core/graph/max_flow.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "synth/trees/packing.h"
#include "synth/trees/strength.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Doubles represent integers of this size, and their sums, exactly. */
struct rational price_bound(const struct packing *p, const double *lengths)
{
	int64_t parts = common_denominator(lengths, p->n_rows, 1 << 14, 1e-5), sum = 0;
	double *whole = new_array(double, p->n_rows), length = 0;
	int *parent = new_array(int, (size_t)p->network->nodes);

	for (size_t r = 0; r < p->n_rows; r++) {
		whole[r] = round(lengths[r] * (double)parts);
		sum += (int64_t)whole[r] * p->width[r];
	}
	bool is = parts && packing_tree(p, whole, 1, parent, &length) && length > 0;
	free(whole);
	free(parent);
	return is ? rational(sum, (int64_t)length) : (struct rational){0, 0};
}

int64_t least_cut(const struct packing *p)
{
	const struct network *w = p->network;
	struct flow *f = flow_new(w->nodes);
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < w->n_edges; i++)
		flow_arc(f, w->edges[i].src, w->edges[i].dst, joint_width(w, i));
	for (int v = 1; v < w->nodes; v++) {
		int64_t cut = flow_run(f, 0, v);
		least = cut < least ? cut : least;
	}
	flow_free(f);
	return least;
}
