/*
 * Step by step: each step begins when the last message of the one before is done.
 *
 * With fair sharing, the messages of a step start together, and latencies delay only their arrival. The time at which
 * each has been sent is then proportional to the bytes of a message, so the steps are simulated once, for one byte, and
 * every size follows from that. Messages of a step on the same route have the same rates throughout: one of them stands for
 * all, unless they may be in different bundles.
 */

#include "simulate/simulator_state.h"

#include "core/base/memory.h"

#include <math.h>
#include <stdlib.h>

/* The sharing calls this when a message, of one byte, of the step being simulated has been sent. */
static void pace_sent(struct run *r, int message, double time)
{
	struct simulator *s = simulator_of(r);
	struct step_paces *p = &s->paces;
	const struct route *route = &s->fabric.routes[s->traffic.route[message]];
	double waited = time - 1 / route->rate, delay = route->latency + route->step;
	int messages = s->traffic.weight ? s->traffic.weight[message] : 1;
	bool reduces = s->traffic.reduces[message];
	size_t i = s->first_pace;

	p->waited += waited > 0 ? messages * waited : 0;
	p->longest_wait = fmax(p->longest_wait, waited);
	while (i < p->n && (p->of[i].reduces != reduces || p->of[i].delay < delay || p->of[i].delay > delay))
		i++;
	if (i == p->n) {
		p->of = grown(p->of, &p->capacity, p->n + 1, sizeof *p->of);
		p->of[p->n++] = (struct step_pace){delay, reduces, time};
	} else
		p->of[i].per_byte = fmax(p->of[i].per_byte, time);
}

static void pace_arrived(struct run *r, int message, double time)
{
	(void)r, (void)message, (void)time;
}

/*
 * Sets how many messages of a step each message stands for: on every route, the first that is added to a value stands for all such
 * messages, the first that replaces one for all of those, and the others for none. FIRST [2 * route + reduces] is all 0, before and
 * after.
 */
static void weigh(struct traffic *t, size_t step, int *first)
{
	int begin = t->step_begin[step], end = t->step_begin[step + 1];

	for (int m = begin; m < end; m++) {
		int *at = &first[2 * t->route[m] + t->reduces[m]];
		if (!*at)
			*at = m + 1;
		t->weight[*at - 1]++;
	}
	for (int m = begin; m < end; m++)
		first[2 * t->route[m] + t->reduces[m]] = 0;
}

static void weigh_all(struct simulator *s)
{
	struct traffic *t = &s->traffic;
	int *first = new_array(int, 2 * s->fabric.n_routes);

	t->weight = new_array(int, (size_t)t->n);
	for (size_t step = 0; step < t->n_steps; step++)
		weigh(t, step, first);
	free(first);
}

static void pace_steps(struct simulator *s)
{
	const struct traffic *t = &s->traffic;
	struct run *r = &s->run;
	double wire = r->wire;

	if (!t->bundle)
		weigh_all(s);
	s->paces.begin = new_array(size_t, t->n_steps + 1);
	r->wire = 1;
	for (size_t step = 0; step < t->n_steps; step++) {
		s->first_pace = s->paces.n;
		for (int m = t->step_begin[step]; m < t->step_begin[step + 1]; m++)
			if (!t->weight || t->weight[m])
				r->sharing->start(r, m, 0);
		simulator_play(s);
		s->paces.begin[step + 1] = s->paces.n;
	}
	r->wire = wire;
}

static void play_paces(struct simulator *s)
{
	const struct step_paces *p = &s->paces;

	if (!p->begin)
		pace_steps(s);
	for (size_t step = 0; step < s->traffic.n_steps; step++) {
		double longest = 0;
		for (size_t i = p->begin[step]; i < p->begin[step + 1]; i++)
			longest = fmax(longest, p->of[i].delay + (p->of[i].per_byte + (p->of[i].reduces ? s->how.reduce : 0)) * s->run.wire);
		s->end += longest;
	}
	s->waited = p->waited * s->run.wire;
	s->longest_wait = p->longest_wait * s->run.wire;
}

static void step_sent(struct run *r, int message, double time)
{
	(void)r, (void)message, (void)time;
}

static void step_arrived(struct run *r, int message, double time)
{
	struct simulator *s = simulator_of(r);

	simulator_note_arrival(s, message, s->begin, time + simulator_delay(s, message));
}

static void play_steps(struct simulator *s)
{
	const struct traffic *t = &s->traffic;

	for (size_t step = 0; step < t->n_steps; step++) {
		s->begin = s->end;
		for (int m = t->step_begin[step]; m < t->step_begin[step + 1]; m++)
			s->run.sharing->start(&s->run, m, s->begin);
		simulator_play(s);
	}
}

const struct way way_paced = {play_paces, pace_sent, pace_arrived, NULL, NULL}, way_steps = {play_steps, step_sent, step_arrived, NULL, NULL};
