/*
 * A discrete-event simulation, message by message. Either step by step, each step beginning when the last message of
 * the one before has arrived, or by dataflow: a message starts once its chunk is at its source and its pair is free.
 * The sharing (fair.c, fifo.c) decides when a message has been sent; the event loop only orders what happens.
 *
 * Step by step with fair sharing, the messages of a step start together, and latencies delay only their arrival. The
 * time at which each has been sent is then proportional to the bytes of a message, so the steps are simulated once, for
 * one byte, and every size follows from that.
 */

#include "simulate/simulator.h"

#include "core/schedule/algorithm.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"
#include "simulate/run.h"

#include <math.h>
#include <stdlib.h>

const char *const simulation_starts[] = {"steps", "dataflow", NULL};
const char *const simulation_sharings[] = {"fair", "fifo", "order", NULL};

static const struct sharing *const sharings[] = {[SHARING_FAIR] = &sharing_fair, [SHARING_FIFO] = &sharing_fifo,
						 [SHARING_ORDER] = &sharing_order};

/* In a step: the last message on a route of this delay has been sent after this many µs per byte of a message. */
struct step_pace {
	double delay, per_byte; /* µs from being sent until the step is done: the route's latency and its step cost */
};

/* All steps, simulated for one byte: the paces of step s are of[begin[s]] .. of[begin[s + 1] - 1]. Arrays are owned. */
struct step_paces {
	size_t *begin; /* [n_steps + 1]; NULL: not simulated yet */
	size_t n, capacity;
	struct step_pace *of;
	double waited, longest_wait;
};

struct simulator {
	struct run run; /* first member: the sharing gets a pointer to this, which `of` converts back */
	const struct algorithm *algorithm;
	struct simulation how;
	const struct way *way; /* for these options */
	struct fabric fabric;
	struct traffic traffic;
	double *load; /* [resource]: messages that cross it; those that count once together are one */
	struct step_paces paces; /* step by step with fair sharing */
	size_t first_pace;  /* of the step being simulated */
	/* State of the current run. */
	double begin, end; /* of the current step */
	double waited, longest_wait;
	double *since;     /* dataflow: when each message's chunk was at its source; negative: not yet */
	bool *is_there;    /* dataflow: has the message arrived? */
	int *cursor;       /* dataflow: each place's first entry that has not happened yet */
	int *turn;         /* dataflow: each queue's next index (simulate/traffic.h) */
	int *in_flight;    /* dataflow: the queue's messages that are being sent: 1, or those of a bundle */
	int *waits;        /* dataflow, [bundle]: messages whose chunk is not yet at its source; NULL: there are no bundles */
	/* By priority instead of the algorithm's order; NULL: not. */
	const double *priority;
	double *starts;
	struct heap *ready; /* [route]: its messages whose chunk is there, the highest priority first */
	struct heap looked; /* routes that may start a message now */
};

static struct simulator *of(struct run *r)
{
	return (struct simulator *)r;
}

static void note_arrival(struct simulator *s, int message, double since, double time)
{
	const struct route *route = &s->fabric.routes[s->traffic.route[message]];
	double waited = time - since - route->latency - route->step - s->run.wire / route->rate;

	if (time > s->end)
		s->end = time;
	if (waited > 0)
		s->waited += waited;
	if (waited > s->longest_wait)
		s->longest_wait = waited;
}

static void step_sent(struct run *r, int message, double time)
{
	(void)r, (void)message, (void)time;
}

/* When the step of a message that arrives at TIME is done: others may then rely on it. */
static double done(const struct run *r, int message, double time)
{
	return time + r->fabric->routes[r->traffic->route[message]].step;
}

static void step_arrived(struct run *r, int message, double time)
{
	note_arrival(of(r), message, of(r)->begin, done(r, message, time));
}

static void flow_sent(struct run *r, int message, double time)
{
	run_expect(r, time, message, HAPPENS_SENT);
}

static void flow_arrived(struct run *r, int message, double time)
{
	run_expect(r, done(r, message, time), message, HAPPENS_ARRIVED);
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

/* Is the message's chunk at its source? For a bundle: are those of all its messages? */
static bool is_ready(const struct simulator *s, int message)
{
	int bundle = bundle_of(s, message);

	return bundle < 0 ? s->since[message] >= 0 : s->waits[bundle] == 0;
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
static void start_by_priority(struct simulator *s, double time)
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
			if (bundle_of(s, message) >= 0)
				s->waits[t->bundle[message]]--;
			try_line(s, line_of(s, message), time);
		} else if (!s->is_there[message])
			return;
	}
}

