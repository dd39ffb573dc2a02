/*
 * Asks for an end (encode/smt/shortest_schedule.h) and halves the interval between the last that was refuted and the best that
 * was found. Times are rounded down to ticks of a millionth or less of the end, so that what is refuted holds for true times; what was
 * found takes a few ticks longer than the solver says. Each question has a process of its own, which may be ended.
 */

#include "synth/timed/exact_schedule.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/process.h"
#include "core/base/stop.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "core/schedule/transform.h"
#include "encode/smt/shortest_schedule.h"
#include "simulate/fabric.h"
#include "simulate/simulator.h"
#include "synth/builder/rows.h"
#include "synth/problem/problem.h"
#include "synth/timed/timed_sends.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "exact-schedule";

enum {
	MESSAGES_MOST = 1024,       /* (chunk, route): a question that is asked at all */
	MESSAGES_SMALL = 96,        /* one that is decided within seconds */
	CONFLICTS = 50000,          /* of a question */
	TICKS = 1 << 22,            /* of the longest way, at least, unless the end is too many: */
	TICKS_OF_ALL = 1 << 30,
	PARTS = 1 << 20,            /* of a resource */
	PRECISION = 20,             /* 2^-20 of the end */
};

/* What is scheduled: a collective that copies. Borrowed. */
struct subject {
	const struct topology *topology;
	const struct network *network;
	const struct collective *collective;
	int chunks;
	double bytes; /* of a chunk */
	double floor; /* µs: no schedule takes less; 0: not known */
};

/* It, as a question to the solver. */
struct exact {
	const struct subject *of;
	struct fabric fabric;
	struct shortest_question question; /* its arrays are owned */
	double tick;                       /* µs */
	size_t n_arrivals;
	struct shortest_arrival *best;     /* [chunk * nodes + node]; owned; NULL: nothing was found */
	int end, refuted;                  /* ticks: of the best; there is none that ends by then */
};

/* ---- the question ---- */

static double rate_of(const struct fabric *f, int route)
{
	double rate = f->routes[route].rate;

	for (int i = f->begin[route]; i < f->begin[route + 1]; i++) {
		int times = 0;
		for (int k = f->begin[route]; k < f->begin[route + 1]; k++)
			times += f->over[k] == f->over[i];
		rate = fmin(rate, f->resources[f->over[i]].rate / times);
	}
	return rate;
}

static double busy_of(const struct exact *x, int route)
{
	return x->of->bytes / rate_of(&x->fabric, route);
}

static double delay_of(const struct exact *x, int route)
{
	const struct route *r = &x->fabric.routes[route];

	return busy_of(x, route) + r->latency + r->step;
}

/* Sets the parts of each resource that a message takes. A route that crosses one twice has two entries for it, of half. */
static void add_resources(struct exact *x)
{
	struct shortest_question *q = &x->question;
	const struct fabric *f = &x->fabric;
	int *use = new_array(int, (size_t)f->begin[f->n_routes]), *capacity = new_array(int, f->n_resources);
	int *begin = new_array(int, f->n_routes + 1), *over = new_array(int, (size_t)f->begin[f->n_routes]), n = 0;

	for (size_t r = 0; r < f->n_routes; r++) {
		begin[r] = n;
		for (int i = f->begin[r]; i < f->begin[r + 1]; i++) {
			int parts = (int)(rate_of(f, (int)r) / f->resources[f->over[i]].rate * PARTS * (1 - 1e-9)), at = begin[r];
			while (at < n && over[at] != f->over[i])
				at++;
			use[at] = at < n ? use[at] + parts : parts;
			over[at] = f->over[i];
			n = at < n ? n : at + 1;
		}
	}
	begin[f->n_routes] = n;
	for (size_t r = 0; r < f->n_resources; r++)
		capacity[r] = PARTS;
	q->n_resources = f->n_resources;
	q->begin = begin;
	q->over = over;
	q->use = use;
	q->capacity = capacity;
}

