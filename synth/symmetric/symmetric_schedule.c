/*
 * Collects the sends of node 0's chunks with the load of each direction in each step. Rounds follow from the loads: by
 * the group's symmetry all links of a direction carry the same.
 */

#include "synth/symmetric/symmetric_schedule.h"

#include "core/base/memory.h"
#include "core/machine/network.h"

#include <stdlib.h>

int symmetric_schedule_diameter(const struct network *w)
{
	int steps = 0;

	for (int n = 0; n < w->nodes; n++)
		steps = network_distance(w, 0, n) > steps ? network_distance(w, 0, n) : steps;
	return steps;
}

struct symmetric_schedule symmetric_schedule_new(const struct transitive_group *g, const struct instance *i, int steps)
{
	const struct network *w = g->network;
	struct symmetric_schedule d = {.g = g, .i = i, .steps = steps};
	int *index = new_array(int, (size_t)w->nodes);

	d.of = new_array(struct step, (size_t)steps);
	d.room = new_array(size_t, (size_t)steps);
	d.loads = new_array(int64_t, (size_t)steps * (size_t)g->n_neighbours);
	d.way = new_array(int, w->n_edges);
	d.bandwidth = new_array(int, (size_t)g->n_neighbours);
	for (int k = 0; k < g->n_neighbours; k++) {
		index[g->neighbours[k]] = k;
		d.bandwidth[k] = w->edges[network_edge(w, 0, g->neighbours[k])].bandwidth;
	}
	for (size_t e = 0; e < w->n_edges; e++)
		d.way[e] = index[g->direction[e]];
	free(index);
	return d;
}

void symmetric_schedule_free(struct symmetric_schedule *d)
{
	steps_free(d->of, d->of ? (size_t)d->steps : 0);
	free(d->room);
	free(d->loads);
	free(d->way);
	free(d->bandwidth);
}

void symmetric_schedule_send(struct symmetric_schedule *d, int step, int chunk, int edge)
{
	const struct edge *e = &d->g->network->edges[edge];
	struct step *s = &d->of[step];

	s->sends = grown(s->sends, &d->room[step], s->n_sends + 1, sizeof *s->sends);
	s->sends[s->n_sends++] = (struct send){chunk, e->src, e->dst};
	d->loads[(size_t)step * (size_t)d->g->n_neighbours + (size_t)d->way[edge]]++;
}

/* The rounds that the loads of a step need, over links and over limits that several links share. */
static int64_t rounds_of(const struct symmetric_schedule *d, int step)
{
	const struct network *w = d->g->network;
	const int64_t *load = d->loads + (size_t)step * (size_t)d->g->n_neighbours;
	int64_t rounds = 1;

	for (int k = 0; k < d->g->n_neighbours; k++) {
		int64_t need = (load[k] + d->bandwidth[k] - 1) / d->bandwidth[k];
		rounds = need > rounds ? need : rounds;
	}
	for (size_t l = 0; l < w->n_limits; l++) {
		int64_t sum = 0;
		for (size_t k = 0; k < w->limits[l].n_edges; k++)
			sum += load[d->way[w->limits[l].edges[k]]];
		sum = (sum + w->limits[l].bandwidth - 1) / w->limits[l].bandwidth;
		rounds = sum > rounds ? sum : rounds;
	}
	return rounds;
}

int64_t symmetric_schedule_rounds(const struct symmetric_schedule *d)
{
	int64_t sum = 0;

	for (int s = 0; s < d->steps; s++)
		sum += rounds_of(d, s);
	return sum;
}

bool symmetric_schedule_fit(struct symmetric_schedule *d, int steps, int rounds)
{
	int64_t sum = 0;

	for (int s = 0; s < d->steps; s++) {
		int64_t need = rounds_of(d, s);
		sum += need;
		if (sum > rounds)
			return false;
		d->of[s].rounds = (int)need;
	}
	if (d->steps > steps || sum + (steps - d->steps) > rounds)
		return false;
	size_t room = (size_t)d->steps;
	d->of = grown(d->of, &room, (size_t)steps, sizeof *d->of);
	for (; d->steps < steps; sum++)
		d->of[d->steps++] = (struct step){.rounds = 1};
	d->of[steps - 1].rounds += rounds - (int)sum;
	return true;
}

uint64_t symmetric_schedule_random(uint64_t *state)
{
	*state += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 (Steele, Lea, Flood, 2014) */
	uint64_t x = *state;
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}