static void handle(struct simulator *s, double time, int message, enum happening what)
{
	if (what == HAPPENS_HEAD)
		s->run.sharing->head(&s->run, message, time);
	else if (what == HAPPENS_SENT) {
		int line = line_of(s, message);
		if (--s->in_flight[line] == 0)
			try_line(s, line, time);
	} else {
		note_arrival(s, message, s->since[message], time);
		s->is_there[message] = true;
		advance(s, s->traffic.place[2 * message + 1], time);
	}
}

/* Runs until nothing is in flight. Events at the same time are all handled before rates are updated. */
static void play(struct simulator *s)
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
		start_by_priority(s, fmin(settled, now));
	}
}

/* The sharing calls this when a message, of one byte, of the step being simulated has been sent. */
static void pace_sent(struct run *r, int message, double time)
{
	struct simulator *s = of(r);
	struct step_paces *p = &s->paces;
	const struct route *route = &s->fabric.routes[s->traffic.route[message]];
	double waited = time - 1 / route->rate, delay = route->latency + route->step;
	size_t i = s->first_pace;

	p->waited += waited > 0 ? waited : 0;
	p->longest_wait = fmax(p->longest_wait, waited);
	while (i < p->n && (p->of[i].delay < delay || p->of[i].delay > delay))
		i++;
	if (i == p->n) {
		p->of = grown(p->of, &p->capacity, p->n + 1, sizeof *p->of);
		p->of[p->n++] = (struct step_pace){delay, time};
	} else
		p->of[i].per_byte = fmax(p->of[i].per_byte, time);
}

static void pace_arrived(struct run *r, int message, double time)
{
	(void)r, (void)message, (void)time;
}

static void pace_steps(struct simulator *s)
{
	const struct traffic *t = &s->traffic;
	struct run *r = &s->run;
	double wire = r->wire;

	s->paces.begin = new_array(size_t, t->n_steps + 1);
	r->wire = 1;
	for (size_t step = 0; step < t->n_steps; step++) {
		s->first_pace = s->paces.n;
		for (int m = t->step_begin[step]; m < t->step_begin[step + 1]; m++)
			r->sharing->start(r, m, 0);
		play(s);
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
			longest = fmax(longest, p->of[i].delay + p->of[i].per_byte * s->run.wire);
		s->end += longest;
	}
	s->waited = p->waited * s->run.wire;
	s->longest_wait = p->longest_wait * s->run.wire;
}

static void play_steps(struct simulator *s)
{
	const struct traffic *t = &s->traffic;

	for (size_t step = 0; step < t->n_steps; step++) {
		s->begin = s->end;
		for (int m = t->step_begin[step]; m < t->step_begin[step + 1]; m++)
			s->run.sharing->start(&s->run, m, s->begin);
		play(s);
	}
}

static void play_dataflow(struct simulator *s)
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
	for (int p = 0; p < t->n_places; p++)
		advance(s, p, 0);
	start_by_priority(s, 0);
	play(s);
	free(s->since);
	free(s->is_there);
	free(s->cursor);
	free(s->turn);
	free(s->in_flight);
	free(s->waits);
}

/* How a run is simulated, and what the sharing calls in it. */
struct way {
	void (*play)(struct simulator *s);
	void (*sent)(struct run *r, int message, double time);
	void (*arrived)(struct run *r, int message, double time);
};

static const struct way *way_of(const struct simulation *how)
{
	static const struct way paced = {play_paces, pace_sent, pace_arrived}, steps = {play_steps, step_sent, step_arrived},
				dataflow = {play_dataflow, flow_sent, flow_arrived};

	if (how->start == START_DATAFLOW)
		return &dataflow;
	return how->sharing == SHARING_FAIR ? &paced : &steps;
}

/* Bytes of a message, including headers. */
static double on_wire(const struct simulator *s, double bytes)
{
	double message = bytes / s->algorithm->chunks;
	double heads = s->how.packet ? ceil(message / (double)s->how.packet) : 1;
	return message + heads * (double)s->how.head;
}

static double use_of(const struct simulator *s, size_t resource, double bytes, double microseconds)
{
	return s->load[resource] * on_wire(s, bytes) / s->fabric.resources[resource].rate / microseconds;
}

static void note_use(const struct simulator *s, double bytes, struct simulated *out)
{
	for (size_t i = 0; i < s->fabric.n_links && out->microseconds > 0; i++) {
		double use = use_of(s, i, bytes, out->microseconds);
		out->use += use / (double)s->fabric.n_links;
		if (use > out->busiest)
			out->busiest = use;
	}
}

