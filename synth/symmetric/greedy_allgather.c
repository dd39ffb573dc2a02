/*
 * Allgather in full steps. A layer-by-layer schedule (layered_allgather.c) rounds up the rounds of every step. Here
 * each step gets as many rounds as still leave enough for the remaining steps (synth/symmetric/cut_components.h);
 * arrivals that do not fit wait for a later step. Arrivals are matched to port groups greedily, in descending order of
 * how many new deliveries they enable: neighbours that no link of the same port group could supply yet. Ties are broken
 * at random.
 */
#include "synth/symmetric/symmetric_schedule.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/graph/bipartite_matching.h"
#include "synth/symmetric/port_groups.h"
#include "synth/symmetric/cut_components.h"

#include <stdlib.h>
#include <string.h>

/* A part of node 0's chunks that a node could receive in this step. */
struct late_arrival {
	int part, node;
	int next;       /* in the list of arrivals that enable as many deliveries; -1: the last */
	uint64_t order;
};

struct late {
	struct symmetric_schedule *d;
	const struct network *w;
	int parts;
	struct port_groups groups;
	int64_t rounds;       /* left */
	int64_t reserve;      /* rounds held back, in units of groups.rounds, as long as a step takes more than one */
	int64_t left;         /* arrivals to come */
	unsigned char *has;   /* [part * nodes + node] */
	uint64_t *open, *now; /* [part * nodes + node]: port groups that can deliver; now: with this step's too */
	size_t n, room;
	struct late_arrival *arrivals;
	int *first;           /* [deliveries enabled]: first arrival of the list; -1: none */
	size_t n_asked;
	int *asked;           /* arrivals in the order they were added to the matching; [n] */
	int *links, *bins;    /* scratch: links and port groups of one arrival */
	int64_t *holds;       /* [port group]: capacity in this step */
	struct bipartite_matching *fill;
	struct cut_components *components;
	uint64_t random;
};

enum { LATE_RESERVES = 8 };

static void late_new(struct late *l, struct symmetric_schedule *d, int rounds, int attempt)
{
	const struct network *w = d->g->network;
	size_t cells = (size_t)d->i->chunks * (size_t)w->nodes;

	*l = (struct late){.d = d, .w = w, .parts = d->i->chunks, .rounds = rounds, .random = (uint64_t)attempt};
	l->groups = port_groups_new(d);
	l->left = (int64_t)l->parts * (w->nodes - 1);
	l->reserve = attempt % LATE_RESERVES;
	l->has = new_array(unsigned char, cells);
	l->open = new_array(uint64_t, cells);
	l->now = new_array(uint64_t, cells);
	for (int p = 0; p < l->parts; p++)
		l->has[(size_t)p * (size_t)w->nodes] = 1;
	l->first = new_array(int, (size_t)d->g->n_neighbours + 1);
	l->links = new_array(int, (size_t)d->g->n_neighbours);
	l->bins = new_array(int, (size_t)d->g->n_neighbours);
	l->holds = new_array(int64_t, (size_t)l->groups.n);
	l->fill = matching_new(l->groups.n);
	l->components = cut_components_new(d, &l->groups);
	for (int p = 0; p < l->parts; p++)
		cut_components_pass(l->components, p, 0);
}

static void late_free(struct late *l)
{
	port_groups_free(&l->groups);
	matching_free(l->fill);
	cut_components_free(l->components);
	free(l->has);
	free(l->open);
	free(l->now);
	free(l->arrivals);
	free(l->first);
	free(l->asked);
	free(l->links);
	free(l->bins);
	free(l->holds);
}

static size_t cell(const struct late *l, int part, int node)
{
	return (size_t)part * (size_t)l->w->nodes + (size_t)node;
}

static int group_of(const struct late *l, int edge)
{
	return l->groups.of[l->d->way[edge]];
}

/* Used only to rank arrivals, so that port groups may share a bit. */
static uint64_t bit_of(const struct late *l, int edge)
{
	return UINT64_C(1) << group_of(l, edge) % 64;
}

static int by_order(const void *va, const void *vb)
{
	const struct late_arrival *a = va, *b = vb;
	return (a->order > b->order) - (a->order < b->order);
}

static void find_arrivals(struct late *l)
{
	size_t room = l->room;

	l->n = 0;
	for (int p = 0; p < l->parts; p++)
		for (int v = 0; v < l->w->nodes; v++) {
			uint64_t open = 0;
			for (int k = l->w->in_begin[v]; k < l->w->in_begin[v + 1] && !l->has[cell(l, p, v)]; k++)
				if (l->has[cell(l, p, l->w->edges[l->w->in[k]].src)])
					open |= bit_of(l, l->w->in[k]);
			l->open[cell(l, p, v)] = open;
			if (!open)
				continue;
			l->arrivals = grown(l->arrivals, &l->room, l->n + 1, sizeof *l->arrivals);
			l->arrivals[l->n++] = (struct late_arrival){p, v, -1, symmetric_schedule_random(&l->random)};
		}
	if (l->n)
		qsort(l->arrivals, l->n, sizeof *l->arrivals, by_order);
	l->asked = grown(l->asked, &room, l->n, sizeof *l->asked);
}

/* How many neighbours still lack the part and get it within reach of a port group that could not deliver it so far. */
static int opens(const struct late *l, const struct late_arrival *a)
{
	int n = 0;

	for (int k = l->w->out_begin[a->node]; k < l->w->out_begin[a->node + 1]; k++) {
		size_t to = cell(l, a->part, l->w->edges[l->w->out[k]].dst);
		n += !l->has[to] && !(l->now[to] & bit_of(l, l->w->out[k]));
	}
	return n;
}