/* Fills in which nodes have and want each chunk, and which chunks are parts of the same. */
static void add_chunks(struct exact *x)
{
	const struct collective *k = x->of->collective;
	const struct collective_row *row = collective_row(k);
	struct shortest_question *q = &x->question;
	bool *has = new_array(bool, x->n_arrivals), *wanted = new_array(bool, x->n_arrivals);
	int *alike = new_array(int, (size_t)q->chunks), period = collective_period(k, q->nodes);

	for (int c = 0; c < q->chunks; c++) {
		alike[c] = c < period ? -1 : c - period;
		for (int v = 0; v < q->nodes; v++) {
			size_t at = (size_t)c * (size_t)q->nodes + (size_t)v;
			has[at] = row->pre(k, q->nodes, c, v);
			wanted[at] = row->post(k, q->nodes, c, v) && !has[at];
		}
	}
	q->has = has;
	q->wanted = wanted;
	q->alike = alike;
}

/* µs of the quickest way from a holder to each node, by Bellman and Ford. */
static void find_ways(const struct exact *x, int chunk, double *way)
{
	const struct shortest_question *q = &x->question;
	const struct fabric *f = &x->fabric;

	for (int v = 0; v < q->nodes; v++)
		way[v] = q->has[chunk * q->nodes + v] ? 0 : INFINITY;
	for (int again = 1; again < q->nodes; again++)
		for (size_t r = 0; r < f->n_routes; r++)
			way[f->routes[r].dst] = fmin(way[f->routes[r].dst], way[f->routes[r].src] + delay_of(x, (int)r));
}

/* The size of a tick: the longest way has many, and all ways one after another not too many. False with *e set. */
static bool set_ticks(struct exact *x, struct error *e)
{
	const struct shortest_question *q = &x->question;
	double *way = new_array(double, (size_t)q->nodes), longest = 0, sum = 0;

	for (int c = 0; c < q->chunks; c++) {
		find_ways(x, c, way);
		for (int v = 0; v < q->nodes; v++)
			if (q->wanted[c * q->nodes + v]) {
				longest = fmax(longest, way[v]);
				sum += way[v];
			}
	}
	free(way);
	if (isinf(longest))
		return error_set(e, ERROR_INPUT, name, "a node cannot be reached");
	if (longest <= 0)
		return error_set(e, ERROR_INPUT, name, "has nothing to schedule: no chunk has to move");
	x->tick = fmax(longest / TICKS, sum / TICKS_OF_ALL);
	x->end = (int)(sum / x->tick) + 1;
	x->refuted = (int)(fmax(longest, x->of->floor) / x->tick * (1 - 1e-9)) - 1;
	x->refuted = x->refuted < 0 ? 0 : x->refuted;
	return true;
}

static void add_routes(struct exact *x)
{
	const struct fabric *f = &x->fabric;
	struct shortest_route *routes = new_array(struct shortest_route, f->n_routes);

	for (size_t r = 0; r < f->n_routes; r++) {
		int delay = (int)(delay_of(x, (int)r) / x->tick);
		routes[r] = (struct shortest_route){f->routes[r].src, f->routes[r].dst, (int)(busy_of(x, (int)r) / x->tick), delay < 1 ? 1 : delay};
	}
	x->question.routes = routes;
}

static bool exact_open(struct exact *x, const struct subject *s, const struct speeds *speeds, struct error *e)
{
	*x = (struct exact){.of = s};
	if (!fabric_open(s->topology, speeds, &x->fabric, e))
		return false;
	if (x->fabric.crossed)
		return error_set(e, ERROR_INPUT, name, "does not serve machines with switches that copy or add");
	int nodes = s->topology->nodes, chunks = collective_global_chunks(s->collective, nodes, s->chunks);
	if ((double)chunks * (double)x->fabric.n_routes > MESSAGES_MOST)
		return error_set(e, ERROR_LIMIT, name, "%d chunks over %zu routes are more than %d messages: too many", chunks, x->fabric.n_routes, MESSAGES_MOST);
	x->question = (struct shortest_question){.nodes = nodes, .chunks = chunks, .n_routes = x->fabric.n_routes, .conflicts = CONFLICTS};
	x->n_arrivals = (size_t)chunks * (size_t)nodes;
	add_resources(x);
	add_chunks(x);
	if (!set_ticks(x, e))
		return false;
	add_routes(x);
	return true;
}

static void exact_close(struct exact *x)
{
	struct shortest_question *q = &x->question;

	fabric_close(&x->fabric);
	free((void *)q->routes);
	free((void *)q->begin);
	free((void *)q->over);
	free((void *)q->use);
	free((void *)q->capacity);
	free((void *)q->has);
	free((void *)q->wanted);
	free((void *)q->alike);
	free(x->best);
}

