/* Plain counts. */

#include "synth/program/room.h"

#include "core/base/memory.h"
#include "core/base/rational.h"
#include "core/machine/limit_index.h"
#include "core/machine/network.h"
#include "core/symmetry/machine_orbits.h"
#include "synth/program/timed_tree.h"

#include <stdlib.h>

static int capacity_of(const struct room *r, int i)
{
	int edges = (int)r->w->n_edges;
	return i < edges ? r->w->edges[i].bandwidth : r->w->limits[i - edges].bandwidth;
}

void room_new(const struct network *w, int steps, const int *rounds, struct room *out)
{
	int *number = orbits_apart((int)w->n_edges);
	struct room r = {.w = w, .n = (int)(w->n_edges + w->n_limits), .steps = steps,
			 .of_edge = limit_index(w, number, (int)w->n_edges)};

	r.load = new_array(int64_t, (size_t)r.n * (size_t)steps);
	r.most = new_array(int64_t, (size_t)r.n * (size_t)steps);
	for (int s = 0; s < steps; s++)
		for (int i = 0; i < r.n; i++)
			r.most[s * r.n + i] = (int64_t)rounds[s] * capacity_of(&r, i);
	free(number);
	*out = r;
}

void room_free(struct room *r)
{
	csr_free(&r->of_edge);
	free(r->load);
	free(r->most);
}

void room_add(struct room *r, struct timed_edge e, int64_t chunks)
{
	for (int k = r->of_edge.begin[e.edge]; k < r->of_edge.begin[e.edge + 1]; k++)
		r->load[e.step * r->n + r->of_edge.of[k]] += chunks;
}

bool room_fits(const struct room *r, struct timed_edge e)
{
	for (int k = r->of_edge.begin[e.edge]; k < r->of_edge.begin[e.edge + 1]; k++) {
		int at = e.step * r->n + r->of_edge.of[k];
		int times = 1; /* an edge may cross a limit more than once; its places are in a row */
		for (int j = k; j > r->of_edge.begin[e.edge] && r->of_edge.of[j - 1] == r->of_edge.of[k]; j--)
			times++;
		if (r->load[at] + times > r->most[at])
			return false;
	}
	return true;
}

int room_rounds(const struct room *r, int step)
{
	int64_t most = 1;

	for (int i = 0; i < r->n; i++) {
		int64_t needs = quotient_up(r->load[step * r->n + i], capacity_of(r, i));
		most = needs > most ? needs : most;
	}
	return (int)most;
}
