/*
 * Assigns rounds to the steps of a decoded schedule: the rounds that the load of every link and limit needs, at least
 * one. With a pipeline, the loads of all steps that coincide are added up first.
 */

#include "encode/cnf/decode.h"

#include "core/base/memory.h"
#include "core/machine/network.h"

#include <stdlib.h>

static int rounds_needed(const struct network *w, const struct step *s, int64_t *load)
{
	for (size_t e = 0; e < w->n_edges; e++)
		load[e] = 0;
	for (size_t k = 0; k < s->n_sends; k++)
		load[network_edge(w, s->sends[k].src, s->sends[k].dst)]++;
	for (size_t k = 0; k < s->n_reduces; k++)
		load[network_edge(w, s->reduces[k].src, s->reduces[k].dst)]++;
	int64_t rounds = network_rounds(w, load);
	return rounds > 1 ? (int)rounds : 1;
}

/*
 * With a pipeline, each step gets the rounds that all coinciding steps need together. What is left of R is not
 * distributed.
 */
static void pipeline_rounds(const struct instance *i, struct solution *out, int64_t *load)
{
	size_t n = (size_t)i->constraints.pipeline;

	for (size_t first = 0; first < n && first < out->n_steps; first++) {
		struct step all = {0};
		size_t sends = 0, reduces = 0;
		for (size_t s = first; s < out->n_steps; s += n) {
			all.sends = grown(all.sends, &sends, all.n_sends + out->steps[s].n_sends, sizeof *all.sends);
			all.reduces = grown(all.reduces, &reduces, all.n_reduces + out->steps[s].n_reduces, sizeof *all.reduces);
			for (size_t k = 0; k < out->steps[s].n_sends; k++)
				all.sends[all.n_sends++] = out->steps[s].sends[k];
			for (size_t k = 0; k < out->steps[s].n_reduces; k++)
				all.reduces[all.n_reduces++] = out->steps[s].reduces[k];
		}
		for (size_t s = first; s < out->n_steps; s += n)
			out->steps[s].rounds = rounds_needed(i->network, &all, load);
		free(all.sends);
		free(all.reduces);
	}
}

void decode_rounds(const struct instance *i, struct solution *out)
{
	int64_t *load = new_array(int64_t, i->network->n_edges);
	int left = i->rounds;

	if (i->constraints.pipeline) {
		pipeline_rounds(i, out, load);
		free(load);
		return;
	}
	for (size_t s = 0; s < out->n_steps; s++) {
		out->steps[s].rounds = rounds_needed(i->network, &out->steps[s], load);
		left -= out->steps[s].rounds;
	}
	out->steps[out->n_steps - 1].rounds += left;
	free(load);
}