void simulator_run(struct simulator *s, double bytes, struct simulated *out)
{
	struct run *r = &s->run;

	s->begin = s->end = s->waited = s->longest_wait = 0;
	r->wire = on_wire(s, bytes);
	r->shares = r->sharing->open(r);
	s->way->play(s);
	r->sharing->close(r->shares);
	heap_free(&r->events);
	*out = (struct simulated){.microseconds = s->end, .longest_wait = s->longest_wait,
				  .waiting = s->traffic.n ? s->waited / s->traffic.n : 0};
	note_use(s, bytes, out);
}

void simulator_order(struct simulator *s, double bytes, const double *priority, double *starts, struct simulated *out)
{
	s->priority = priority;
	s->starts = starts;
	s->ready = new_array(struct heap, s->fabric.n_routes);
	s->looked = (struct heap){.tracks = true};
	simulator_run(s, bytes, out);
	for (size_t r = 0; r < s->fabric.n_routes; r++)
		heap_free(&s->ready[r]);
	heap_free(&s->looked);
	free(s->ready);
	s->priority = NULL;
}

size_t simulator_busiest(const struct simulator *s, double bytes, double microseconds, struct link_load *into, size_t n)
{
	size_t found = 0;

	for (size_t i = 0; i < s->fabric.n_resources && n; i++) {
		struct link_load l = {i < s->fabric.n_links ? (int)i : (int)s->fabric.n_links - 1 - (int)i,
				      use_of(s, i, bytes, microseconds)};
		if (found == n && into[n - 1].use >= l.use)
			continue;
		size_t at = found < n ? found++ : n - 1;
		for (; at > 0 && into[at - 1].use < l.use; at--)
			into[at] = into[at - 1];
		into[at] = l;
	}
	return found;
}

static void count_loads(struct simulator *s)
{
	const struct fabric *f = &s->fabric;

	s->load = new_array(double, f->n_resources);
	for (int m = 0; m < s->traffic.n; m++) {
		int route = s->traffic.route[m];
		for (int i = f->begin[route]; i < f->begin[route + 1]; i++)
			s->load[f->over[i]] += traffic_part(&s->traffic, f->longest, m, i - f->begin[route]);
	}
}

bool simulation_serves(const struct simulation *how, const struct topology *t, struct error *e)
{
	return how->sharing != SHARING_FIFO || !topology_has_abilities(t) ||
	       error_set(e, ERROR_INPUT, "--sharing", "fifo is not for a machine whose switches copy or add, such as %.64s", t->name);
}

struct simulator *simulator_new(const struct algorithm *a, const struct simulation *how, struct error *e)
{
	struct simulator *s = new(struct simulator);
	const struct speeds speeds = {how->alpha, how->beta, (double)how->buffer, (double)(how->packet + how->head), &how->step};
	bool flows = how->start == START_DATAFLOW;

	s->algorithm = a;
	s->how = *how;
	s->way = way_of(how);
	if (!simulation_serves(how, a->topology, e) || !fabric_open(a->topology, &speeds, &s->fabric, e) ||
	    !traffic_open(a, &s->fabric, flows, &s->traffic, e)) {
		simulator_free(s);
		return NULL;
	}
	s->run = (struct run){.fabric = &s->fabric, .traffic = &s->traffic, .sharing = sharings[how->sharing],
			      .sent = s->way->sent, .arrived = s->way->arrived};
	count_loads(s);
	return s;
}

void simulator_free(struct simulator *s)
{
	if (!s)
		return;
	fabric_close(&s->fabric);
	traffic_close(&s->traffic);
	free(s->load);
	free(s->paces.begin);
	free(s->paces.of);
	free(s);
}

static double once(double p)
{
	(void)p;
	return 1;
}
static double others(double p) { return p - 1; }
static double part(double p) { return (p - 1) / p; }
static double part_twice(double p) { return 2 * (p - 1) / p; }

double bus_factor_of(const struct collective *k, int nodes)
{
	static double (*const factors[COLLECTIVE_KINDS])(double p) = {
		[ALLGATHER] = others, [BROADCAST] = once, [GATHER] = others, [SCATTER] = part, [ALLTOALL] = part,
		[REDUCE] = once, [REDUCESCATTER] = part, [ALLREDUCE] = part_twice, [SCAN] = once, [CUSTOM] = once,
	};
	return factors[k->kind](nodes);
}

double bus_factor(const struct algorithm *a)
{
	return bus_factor_of(&a->collective, a->topology->nodes);
}
