/*
 * By dataflow: a message starts once its chunk is at its source and its pair is free, in the algorithm's order or by
 * priority. What happens at a place (a chunk at a node) happens in the schedule's order (simulate/traffic.h).
 */

#include "simulate/simulator_state.h"

#include "core/base/memory.h"

#include <stdlib.h>

void dataflow_sent(struct run *r, int message, double time)
{
	run_expect(r, time, message, HAPPENS_SENT);
}

void dataflow_arrived(struct run *r, int message, double time)
{
	run_expect(r, time + simulator_delay(simulator_of(r), message), message, HAPPENS_ARRIVED);
}

/* By priority every message goes by itself, on its route. */
static int line_of(const struct simulator *s, int message)
{
	return s->priority ? s->traffic.route[message] : s->traffic.line[message];
}

static int bundle_of(const struct simulator *s, int message)
{
	return s->traffic.bundle && !s->priority ? s->traffic.bundle[message] : -1;
}

/* Is the message's chunk at its source, and in lockstep its step begun there? For a bundle: are those of all its messages? */
static bool is_ready(const struct simulator *s, int message)
{
	int bundle = bundle_of(s, message);

	if (bundle >= 0)
		return s->waits[bundle] == 0;
	return s->since[message] >= 0 &&
	       (!s->interfaces || s->step_of[message] <= s->interfaces[s->fabric.routes[s->traffic.route[message]].src].step);
}

/* Starts a message, or all of a bundle. */
static void start_next(struct simulator *s, int line, double time)
{
	const struct traffic *t = &s->traffic;
	int message = t->queue.of[s->turn[line]++], bundle = bundle_of(s, message);

	s->in_flight[line] = bundle < 0 ? 1 : csr_size(&t->bundles, bundle);
	if (bundle < 0)
		s->run.sharing->start(&s->run, message, time);
	for (int i = 0; bundle >= 0 && i < csr_size(&t->bundles, bundle); i++)
		s->run.sharing->start(&s->run, t->bundles.of[t->bundles.begin[bundle] + i], time);
}

/* Starts the next message of a queue if nothing of it is being sent and the message's chunk is there. */
static void try_line(struct simulator *s, int line, double time)
{
	const struct traffic *t = &s->traffic;
	int at = s->turn[line];

	if (s->priority)
		heap_put(&s->looked, (struct heap_entry){0, line, line});
	else if (!s->in_flight[line] && at < t->queue.begin[line + 1] && is_ready(s, t->queue.of[at]))
		start_next(s, line, time);
}

/*
 * By priority: starts a message of each pair that was looked at, once all that happens at this time has happened, so that
 * the choice is among all messages that can start.
 */
static void choose(struct simulator *s, double time)
{
	while (s->looked.n) {
		int route = heap_take(&s->looked).item;
		if (s->in_flight[route] || !s->ready[route].n)
			continue;
		int message = heap_take(&s->ready[route]).item;
		s->in_flight[route] = 1;
		s->starts[message] = time;
		s->run.sharing->start(&s->run, message, time);
	}
}

void dataflow_issue(struct simulator *s, int message, double time)
{
	if (bundle_of(s, message) >= 0)
		s->waits[s->traffic.bundle[message]]--;
	try_line(s, line_of(s, message), time);
}

/* Events at a place happen in order: a message leaves it once all that arrives there before has arrived. */
static void advance(struct simulator *s, int place, double time)
{
	const struct traffic *t = &s->traffic;

	for (int entry; (entry = s->cursor[place]) >= 0; s->cursor[place] = t->next[entry]) {
		int message = entry / 2;
		if (entry % 2 == 0) {
			s->since[message] = time;
			if (s->priority)
				heap_put(&s->ready[t->route[message]], (struct heap_entry){heap_key(-s->priority[message]), message, message});
			if (s->gate)
				s->gate->chunk_is_there(s, message, time);
			else
				dataflow_issue(s, message, time);
		} else if (!s->is_there[message])
			return;
	}
}

void dataflow_handle(struct simulator *s, double time, int message, enum happening what)
{
	if (what == HAPPENS_STEP)
		s->gate->step_is_over(s, message, time);
	else if (what == HAPPENS_SENT) {
		int line = line_of(s, message);
		if (--s->in_flight[line] == 0)
			try_line(s, line, time);
		if (s->gate)
			s->gate->has_left(s, message, time);
	} else {
		simulator_note_arrival(s, message, s->since[message], time);
		s->is_there[message] = true;
		advance(s, s->traffic.place[2 * message + 1], time);
	}
}

void dataflow_play(struct simulator *s)
{
	const struct traffic *t = &s->traffic;

	s->since = new_array(double, (size_t)t->n);
	s->is_there = new_array(bool, (size_t)t->n);
	s->cursor = new_array(int, (size_t)t->n_places);
	s->turn = new_array(int, (size_t)t->queue.rows);
	s->in_flight = new_array(int, (size_t)t->queue.rows);
	s->waits = t->bundle ? new_array(int, (size_t)t->n_bundles) : NULL;
	for (int b = 0; b < t->n_bundles; b++)
		s->waits[b] = csr_size(&t->bundles, b);
	for (int m = 0; m < t->n; m++)
		s->since[m] = -1;
	for (int p = 0; p < t->n_places; p++)
		s->cursor[p] = t->first[p];
	for (int r = 0; r < t->queue.rows; r++)
		s->turn[r] = t->queue.begin[r];
	if (s->gate)
		s->gate->begin(s);
	for (int p = 0; p < t->n_places; p++)
		advance(s, p, 0);
	choose(s, 0);
	simulator_play(s);
	free(s->since);
	free(s->is_there);
	free(s->cursor);
	free(s->turn);
	free(s->in_flight);
	free(s->waits);
}

const struct way way_dataflow = {dataflow_play, dataflow_sent, dataflow_arrived, dataflow_handle, choose};
