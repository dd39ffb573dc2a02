/* The point of a step count while it is searched: of several algorithms the one with the least R/C, then the fewest chunks. */

#include "synth/frontier/program_search_parts.h"

#include "core/machine/network.h"
#include "synth/frontier/program_search.h"

int program_search_most_chunks(const struct program_search *w)
{
	int of_blocks = w->problem->network->n_groups > 0 ? w->problem->network->nodes : w->problem->unit;

	int most = w->options->max_chunks ? w->options->max_chunks : PROGRAM_CHUNKS * of_blocks, limit = w->options->chunks_at_most;

	return limit && limit < most ? limit : most;
}

struct rational program_search_to_beat(const struct program_search *w)
{
	return w->best ? algorithm_bandwidth(w->best) : frontier_best(w->frontier, w->steps);
}

bool program_search_at_value(const struct program_search *w)
{
	struct rational best = program_search_to_beat(w);

	return rational_ok(best) && rational_compare(best, w->value) <= 0;
}

bool program_search_wants(const struct program_search *w, const struct algorithm *a)
{
	struct rational than = program_search_to_beat(w);
	int order = rational_ok(than) ? rational_compare(algorithm_bandwidth(a), than) : -1;

	return (int)a->n_steps == w->steps && a->chunks <= program_search_most_chunks(w) &&
	       (order < 0 || (order == 0 && w->best && a->chunks < w->best->chunks));
}

void program_search_offer(struct program_search *w, struct algorithm *a)
{
	if (!a || !program_search_wants(w, a)) {
		algorithm_free(a);
		return;
	}
	algorithm_free(w->best);
	w->best = a;
}
