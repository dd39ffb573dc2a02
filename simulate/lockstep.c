/*
 * As MultiTree's network interfaces play their tables (Huang et al., ISCA 2021, section IV-A). A node has a step counter and
 * a lockstep counter. Rows of the current step are issued as soon as what they depend on has been received: a reduce its
 * children, a gather its parent. The next step begins when all rows of this one have been issued and the lockstep counter
 * has counted down the step's estimated time, that of the bytes that its busiest link has to send, less what the
 * interface holds. A node without a row in a step (NOP) waits for that time alone. There is no barrier: where estimates are
 * exact, steps do not collide, and a step's latency is hidden behind those that do not depend on it.
 *
 * With ports (struct simulation) a node with rows in a step goes on when they have been sent, in place of the estimate.
 */

#include "simulate/simulator_state.h"

#include "core/base/memory.h"

#include <math.h>
#include <stdlib.h>

static int sender(const struct simulator *s, int message)
{
	return s->fabric.routes[s->traffic.route[message]].src;
}

/* The time for which a step of the schedule keeps its busiest link or limit sending. LOAD [resource] is zero, and is so again. */
static double estimated(const struct simulator *s, size_t step, double *load)
{
	const struct fabric *f = &s->fabric;
	const struct traffic *t = &s->traffic;
	double most = 0;

	for (int pass = 0; pass < 2; pass++)
		for (int m = t->step_begin[step]; m < t->step_begin[step + 1]; m++)
			for (int i = f->begin[t->route[m]]; i < f->begin[t->route[m] + 1]; i++) {
				double *l = &load[f->over[i]];
				if (pass) {
					double bytes = fmax(0, *l * s->run.wire - (double)s->how.interface);
					most = fmax(most, bytes / f->resources[f->over[i]].rate);
					*l = 0;
				} else
					*l += traffic_part(t, f->longest, m, i - f->begin[t->route[m]]);
			}
	return most;
}

/* Issues what can be of the node's step, and what of it waits is counted. */
static void begin_step(struct simulator *s, int node, double time)
{
	struct interface *x = &s->interfaces[node];

	x->at = x->end;
	while (x->end < s->sends.begin[node + 1] && s->step_of[s->sends.of[x->end]] == x->step)
		x->end++;
	x->is_over = false;
	x->waits_for = 0;
	x->sending = s->how.ports ? x->end - x->at : 0;
	for (int i = x->at; i < x->end; i++)
		x->waits_for += s->since[s->sends.of[i]] < 0;
	for (int i = x->at; i < x->end; i++)
		if (s->since[s->sends.of[i]] >= 0)
			dataflow_issue(s, s->sends.of[i], time);
	if (x->end < s->sends.begin[node + 1] && !x->sending)
		run_expect(&s->run, time + s->estimate[x->step], node, HAPPENS_STEP);
}

static void go_on(struct simulator *s, int node, double time)
{
	struct interface *x = &s->interfaces[node];

	if (!x->is_over || x->waits_for)
		return;
	x->step++;
	begin_step(s, node, time);
}

static void step_is_over(struct simulator *s, int node, double time)
{
	s->interfaces[node].is_over = true;
	go_on(s, node, time);
}

static void has_left(struct simulator *s, int message, double time)
{
	int node = sender(s, message);
	struct interface *x = &s->interfaces[node];

	if (s->how.ports && --x->sending == 0 && x->end < s->sends.begin[node + 1])
		step_is_over(s, node, time);
}

static void chunk_is_there(struct simulator *s, int message, double time)
{
	int node = sender(s, message);
	struct interface *x = &s->interfaces[node];

	if (s->step_of[message] != x->step)
		return;
	x->waits_for--;
	dataflow_issue(s, message, time);
	go_on(s, node, time);
}

static void begin(struct simulator *s)
{
	for (int node = 0; node < s->fabric.nodes; node++) {
		s->interfaces[node] = (struct interface){.end = s->sends.begin[node]};
		begin_step(s, node, 0);
	}
}

static const struct gate gate = {begin, chunk_is_there, step_is_over, has_left};

static void lockstep_play(struct simulator *s)
{
	const struct traffic *t = &s->traffic;
	double *load = new_array(double, s->fabric.n_resources);

	s->interfaces = new_array(struct interface, (size_t)s->fabric.nodes);
	s->step_of = new_array(int, (size_t)t->n);
	s->estimate = new_array(double, t->n_steps);
	s->sends = csr_new(s->fabric.nodes);
	for (int m = 0; m < t->n; m++)
		csr_count(&s->sends, sender(s, m));
	csr_allocate(&s->sends);
	for (int m = 0; m < t->n; m++)
		csr_put(&s->sends, sender(s, m), m);
	for (size_t step = 0; step < t->n_steps; step++) {
		for (int m = t->step_begin[step]; m < t->step_begin[step + 1]; m++)
			s->step_of[m] = (int)step;
		s->estimate[step] = estimated(s, step, load);
	}
	s->gate = &gate;
	dataflow_play(s);
	s->gate = NULL;
	free(load);
	csr_free(&s->sends);
	free(s->estimate);
	free(s->step_of);
	free(s->interfaces);
	s->interfaces = NULL;
}

const struct way way_lockstep = {lockstep_play, dataflow_sent, dataflow_arrived, dataflow_handle, NULL};