/* ---- answers ---- */

/* In a worker. */
static int ask_solver(const void *what, int file)
{
	const struct exact *x = what;
	struct shortest_arrival *arrivals = new_array(struct shortest_arrival, x->n_arrivals);
	enum answer answer = shortest_schedule(&x->question, arrivals);

	process_send(file, &answer, sizeof answer);
	if (answer == ANSWER_FOUND)
		process_send(file, arrivals, x->n_arrivals * sizeof *arrivals);
	free(arrivals);
	return 0;
}

static int end_of(const struct exact *x, const struct shortest_arrival *arrivals)
{
	int end = 0;

	for (size_t i = 0; i < x->n_arrivals; i++)
		end = x->question.wanted[i] && arrivals[i].time > end ? arrivals[i].time : end;
	return end;
}

/* Is there a schedule that ends by WITHIN? Keeps it. A worker that ends without a whole answer gave up. */
static enum answer ask(struct exact *x, int within, struct error *e)
{
	struct worker p, *one = &p;
	enum answer answer = ANSWER_GAVE_UP;
	double left = stop_left();

	x->question.within = within;
	if (left <= 0 || !process_start(&p, ask_solver, x, (struct process_limits){.seconds = isinf(left) ? 0 : left}, e))
		return ANSWER_GAVE_UP;
	if (process_wait(&one, 1, -1) < 0) {
		process_kill(&p);
		error_set(e, ERROR_SYSTEM, name, "interrupted");
		return ANSWER_GAVE_UP;
	}
	process_finish(&p);
	size_t bytes = x->n_arrivals * sizeof *x->best;
	if (p.bytes.length >= sizeof answer)
		memcpy(&answer, p.bytes.bytes, sizeof answer);
	if (answer == ANSWER_FOUND && p.bytes.length == sizeof answer + bytes) {
		free(x->best);
		x->best = copy_bytes(p.bytes.bytes + sizeof answer, bytes);
		x->end = end_of(x, x->best);
	} else if (answer == ANSWER_FOUND)
		answer = ANSWER_GAVE_UP;
	else if (answer == ANSWER_NONE)
		x->refuted = within;
	text_free(&p.bytes);
	return answer;
}

/* Asks until what is left between the refuted and the best is less than the precision, or a question is not decided. */
static bool halve(struct exact *x, struct error *e)
{
	enum answer answer = ask(x, x->end, e);

	while (answer != ANSWER_GAVE_UP && x->best && x->end - x->refuted > 1 + (x->end >> PRECISION))
		answer = ask(x, x->refuted + (x->end - x->refuted) / 2, e);
	if (!x->best && e->kind == ERROR_NONE)
		error_set(e, ERROR_LIMIT, name, "gave up: nothing was found in time");
	return x->best && e->kind == ERROR_NONE;
}

/* ---- the schedule ---- */

/* Adds the message that brings the chunk to NODE, after that which brings it to where it comes from. */
static void add_way(const struct exact *x, int chunk, int node, bool *added, struct timed_sends *sends)
{
	const struct shortest_question *q = &x->question;
	size_t at = (size_t)chunk * (size_t)q->nodes + (size_t)node;

	if (q->has[at] || added[at])
		return;
	added[at] = true;
	const struct shortest_route *r = &q->routes[x->best[at].route];
	add_way(x, chunk, r->src, added, sends);
	timed_sends_add(sends, (struct timed_send){chunk, x->best[at].route, (x->best[at].time - r->delay) * x->tick});
}

/* What the solver sends without need is left out. */
static struct algorithm *algorithm_of(const struct exact *x, struct error *e)
{
	const struct shortest_question *q = &x->question;
	bool *added = new_array(bool, x->n_arrivals);
	struct timed_sends sends = {0};

	for (int c = 0; c < q->chunks; c++)
		for (int v = 0; v < q->nodes; v++)
			if (q->wanted[c * q->nodes + v])
				add_way(x, c, v, added, &sends);
	struct algorithm *a = timed_sends_algorithm(&sends, x->of->topology, x->of->network, &x->fabric, x->of->collective, x->of->chunks,
						    TURNS_OF_RESOURCES, name, e);
	timed_sends_free(&sends);
	free(added);
	return a;
}

