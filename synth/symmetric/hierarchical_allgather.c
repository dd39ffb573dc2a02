/*
 * Allgather on boxes that slower links join, as in a cluster. Every part of node 0 is sent to one node of each other box,
 * its entry, and from there to all other nodes of that box, as from node 0 to those of its own. While some parts are spread,
 * the next ones arrive, so that links in boxes and between them are busy at once. What arrives last is spread when nothing
 * arrives any more. So the steps get shorter by a constant factor, and the last one takes little of the whole time.
 *
 * Boxes are the components that are left when one port group is removed, or all up to a bandwidth. All nodes of a box must
 * be joined directly. By the symmetry of the machine it is enough to look at the sends of node 0's parts.
 */
#include "synth/symmetric/symmetric_schedule.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "synth/symmetric/port_groups.h"

#include <math.h>
#include <stdlib.h>

struct boxes {
	struct symmetric_schedule *d;
	const struct network *w;
	struct port_groups groups;
	int n;             /* boxes; that of node 0 is the first */
	int *of;           /* [node] */
	int *entry;        /* [box]: 0 in the first, else a neighbour of 0 */
	int between;       /* the port group of all links from 0 to entries */
	int *inside;       /* [port group]: sends over it that spread one entry */
	int *rounds;       /* [step] */
};

static void boxes_free(struct boxes *b)
{
	port_groups_free(&b->groups);
	free(b->of);
	free(b->entry);
	free(b->inside);
	free(b->rounds);
}

static int group_of(const struct boxes *b, int from, int to)
{
	return b->groups.of[b->d->way[network_edge(b->w, from, to)]];
}

/* Numbers the components that are left without the closed port groups. Returns their number. */
static int find_components(struct boxes *b, const unsigned char *closed)
{
	const struct network *w = b->w;
	int *queue = new_array(int, (size_t)w->nodes), found = 0;

	for (int v = 0; v < w->nodes; v++)
		b->of[v] = -1;
	for (int first = 0; first < w->nodes; first++) {
		int n = 0;
		if (b->of[first] >= 0)
			continue;
		b->of[first] = found;
		queue[n++] = first;
		for (int i = 0; i < n; i++)
			for (int k = w->out_begin[queue[i]]; k < w->out_begin[queue[i] + 1]; k++) {
				const struct edge *e = &w->edges[w->out[k]];
				if (closed[b->groups.of[b->d->way[w->out[k]]]] || b->of[e->dst] >= 0)
					continue;
				b->of[e->dst] = found;
				queue[n++] = e->dst;
			}
		found++;
	}
	free(queue);
	return found;
}

/* Is node 0 joined to a node of each other box, all by one port group? Takes the first of each. */
static bool find_entries(struct boxes *b)
{
	const struct network *w = b->w;

	free(b->entry);
	b->entry = new_array(int, (size_t)b->n);
	b->between = -1;
	for (int k = w->out_begin[0]; k < w->out_begin[1]; k++) {
		int to = w->edges[w->out[k]].dst, box = b->of[to];
		if (box == 0 || b->entry[box])
			continue;
		b->entry[box] = to;
		if (b->between >= 0 && b->between != group_of(b, 0, to))
			return false;
		b->between = group_of(b, 0, to);
	}
	for (int box = 1; box < b->n; box++)
		if (!b->entry[box])
			return false;
	return true;
}

/* Is each entry joined to all nodes of its box, over as many links of each port group as in the other boxes? */
static bool count_inside(struct boxes *b)
{
	int *counts = new_array(int, (size_t)b->n * (size_t)b->groups.n);
	bool ok = true;

	for (int v = 0; v < b->w->nodes && ok; v++) {
		int from = b->entry[b->of[v]];
		ok = v == from || network_edge(b->w, from, v) >= 0;
		if (ok && v != from)
			counts[b->of[v] * b->groups.n + group_of(b, from, v)]++;
	}
	for (int i = 0; i < b->n * b->groups.n && ok; i++)
		ok = counts[i] == counts[i % b->groups.n];
	for (int g = 0; g < b->groups.n; g++)
		b->inside[g] = counts[g];
	free(counts);
	return ok && b->inside[b->between] == 0;
}

/* How many entries can be spread in so many rounds. */
static int64_t spread_in(const struct boxes *b, int64_t rounds)
{
	int64_t least = INT64_MAX;

	for (int g = 0; g < b->groups.n; g++)
		if (b->inside[g]) {
			int64_t holds = port_group_holds(&b->groups, g, rounds) / b->inside[g];
			least = holds < least ? holds : least;
		}
	return least;
}

/* ---- how long each step is ---- */

/* Entries are numbered part by part: first those in node 0's own box, which are there, then box by box. */
struct boxes_flow {
	int64_t arrived, spread; /* by the end of the last step */
	int64_t coming, spreading; /* in this step: up to these */
};

/* What step S does, given what was done before it. */
static void boxes_step(const struct boxes *b, int s, struct boxes_flow *f)
{
	int64_t all = (int64_t)b->d->i->chunks * b->n;
	int64_t room = port_group_holds(&b->groups, b->between, b->rounds[s]), spreads = spread_in(b, b->rounds[s]);

	f->coming = f->arrived + room < all ? f->arrived + room : all;
	f->spreading = f->spread + spreads < f->arrived ? f->spread + spreads : f->arrived;
}

