/*
 * The isomorphism is treated as a symmetry with one generator, which maps sends. The generators of a compact algorithm
 * are conjugated by it.
 */

#include "core/schedule/relabel.h"

#include "core/schedule/algorithm_parts.h"
#include "core/base/memory.h"
#include "core/schedule/symmetry.h"
#include "core/machine/topology.h"

#include <stdlib.h>

/* The images of the sends under the only generator of Y. */
static struct send *relabelled_sends(const struct send *sends, size_t n, const struct symmetry *y)
{
	const struct generator *g = &y->generators[0];
	struct send *images = new_array(struct send, n);

	for (size_t i = 0; i < n; i++)
		images[i] = (struct send){symmetry_chunk(y, g, sends[i].chunk), g->nodes[sends[i].src], g->nodes[sends[i].dst]};
	return images;
}

/* Y's generators in the new numbers: each is conjugated by TO on nodes and unchanged on parts. NULL gives NULL. */
static struct symmetry *renumbered(const struct symmetry *y, const int *to)
{
	struct symmetry *out = symmetry_copy(y);

	for (size_t i = 0; y && i < y->n; i++)
		for (int n = 0; n < y->nodes; n++)
			out->generators[i].nodes[to[n]] = to[y->generators[i].nodes[n]];
	return out;
}

struct algorithm *algorithm_relabelled(const struct algorithm *a, const struct topology *t, const struct collective *k,
				       const int *to)
{
	struct symmetry *y = symmetry_new(&a->collective, a->topology->nodes, a->global_chunks);
	struct step *steps = new_array(struct step, a->n_steps);

	symmetry_add(y, to, NULL);
	for (size_t s = 0; s < a->n_steps; s++) {
		const struct step *was = &a->steps[s];
		steps[s] = (struct step){was->rounds, was->n_sends, relabelled_sends(was->sends, was->n_sends, y), was->n_reduces,
					 relabelled_sends(was->reduces, was->n_reduces, y)};
	}
	symmetry_free(y);
	struct algorithm *out = algorithm_new(t, k, a->chunks, a->n_steps, steps, algorithm_method(a));
	out->symmetry = renumbered(a->symmetry, to);
	return out;
}
