/*
 * A discrete-event simulation, message by message. Either step by step, each step beginning when the last message of
 * the one before has arrived (stepwise.c), or by dataflow: a message starts once its chunk is at its source and its pair is
 * free (dataflow.c), in lockstep no earlier than its step begins there (lockstep.c). The sharing (fair.c, fifo.c, order.c)
 * decides when a message has been sent; the event loop only orders what happens.
 */

#include "simulate/simulator_state.h"

#include "core/schedule/algorithm.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"

#include <math.h>
#include <stdlib.h>

const char *const simulation_starts[] = {"steps", "dataflow", "lockstep", NULL};
const char *const simulation_sharings[] = {"fair", "fifo", "order", NULL};

static const struct sharing *const sharings[] = {[SHARING_FAIR] = &sharing_fair, [SHARING_FIFO] = &sharing_fifo,
						 [SHARING_ORDER] = &sharing_order};

static const struct way *way_of(const struct simulation *how)
{
	if (how->start == START_LOCKSTEP)
		return &way_lockstep;
	if (how->start == START_DATAFLOW)
		return &way_dataflow;
	return how->sharing == SHARING_FAIR ? &way_paced : &way_steps;
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

/* The first launch, then launches and runs beside each other, and the last run; divided by the calls. */
static double of_one_call(const struct simulation *how, double run)
{
	int calls = how->calls > 1 ? how->calls : 1;

	return (how->call + (calls - 1) * fmax(how->call, run) + run) / calls;
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
	*out = (struct simulated){.microseconds = of_one_call(&s->how, s->end), .longest_wait = s->longest_wait,
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

	for (size_t i = 0; i < s->fabric.n_links + s->fabric.n_limits && n; i++) {
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
	const struct speeds speeds = {how->alpha, how->beta, (double)how->buffer, (double)(how->packet + how->head), &how->step, how->ports};
	bool flows = how->start != START_STEPS;

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
