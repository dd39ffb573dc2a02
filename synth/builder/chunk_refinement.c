/*
 * Chunk refinement: cuts every chunk into m equal parts, for the m that minimizes the rounds per chunk. A link of
 * several units that carries few chunks in a step is rounded up to a whole round; with finer chunks the rounding costs
 * less. The rounds are recounted for every m up to the widest link or limit, and the smallest m with the least rounds/m
 * wins.
 */

#include "synth/builder/chunk_refinement.h"

#include "core/schedule/algorithm.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/schedule/transform.h"
#include "synth/builder/schedule_builder.h"

#include <stdlib.h>
#include <string.h>

enum { SENDS_MAX = 1 << 22 }; /* no refinement where it could give more sends than this */

static void count_loads(const struct network *w, const struct step *s, int64_t *loads)
{
	memset(loads, 0, w->n_edges * sizeof *loads);
	for (size_t i = 0; i < s->n_sends; i++)
		loads[network_edge(w, s->sends[i].src, s->sends[i].dst)]++;
	for (size_t i = 0; i < s->n_reduces; i++)
		loads[network_edge(w, s->reduces[i].src, s->reduces[i].dst)]++;
}

/* rounds[m]: the rounds of all steps with every chunk cut into m parts, for m from 1 to MOST. */
static void count_rounds(const struct algorithm *a, const struct network *w, int most, int64_t *rounds)
{
	int64_t *loads = new_array(int64_t, w->n_edges), *cut = new_array(int64_t, w->n_edges);

	for (size_t s = 0; s < a->n_steps; s++) {
		count_loads(w, &a->steps[s], loads);
		for (int m = 1; m <= most; m++) {
			for (size_t e = 0; e < w->n_edges; e++)
				cut[e] = loads[e] * m;
			rounds[m] += network_rounds(w, cut);
		}
	}
	free(loads);
	free(cut);
}

/* Parts beyond the width of the widest link or limit cannot help more than that many. */
static int most_parts(const struct algorithm *a, const struct network *w)
{
	size_t sends = 1;
	int widest = 1;

	for (size_t e = 0; e < w->n_edges; e++)
		widest = w->edges[e].bandwidth > widest ? w->edges[e].bandwidth : widest;
	for (size_t l = 0; l < w->n_limits; l++)
		widest = w->limits[l].bandwidth > widest ? w->limits[l].bandwidth : widest;
	for (size_t s = 0; s < a->n_steps; s++)
		sends += a->steps[s].n_sends + a->steps[s].n_reduces;
	widest = widest < REFINEMENT_MAX ? widest : REFINEMENT_MAX;
	return sends * (size_t)widest <= SENDS_MAX ? widest : 1;
}

struct algorithm *algorithm_refined(struct algorithm *a, const struct network *w)
{
	struct error e = {0};
	int most = most_parts(a, w), best = 1;
	int64_t *rounds = new_array(int64_t, (size_t)most + 1);

	if (most > 1)
		count_rounds(a, w, most, rounds);
	for (int m = 2; m <= most; m++)
		if (rounds[m] * best < rounds[best] * m)
			best = m;
	struct algorithm *finer = best > 1 ? algorithm_scaled(a, best, &e) : NULL;
	if (finer) {
		int64_t *loads = new_array(int64_t, w->n_edges);
		for (size_t s = 0; s < finer->n_steps; s++) {
			count_loads(w, &finer->steps[s], loads);
			finer->steps[s].rounds = (int)network_rounds(w, loads);
		}
		struct algorithm *named = algorithm_new(finer->topology, &finer->collective, finer->chunks, finer->n_steps, finer->steps,
							finer->method);
		finer->steps = NULL;
		finer->n_steps = 0;
		algorithm_free(finer);
		algorithm_free(a);
		free(loads);
		a = named;
	}
	free(rounds);
	return a;
}