static void file(struct late *l, int arrival, int under)
{
	l->arrivals[arrival].next = l->first[under];
	l->first[under] = arrival;
}

/* The port groups that can deliver it, each with one link from a node that has the part. Fills bins and links. */
static int groups_to(struct late *l, const struct late_arrival *a)
{
	int n = 0;

	for (int k = l->w->in_begin[a->node]; k < l->w->in_begin[a->node + 1]; k++) {
		int edge = l->w->in[k], group = group_of(l, edge), i = 0;
		if (!l->has[cell(l, a->part, l->w->edges[edge].src)])
			continue;
		while (i < n && l->bins[i] != group)
			i++;
		l->links[i] = edge;
		l->bins[i] = group;
		n += i == n;
	}
	return n;
}

/* Adds the arrival to the matching. True: it got a place. */
static bool ask(struct late *l, int arrival)
{
	const struct late_arrival *a = &l->arrivals[arrival];

	l->asked[l->n_asked++] = arrival;
	if (!matching_add(l->fill, l->bins, groups_to(l, a)))
		return false;
	for (int k = l->w->out_begin[a->node]; k < l->w->out_begin[a->node + 1]; k++)
		l->now[cell(l, a->part, l->w->edges[l->w->out[k]].dst)] |= bit_of(l, l->w->out[k]);
	return true;
}

/* How many arrivals fit into ROUNDS. An arrival that enables fewer deliveries than when it was filed is filed anew. */
static int64_t let_through(struct late *l, int64_t rounds)
{
	int64_t through = 0;

	for (int k = 0; k < l->groups.n; k++)
		l->holds[k] = port_group_holds(&l->groups, k, rounds);
	matching_begin(l->fill, l->holds);
	l->n_asked = 0;
	memcpy(l->now, l->open, cell(l, l->parts, 0) * sizeof *l->now);
	for (int o = 0; o <= l->d->g->n_neighbours; o++)
		l->first[o] = -1;
	for (size_t i = 0; i < l->n; i++)
		file(l, (int)i, opens(l, &l->arrivals[i]));
	for (int o = l->d->g->n_neighbours; o >= 0 && !matching_is_full(l->fill); o--)
		while (l->first[o] >= 0) {
			int arrival = l->first[o], by_now = opens(l, &l->arrivals[arrival]);
			l->first[o] = l->arrivals[arrival].next;
			if (by_now < o)
				file(l, arrival, by_now);
			else
				through += ask(l, arrival);
		}
	return through;
}

/* If this step takes ROUNDS, can the remaining rounds suffice for the remaining arrivals, by all lower bounds? */
static bool leaves_enough(struct late *l, int64_t rounds)
{
	int64_t left = l->left - let_through(l, rounds), needed;

	cut_components_mark(l->components);
	for (size_t i = 0; i < l->n_asked; i++)
		if (matching_bin(l->fill, i) >= 0)
			cut_components_pass(l->components, l->arrivals[l->asked[i]].part, l->arrivals[l->asked[i]].node);
	needed = (left * l->groups.rounds + l->groups.wide - 1) / l->groups.wide;
	needed = cut_components_needed(l->components) > needed ? cut_components_needed(l->components) : needed;
	cut_components_back(l->components);
	return needed + (rounds > l->groups.rounds ? l->reserve * l->groups.rounds : 0) <= l->rounds - rounds;
}

/*
 * Takes the most rounds that leave enough, by binary search: the more rounds a step has, the more of them go unused. They
 * are as many as fill all port groups (port_groups.rounds), or a multiple. STEPS more steps follow, each of at least
 * as many.
 */
static bool choose_rounds(struct late *l, int steps)
{
	int64_t unit = l->groups.rounds, low = 1, high = l->rounds / unit - steps;

	if (high < 1 || !leaves_enough(l, unit))
		return false;
	while (low < high) {
		int64_t middle = low + (high - low + 1) / 2;
		if (leaves_enough(l, middle * unit))
			low = middle;
		else
			high = middle - 1;
	}
	l->left -= let_through(l, low * unit);
	l->rounds -= low * unit;
	return true;
}

/* The last step must deliver everything that is left. */
static bool finish(struct late *l)
{
	return l->left == (int64_t)l->n && let_through(l, l->rounds) == l->left;
}

static void take(struct late *l, int step)
{
	for (size_t i = 0; i < l->n_asked; i++) {
		const struct late_arrival *a = &l->arrivals[l->asked[i]];
		int group = matching_bin(l->fill, i), n, k = 0;
		if (group < 0)
			continue;
		n = groups_to(l, a);
		while (k < n && l->bins[k] != group)
			k++;
		symmetric_schedule_send(l->d, step, a->part * l->w->nodes, l->links[k]);
	}
	for (size_t i = 0; i < l->n_asked; i++) { /* only now: what arrives in this step can be sent on in the next */
		const struct late_arrival *a = &l->arrivals[l->asked[i]];
		if (matching_bin(l->fill, i) < 0)
			continue;
		l->has[cell(l, a->part, a->node)] = 1;
		cut_components_pass(l->components, a->part, a->node);
	}
}

bool greedy_allgather(struct symmetric_schedule *d, int rounds, int attempt)
{
	struct late l;
	bool fits = true;

	late_new(&l, d, rounds, attempt);
	for (int s = 0; s < d->steps && fits && l.left > 0; s++) {
		bool last = s == d->steps - 1;
		find_arrivals(&l);
		fits = last ? finish(&l) : choose_rounds(&l, d->steps - s - 1);
		if (fits)
			take(&l, s);
		if (last)
			l.left = 0;
	}
	fits = fits && l.left == 0;
	late_free(&l);
	return fits;
}