/* Do steps of these lengths suffice? */
static bool lengths_suffice(const struct boxes *b)
{
	struct boxes_flow f = {.arrived = b->d->i->chunks};

	for (int s = 0; s < b->d->steps; s++) {
		boxes_step(b, s, &f);
		f.arrived = f.coming;
		f.spread = f.spreading;
	}
	return f.spread == (int64_t)b->d->i->chunks * b->n;
}

/* Each step takes RATIO times as long as the one before, up to rounding, all of them together ROUNDS. */
static bool set_lengths(struct boxes *b, int64_t rounds, double ratio)
{
	int steps = b->d->steps, unit = b->groups.rounds;
	int64_t units = rounds / unit, before = 0;
	double sum = 0, so_far = 0;

	for (int s = 0; s < steps; s++)
		sum += pow(ratio, s);
	for (int s = 0; s < steps; s++) {
		so_far += pow(ratio, s);
		int64_t until = s == steps - 1 ? units : (int64_t)llround((double)units * so_far / sum), most = units - (steps - 1 - s);
		until = until > before ? until : before + 1;
		until = until < most ? until : most;
		if (until <= before)
			return false;
		b->rounds[s] = (int)(until - before) * unit;
		before = until;
	}
	return true;
}

static bool find_lengths(struct boxes *b, int64_t rounds)
{
	static const double finest = 0.01, least = 0.3;

	for (double ratio = 1; ratio >= least; ratio -= finest)
		if (set_lengths(b, rounds, ratio) && lengths_suffice(b))
			return true;
	return false;
}

/* ---- which boxes ---- */

static bool are_boxes(struct boxes *b, const unsigned char *closed, int rounds)
{
	b->n = find_components(b, closed);
	return b->n > 1 && b->n < b->w->nodes && find_entries(b) && count_inside(b) && find_lengths(b, rounds);
}

/* With rails, the nodes of a rail might be boxes too: takes the first boxes for which the rounds suffice. */
static bool find_boxes(struct boxes *b, int rounds)
{
	enum { PORT_GROUPS_MAX = 64 }; /* as in cut_components.c */
	const struct port_groups *g = &b->groups;
	unsigned char *closed = new_array(unsigned char, (size_t)g->n);
	bool found = false;

	for (int k = 0; k < g->n && g->n <= PORT_GROUPS_MAX && !found; k++) {
		for (int i = 0; i < g->n; i++)
			closed[i] = i == k;
		found = are_boxes(b, closed, rounds);
		for (int i = 0; i < g->n && !found; i++)
			closed[i] = g->bandwidth[i] <= g->bandwidth[k];
		found = found || are_boxes(b, closed, rounds);
	}
	free(closed);
	return found;
}

/* ---- the sends ---- */

/* The first C entries are those in node 0's own box. */
static int box_of_entry(const struct boxes *b, int64_t entry)
{
	return (int)(entry / b->d->i->chunks);
}

static int chunk_of_entry(const struct boxes *b, int64_t entry)
{
	return (int)(entry % b->d->i->chunks) * b->w->nodes;
}

static void spread(const struct boxes *b, int step, int64_t entry, const int *begin, const int *members)
{
	int box = box_of_entry(b, entry), from = b->entry[box];

	for (int i = begin[box]; i < begin[box + 1]; i++)
		if (members[i] != from)
			symmetric_schedule_send(b->d, step, chunk_of_entry(b, entry), network_edge(b->w, from, members[i]));
}

static void send_all(const struct boxes *b)
{
	struct boxes_flow f = {.arrived = b->d->i->chunks};
	int *begin = new_array(int, (size_t)b->n + 1), *members = new_array(int, (size_t)b->w->nodes), n = 0;

	for (int box = 0; box < b->n; box++) {
		begin[box] = n;
		for (int v = 0; v < b->w->nodes; v++)
			if (b->of[v] == box)
				members[n++] = v;
	}
	begin[b->n] = n;
	for (int s = 0; s < b->d->steps; s++) {
		boxes_step(b, s, &f);
		for (; f.arrived < f.coming; f.arrived++) {
			int to = b->entry[box_of_entry(b, f.arrived)];
			symmetric_schedule_send(b->d, s, chunk_of_entry(b, f.arrived), network_edge(b->w, 0, to));
		}
		for (; f.spread < f.spreading; f.spread++)
			spread(b, s, f.spread, begin, members);
	}
	free(begin);
	free(members);
}

bool hierarchical_allgather(struct symmetric_schedule *d, int rounds, int attempt)
{
	struct boxes b = {.d = d, .w = d->g->network, .groups = port_groups_new(d)};

	(void)attempt;
	b.of = new_array(int, (size_t)b.w->nodes);
	b.inside = new_array(int, (size_t)b.groups.n);
	b.rounds = new_array(int, (size_t)d->steps);
	bool found = find_boxes(&b, rounds);
	if (found)
		send_all(&b);
	boxes_free(&b);
	return found;
}
