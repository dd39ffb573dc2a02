/*
 * Lists what every send of a step puts on every limit that it crosses, sorts the list, and counts the different entries: sends
 * that count once together put the same entry on a limit.
 */

#include "synth/builder/shared_rounds.h"

#include "core/base/csr.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"

#include <stdlib.h>
#include <string.h>

/* What a send puts on a limit. Of sends that share nothing, SERIAL differs. */
struct put {
	int limit, group, chunk, end;
	size_t serial;
};

/* Where an edge crosses limits. */
struct crossings {
	const struct network *w;
	struct csr of_edge; /* positions in the edge lists of all limits, one after the other */
	int *limit;         /* [position] */
	size_t *first;      /* [limit]: its first position */
	struct put *puts;
	size_t n, room;
	int64_t *loads;     /* [edge] */
};

static struct crossings crossings_new(const struct network *w)
{
	struct crossings x = {.w = w, .first = new_array(size_t, w->n_limits + 1), .loads = new_array(int64_t, w->n_edges)};

	for (size_t l = 0; l < w->n_limits; l++)
		x.first[l + 1] = x.first[l] + w->limits[l].n_edges;
	size_t n = x.first[w->n_limits];
	int *edge = new_array(int, n);
	x.limit = new_array(int, n);
	for (size_t l = 0; l < w->n_limits; l++)
		for (size_t k = 0; k < w->limits[l].n_edges; k++) {
			edge[x.first[l] + k] = w->limits[l].edges[k];
			x.limit[x.first[l] + k] = (int)l;
		}
	x.of_edge = csr_by_row((int)w->n_edges, edge, n, sizeof *edge);
	free(edge);
	return x;
}

static void crossings_free(struct crossings *x)
{
	csr_free(&x->of_edge);
	free(x->limit);
	free(x->first);
	free(x->puts);
	free(x->loads);
}

static void put_send(struct crossings *x, const struct send *s, bool reduces)
{
	int edge = network_edge(x->w, s->src, s->dst);

	x->loads[edge]++;
	for (int i = x->of_edge.begin[edge]; i < x->of_edge.begin[edge + 1]; i++) {
		int position = x->of_edge.of[i], l = x->limit[position];
		const struct crossing_group *groups = x->w->limits[l].groups;
		struct put p = {l, -1, s->chunk, reduces ? -1 - s->dst : s->src, 0};
		if (groups && groups[(size_t)position - x->first[l]].abilities & (reduces ? REDUCES : MULTICASTS))
			p.group = groups[(size_t)position - x->first[l]].group;
		else
			p.serial = x->n;
		x->puts = grown(x->puts, &x->room, x->n + 1, sizeof *x->puts);
		x->puts[x->n++] = p;
	}
}

static int by_limit(const void *va, const void *vb)
{
	const struct put *a = va, *b = vb;

	if (a->limit != b->limit)
		return a->limit < b->limit ? -1 : 1;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->chunk != b->chunk)
		return a->chunk < b->chunk ? -1 : 1;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	return (a->serial > b->serial) - (a->serial < b->serial);
}

static int64_t most_rounds(struct crossings *x)
{
	int64_t most = 1, load = 0;

	for (size_t e = 0; e < x->w->n_edges; e++) {
		int64_t r = quotient_up(x->loads[e], x->w->edges[e].bandwidth);
		most = r > most ? r : most;
	}
	if (x->n)
		qsort(x->puts, x->n, sizeof *x->puts, by_limit);
	for (size_t i = 0; i < x->n; i++) {
		const struct put *p = &x->puts[i];
		if (i == 0 || p->limit != p[-1].limit)
			load = 0;
		load += i == 0 || by_limit(&p[-1], p) != 0;
		int64_t r = quotient_up(load, x->w->limits[p->limit].bandwidth);
		most = r > most ? r : most;
	}
	return most;
}

bool shared_rounds_set(const struct network *w, const char *name, struct step *steps, size_t n, struct error *e)
{
	struct crossings x = crossings_new(w);
	bool ok = true;

	for (size_t s = 0; s < n && ok; s++) {
		x.n = 0;
		memset(x.loads, 0, w->n_edges * sizeof *x.loads);
		for (size_t i = 0; i < steps[s].n_sends; i++)
			put_send(&x, &steps[s].sends[i], false);
		for (size_t i = 0; i < steps[s].n_reduces; i++)
			put_send(&x, &steps[s].reduces[i], true);
		int64_t rounds = most_rounds(&x);
		ok = rounds <= ROUNDS_MAX || error_set(e, ERROR_LIMIT, name, "a step takes more than %d rounds", (int)ROUNDS_MAX);
		steps[s].rounds = (int)rounds;
	}
	crossings_free(&x);
	return ok;
}
