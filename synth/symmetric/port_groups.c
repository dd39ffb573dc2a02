/*
 * Starts with one group per direction and merges the groups of those directions that a network limit counts together,
 * one limit after another. A merge is made only if the limit covers single directions or exactly one existing group, so
 * that the groups remain a partition.
 */

#include "synth/symmetric/port_groups.h"

#include "core/base/memory.h"
#include "core/base/rational.h"
#include "core/machine/network.h"

#include <stdlib.h>
#include <string.h>

/* COUNT[k]: how many links of direction k the limit counts. Returns that number if it is the same for all directions
 * that the limit counts at all, else 0. */
static int count_ways(const struct symmetric_schedule *d, const struct network_limit *l, int *count)
{
	int often = 0;

	memset(count, 0, (size_t)d->g->n_neighbours * sizeof *count);
	for (size_t i = 0; i < l->n_edges; i++)
		count[d->way[l->edges[i]]]++;
	for (int k = 0; k < d->g->n_neighbours; k++) {
		if (count[k] && often && count[k] != often)
			return 0;
		often = count[k] ? count[k] : often;
	}
	return often;
}

/* Is each counted direction still a group of its own, or are they exactly the members of one group? */
static bool fits(const struct port_groups *g, const int *count, int n_ways)
{
	int group = -1, shared = 0, alone = 0, members = 0;

	for (int k = 0; k < n_ways; k++) {
		bool is_alone = g->of[k] == k;
		for (int i = 0; i < n_ways && is_alone; i++)
			is_alone = i == k || g->of[i] != k;
		if (!count[k])
			continue;
		if (group < 0)
			group = g->of[k];
		shared += g->of[k] == group;
		alone += is_alone;
		members++;
	}
	if (alone == members)
		return true;
	for (int k = 0; k < n_ways; k++)
		if (!count[k] && g->of[k] == group)
			return false;
	return shared == members;
}

static void join(struct port_groups *g, const int *count, int n_ways, int64_t bandwidth)
{
	int first = 0;

	while (!count[first])
		first++;
	int group = g->of[first];
	int64_t sum = 0;
	for (int k = 0; k < n_ways; k++)
		if (count[k] && (g->of[k] != group || k == group))
			sum += g->bandwidth[g->of[k]];
	for (int k = 0; k < n_ways; k++)
		if (count[k])
			g->of[k] = group;
	g->bandwidth[group] = sum < bandwidth ? sum : bandwidth;
}

/* Renumbers the groups consecutively; those without directions disappear. */
static void number(struct port_groups *g, int n_ways)
{
	int *now = new_array(int, (size_t)n_ways);

	for (int k = 0; k < n_ways; k++)
		now[k] = -1;
	for (int k = 0; k < n_ways; k++) {
		int group = g->of[k];
		if (now[group] < 0) {
			now[group] = g->n++;
			g->bandwidth[now[group]] = g->bandwidth[group];
			g->wide += g->bandwidth[group];
		}
		g->of[k] = now[group];
	}
	free(now);
}

/* The least number of rounds in which a node's share of every limit is a whole number of chunks, if it is small; else 1. */
static int common_rounds(const struct symmetric_schedule *d, int *count)
{
	enum { ROUNDS_AT_ONCE = 1 << 10 };
	const struct network *w = d->g->network;
	int64_t rounds = 1;

	for (size_t l = 0; l < w->n_limits; l++) {
		int64_t often = count_ways(d, &w->limits[l], count);
		if (!often || often > ROUNDS_AT_ONCE)
			continue;
		int64_t own = often / common_divisor(often, w->limits[l].bandwidth);
		rounds = rounds / common_divisor(rounds, own) * own;
		if (rounds > ROUNDS_AT_ONCE)
			return 1;
	}
	return (int)rounds;
}

struct port_groups port_groups_new(const struct symmetric_schedule *d)
{
	const struct network *w = d->g->network;
	int n = d->g->n_neighbours, *count = new_array(int, (size_t)n);
	struct port_groups g = {.of = new_array(int, (size_t)n), .bandwidth = new_array(int64_t, (size_t)n)};

	g.rounds = common_rounds(d, count);
	for (int k = 0; k < n; k++) {
		g.of[k] = k;
		g.bandwidth[k] = (int64_t)d->bandwidth[k] * g.rounds;
	}
	for (size_t l = 0; l < w->n_limits; l++) {
		int often = count_ways(d, &w->limits[l], count);
		int64_t bandwidth = often ? (int64_t)w->limits[l].bandwidth * g.rounds / often : 0;
		if (bandwidth && fits(&g, count, n))
			join(&g, count, n, bandwidth);
	}
	number(&g, n);
	free(count);
	return g;
}

void port_groups_free(struct port_groups *g)
{
	free(g->of);
	free(g->bandwidth);
}
