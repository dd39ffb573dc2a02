/* The event loop of a run: what happens next, whatever the start and the sharing. */

#include "simulate/simulator_state.h"

#include <math.h>
#include <stdint.h>

/* From 0 to 1, as random as needed: what splitmix64 makes of a message's number. */
static double jittered(int message)
{
	uint64_t z = ((uint64_t)message + 1) * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

double simulator_delay(const struct simulator *s, int message)
{
	double jitter = s->how.jitter > 0 ? s->how.jitter * jittered(message) : 0;

	return s->fabric.routes[s->traffic.route[message]].step + jitter + (s->traffic.reduces[message] ? s->how.reduce * s->run.wire : 0);
}

void simulator_note_arrival(struct simulator *s, int message, double since, double time)
{
	const struct route *route = &s->fabric.routes[s->traffic.route[message]];
	double waited = time - since - route->latency - simulator_delay(s, message) - s->run.wire / route->rate;

	if (time > s->end)
		s->end = time;
	if (waited > 0)
		s->waited += waited;
	if (waited > s->longest_wait)
		s->longest_wait = waited;
}

static void handle(struct simulator *s, double time, int message, enum happening what)
{
	if (what == HAPPENS_HEAD)
		s->run.sharing->head(&s->run, message, time);
	else
		s->way->handle(s, time, message, what);
}

/* Events at the same time are all handled before rates are updated. */
void simulator_play(struct simulator *s)
{
	struct run *r = &s->run;

	for (;;) {
		double settled = r->sharing->next(r), now = r->events.n ? heap_double(r->events.of[0].key) : INFINITY;
		if (isinf(settled) && isinf(now))
			return;
		if (settled < now)
			r->sharing->finish(r, settled);
		else
			do {
				struct heap_entry e = heap_take(&r->events);
				handle(s, heap_double(e.key), e.rank, (enum happening)e.item);
			} while (r->events.n && heap_double(r->events.of[0].key) <= now);
		if (s->way->choose)
			s->way->choose(s, fmin(settled, now));
	}
}
