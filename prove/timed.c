#include "prove/timed.h"

#include "core/error.h"
#include "core/memory.h"
#include "core/network.h"
#include "core/topology.h"
#include "prove/cut.h"

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
	}
	free(list);
}

/* Chunks that begin outside and are wanted inside at the end. */
static int64_t chunks_into(const struct instance *i, const int *until)
{
	int64_t n = 0;

	for (int c = 0; c < i->global_chunks; c++) {
		bool inside = false, wanted = false;
		for (int v = 0; v < i->network->nodes; v++) {
			inside = inside || (until[v] >= 0 && instance_pre(i, c, v));
			wanted = wanted || (until[v] == i->steps && instance_post(i, c, v));
		}
		n += wanted && !inside;
	}
	return n;
}

/* What gets in by a round of step S: from nodes outside before it to nodes inside after it. */
static int64_t room_in_step(const struct question *q, const int *until, int s, int *side)
{
	for (int v = 0; v < q->topology->nodes; v++)
		side[v] = until[v] >= s ? CUT_TO : until[v] < s - 1 ? CUT_FROM : CUT_BESIDE;
	return cut_flow(q->topology, q->backwards, side);
}

static struct rational sum_up(const struct question *q, const struct instance *i, const struct timed *t, int *side)
{
	struct rational demand = rational(0, 1), most = rational(0, 1);

	for (size_t k = 0; k < t->n_cuts; k++)
		demand = rational_add(demand, rational_mul(rational(t->cuts[k].weight, 1), rational(chunks_into(i, t->cuts[k].until), 1)));
	for (int s = 1; s <= t->steps; s++) {
		struct rational room = rational(0, 1);
		for (size_t k = 0; k < t->n_cuts; k++)
			room = rational_add(room, rational_mul(rational(t->cuts[k].weight, 1),
							       rational(room_in_step(q, t->cuts[k].until, s, side), 1)));
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

	if (collective_row(&q->asked)->combining || !question_instance(q, (struct candidate){q->unit, t->steps, t->steps}, &i, &e))
		return rational(0, 1);
	int *side = new_array(int, (size_t)q->topology->nodes);
	struct rational bound = sum_up(q, &i, t, side);
	free(side);
	question_done(&i);
	return rational_ok(bound) ? bound : rational(0, 1);
}