static struct algorithm *made_for(const struct subject *s, const struct speeds *speeds, struct exact_times *times, struct error *e)
{
	struct exact x;
	struct algorithm *a = NULL;

	if (exact_open(&x, s, speeds, e) && halve(&x, e)) {
		*times = (struct exact_times){x.end * x.tick, fmax(s->floor, (x.refuted + 1) * x.tick)};
		a = algorithm_of(&x, e);
	}
	exact_close(&x);
	return a;
}

static size_t messages(const struct network *w, const struct collective *k, int chunks)
{
	return (size_t)collective_global_chunks(k, w->nodes, chunks) * w->n_edges;
}

bool exact_schedule_is_small(const struct problem *p, int chunks)
{
	return messages(p->network, &p->asked, chunks / p->asked_unit) <= MESSAGES_SMALL;
}

/* Are messages as the solver takes them to be? */
static bool is_plain(const struct simulation *how)
{
	return how->sharing == SHARING_ORDER && how->start == START_DATAFLOW && !how->buffer && !how->packet && !how->head && !how->ports;
}

struct algorithm *exact_schedule(const struct problem *p, const struct timed_question *q, size_t i, int chunks, struct exact_times *times,
				 struct error *e)
{
	const struct speeds speeds = {.alpha = q->how->alpha, .beta = q->how->beta, .step = &q->how->step};
	double bytes = (double)q->sizes[i] * q->share / chunks;

	*times = (struct exact_times){0};
	if (p->composed || p->direct || p->asked.kind == CUSTOM || !is_plain(q->how)) {
		error_set(e, ERROR_INPUT, name, "does not serve %s so simulated", collective_called(&p->collective));
		return NULL;
	}
	if (!problem_check_chunks(p, chunks, e))
		return NULL;
	struct topology *back = p->inverted ? topology_reversed(p->topology) : NULL;
	const struct subject s = {back ? back : p->topology, p->network, &p->asked, chunks / p->asked_unit, bytes, q->floor ? q->floor[i] : 0};
	struct algorithm *a = timed_judged(p, made_for(&s, &speeds, times, e), e);
	topology_free(back);
	return a;
}

/* ---- the method ---- */

static void add_line(struct text *report, double bytes, struct exact_times t)
{
	bool least = t.microseconds - t.at_least <= 1e-5 * t.microseconds;

	text_add(report, "chunks of %.9g bytes: %.6g us; no schedule of them, each at its full rate, takes less", bytes, t.microseconds);
	text_add(report, least ? "\n" : " than %.6g us\n", t.at_least);
}

/* The fastest with CHUNKS, or with 1, 2, 3, ... as long as that is decided within seconds. */
bool exact_schedule_construct(const struct method_request *r, struct construction *out, struct error *e)
{
	const struct method_options *o = &r->options;
	const struct speeds speeds = {.alpha = o->alpha_given ? rational_double(o->alpha) : -1, .beta = o->beta_given ? rational_double(o->beta) : 0};
	struct algorithm *best = NULL;
	double least = INFINITY;
	int unit = collective_unit(&r->collective, r->topology->nodes), first = o->chunks ? o->chunks : unit;

	if (!o->bytes)
		return error_set(e, ERROR_INPUT, "--bytes", "is the size for which %s makes a schedule: give it", name);
	for (int c = first; c == first || (!o->chunks && !stop_is_due() && messages(r->network, &r->collective, c) <= MESSAGES_SMALL); c += unit) {
		const struct subject s = {r->topology, r->network, &r->collective, c, (double)o->bytes / c, 0};
		struct exact_times times = {0};
		struct algorithm *a = made_for(&s, &speeds, &times, e);
		if (!a)
			break;
		add_line(r->report, s.bytes, times);
		if (times.microseconds < least) {
			least = times.microseconds;
			algorithm_free(best);
			best = a;
		} else
			algorithm_free(a);
	}
	if (!best)
		return false;
	*e = (struct error){0};
	*out = (struct construction){best->chunks, best->n_steps, best->steps, true};
	best->steps = NULL;
	best->n_steps = 0;
	algorithm_free(best);
	return true;
}
