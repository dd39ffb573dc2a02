/* Union-find over the links between switches; then the links of nodes, fabric by fabric, count each node once. */

#include "core/machine/switch_fabrics.h"

#include "core/base/csr.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"

#include <stdlib.h>

static int root(int *up, int v)
{
	while (up[v] != v)
		v = up[v] = up[up[v]];
	return v;
}

/* [node or switch]: a switch that stands for the fabric; a node stands for itself. The caller frees it. */
static int *fabrics(const struct topology *t)
{
	int n = t->nodes + t->switches, *up = new_array(int, (size_t)n);

	for (int v = 0; v < n; v++)
		up[v] = v;
	for (size_t i = 0; i < t->n_links; i++)
		if (t->links[i].src >= t->nodes && t->links[i].dst >= t->nodes)
			up[root(up, t->links[i].src)] = root(up, t->links[i].dst);
	for (int v = 0; v < n; v++)
		up[v] = root(up, v);
	return up;
}

int *switch_fabrics_nodes(const struct topology *t)
{
	int n = t->nodes + t->switches, *fabric = fabrics(t), *joined = new_array(int, (size_t)n), *seen = new_array(int, (size_t)n);
	struct csr of = csr_new(n); /* fabric: the nodes that its links lead to or come from, repeatedly */

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < t->n_links; i++) {
			const struct link *l = &t->links[i];
			int node = l->src < l->dst ? l->src : l->dst, other = l->src + l->dst - node;
			if (node >= t->nodes || other < t->nodes)
				continue;
			if (pass)
				csr_put(&of, fabric[other], node);
			else
				csr_count(&of, fabric[other]);
		}
		if (!pass)
			csr_allocate(&of);
	}
	for (int f = t->nodes; f < n; f++)
		for (int i = of.begin[f]; i < of.begin[f + 1]; i++)
			if (seen[of.of[i]] != f) {
				seen[of.of[i]] = f;
				joined[f]++;
			}
	for (int s = t->nodes; s < n; s++)
		joined[s] = joined[fabric[s]];
	csr_free(&of);
	free(fabric);
	free(seen);
	return joined;
}
