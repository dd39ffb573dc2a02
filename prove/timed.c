/*
 * Recomputes the bound of weighted timed cuts in exact rational arithmetic: demand from the pre- and postconditions,
 * capacity of each step from maximum flows, or from prices of limits where that is less.
 */

#include "prove/timed.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "core/base/work.h"
#include "prove/cut.h"
#include "prove/timed_allreduce.h"

#include <stdlib.h>

const struct timed *timed_of(const struct side *s, int steps)
{
	for (size_t i = 0; i < s->n_timed; i++)
		if (s->timed[i].steps == steps)
			return &s->timed[i];
	return NULL;
}

void timed_free(struct timed *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t c = 0; c < list[i].n_cuts; c++)
			free(list[i].cuts[c].until);
		free(list[i].cuts);
		free(list[i].prices);
		free(list[i].symmetries);
	}
	free(list);
}

/* Chunks that begin outside and are wanted inside at the end. */
static int64_t chunks_into(const struct instance *i, const int *until)
{
	int64_t n = 0;

	for (int c = 0; c < i->global_chunks && work_spend(2 * i->network->nodes); c++) {
		bool inside = false, wanted = false;
		for (int v = 0; v < i->network->nodes; v++) {
			inside = inside || (until[v] >= 0 && instance_pre(i, c, v));
			wanted = wanted || (until[v] == i->steps && instance_post(i, c, v));
		}
		n += wanted && !inside;
	}
	return n;
}

/* The most that can cross in a round of step S, from nodes outside before it to nodes inside after it. */
static int64_t room_in_step(const struct question *q, const int *until, int s, int *side)
{
	for (int v = 0; v < q->topology->nodes; v++)
		side[v] = until[v] >= s ? CUT_TO : until[v] < s - 1 ? CUT_FROM : CUT_BESIDE;
	return cut_flow(q->topology, q->backwards, side);
}

/* The weighted crossings of all cuts in a round of step S, with the capacity of all links for each cut alone. */
static struct rational room_one_by_one(const struct question *q, const struct timed *t, int s, int *side)
{
	struct rational room = rational(0, 1);

	for (size_t k = 0; k < t->n_cuts && !work_is_over(); k++)
		room = rational_add(room, rational_mul(rational(t->cuts[k].weight, 1),
						       rational(room_in_step(q, t->cuts[k].until, s, side), 1)));
	return room;
}

enum { RATIO = 8 }; /* work of adding two rationals */

/* The total weight of the cuts that an edge crosses in step S. */
static struct rational worth_of(const struct timed *t, const struct edge *e, int s)
{
	struct rational worth = rational(0, 1);

	for (size_t k = 0; k < t->n_cuts; k++)
		if (t->cuts[k].until[e->src] < s - 1 && t->cuts[k].until[e->dst] >= s)
			worth = rational_add(worth, rational(t->cuts[k].weight, 1));
	return worth;
}

/*
 * The same for all cuts jointly: the price of each limit covers part of the value of crossing its edges, and what
 * remains of an edge's value counts with the edge's own bandwidth. This is an upper bound whatever the prices.
 */
static struct rational room_by_prices(const struct network *w, const struct timed *t, int s)
{
	struct rational room = rational(0, 1), *paid = new_array(struct rational, w->n_edges);

	for (size_t e = 0; e < w->n_edges; e++)
		paid[e] = rational(0, 1);
	for (size_t i = 0; i < t->n_prices && work_spend(1); i++) {
		const struct timed_price *p = &t->prices[i];
		if (p->step != s || (size_t)p->limit >= w->n_limits)
			continue;
		const struct network_limit *l = &w->limits[p->limit];
		room = rational_add(room, rational_mul(rational(p->price, 1), rational(l->bandwidth, 1)));
		for (size_t e = 0; e < l->n_edges && work_spend(RATIO); e++)
			paid[l->edges[e]] = rational_add(paid[l->edges[e]], rational(p->price, 1));
	}
	for (size_t e = 0; e < w->n_edges && work_spend((double)t->n_cuts + RATIO); e++) {
		struct rational left = rational_sub(worth_of(t, &w->edges[e], s), paid[e]);
		if (!rational_ok(left) || left.num > 0)
			room = rational_add(room, rational_mul(left, rational(w->edges[e].bandwidth, 1)));
	}
	free(paid);
	return room;
}

/* Both are upper bounds on the capacity of a round. */
static struct rational room_of(const struct question *q, const struct instance *i, const struct timed *t, int s, int *side)
{
	struct rational one_by_one = room_one_by_one(q, t, s, side), together;

	if (t->n_prices == 0)
		return one_by_one;
	together = room_by_prices(i->network, t, s);
	if (!rational_ok(one_by_one) || !rational_ok(together))
		return rational_ok(together) ? together : one_by_one;
	return rational_compare(together, one_by_one) < 0 ? together : one_by_one;
}

static struct rational sum_up(const struct question *q, const struct instance *i, const struct timed *t, int *side)
{
	struct rational demand = rational(0, 1), most = rational(0, 1);

	for (size_t k = 0; k < t->n_cuts && !work_is_over(); k++)
		demand = rational_add(demand, rational_mul(rational(t->cuts[k].weight, 1), rational(chunks_into(i, t->cuts[k].until), 1)));
	for (int s = 1; s <= t->steps && !work_is_over(); s++) {
		struct rational room = room_of(q, i, t, s, side);
		if (!rational_ok(room))
			return room;
		most = rational_compare(room, most) > 0 ? room : most;
	}
	return most.num > 0 ? rational_div(rational_div(demand, most), rational(q->unit, 1)) : rational(0, 1);
}

struct rational timed_bandwidth(const struct question *q, const struct timed *t)
{
	struct error e = {0};
	struct instance i;

	if (q->asked.kind == ALLREDUCE)
		return timed_allreduce_bandwidth(q->network, t);
	if (t->n_symmetries || collective_row(&q->asked)->combining || !question_instance(q, (struct candidate){q->unit, t->steps, t->steps}, &i, &e))
		return rational(0, 1);
	int *side = new_array(int, (size_t)q->topology->nodes);
	struct rational bound = sum_up(q, &i, t, side);
	free(side);
	question_done(&i);
	return rational_ok(bound) ? bound : rational(0, 1);
}
