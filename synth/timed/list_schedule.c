/*
 * List scheduling (Graham, 1966) over the routes of synth/timed/balanced_routes.h. The simulation itself plays the
 * messages, so that links and limits are shared just as they will be: whenever a pair of nodes is free it sends, of the
 * chunks that are there, the one with the longest way still to go, in latency and bytes, to the farthest node of its tree.
 * The starts become steps: a message is one step after the one before it on its pair, or after the one that brings its
 * chunk, whichever is later. Played by dataflow, the algorithm then repeats the order that was found.
 *
 * A combining collective is scheduled as its inverse on reversed links, and the result runs backwards.
 */

#include "synth/timed/list_schedule.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/machine/topology.h"
#include "core/schedule/transform.h"
#include "simulate/simulator.h"
#include "synth/builder/schedule_builder.h"
#include "synth/problem/problem.h"
#include "synth/timed/balanced_routes.h"

#include <math.h>
#include <stdlib.h>

static const char name[] = "list-schedule";

/* One schedule in the making: a collective that copies, scaled to C = chunks, on a topology. */
struct listing {
	const struct topology *topology;
	const struct problem *problem;
	const struct fabric *fabric;
	const struct simulation *how;
	struct collective collective;
	int chunks;
	double bytes; /* of one rank's input */
};

/* A message, in the order of the algorithm that has a step for each hop. */
struct listed {
	struct send send;
	int route, from; /* from: the message that brings the chunk, -1: none */
	double tail;     /* µs from its start until the last node of its subtree has the chunk */
	double start;
};

/* How many hops the chunk takes to NODE. */
static int depth_of(const struct listing *l, const int *into, int node)
{
	int depth = 0;

	for (; into[node] >= 0; node = l->fabric->routes[into[node]].src)
		depth++;
	return depth;
}

/* The algorithm in which a chunk takes one hop of its tree in each step, or NULL with *e set. */
static struct algorithm *hop_by_hop(const struct listing *l, const struct balanced_routes *r, struct error *e)
{
	struct schedule_builder *b = builder_new(l->problem->network);
	struct step *steps;
	size_t n_steps;

	for (int c = 0; c < r->chunks; c++) {
		const int *into = r->into + (size_t)c * (size_t)r->nodes;
		for (int v = 0; v < r->nodes; v++)
			if (into[v] >= 0)
				builder_send(b, depth_of(l, into, v) - 1, c, l->fabric->routes[into[v]].src, v);
	}
	bool ok = builder_take(b, name, &steps, &n_steps, e);
	builder_free(b);
	return ok ? algorithm_new(l->topology, &l->collective, l->chunks, n_steps, steps, name) : NULL;
}

/* Its messages, with their tails. The caller frees them. */
static struct listed *list(const struct listing *l, const struct algorithm *a, const struct balanced_routes *r, size_t *n)
{
	size_t capacity = 0, places = (size_t)r->chunks * (size_t)r->nodes;
	int *brings = new_array(int, places); /* [chunk * nodes + node]: 1 + the message */
	struct listed *of = NULL;

	*n = 0;
	for (size_t s = 0; s < a->n_steps; s++)
		for (size_t i = 0; i < a->steps[s].n_sends; i++) {
			const struct send *x = &a->steps[s].sends[i];
			size_t chunk = (size_t)x->chunk * (size_t)r->nodes;
			of = grown(of, &capacity, *n + 1, sizeof *of);
			of[*n] = (struct listed){.send = *x, .route = r->into[chunk + (size_t)x->dst], .from = brings[chunk + (size_t)x->src] - 1};
			brings[chunk + (size_t)x->dst] = (int)++*n;
		}
	for (size_t m = *n; m-- > 0;) {
		const struct route *route = &l->fabric->routes[of[m].route];
		of[m].tail += route->latency + route->step + l->bytes / l->chunks / route->rate;
		if (of[m].from >= 0)
			of[of[m].from].tail = fmax(of[of[m].from].tail, of[m].tail);
	}
	free(brings);
	return of;
}

struct started {
	double start;
	int message;
};

static int by_start(const void *va, const void *vb)
{
	const struct started *a = va, *b = vb;
	int order = (a->start > b->start) - (a->start < b->start);

	return order ? order : (a->message > b->message) - (a->message < b->message);
}

/* The algorithm whose pairs send in the order of the starts, or NULL with *e set. */
static struct algorithm *in_order(const struct listing *l, const struct listed *of, size_t n, struct error *e)
{
	struct schedule_builder *b = builder_new(l->problem->network);
	struct started *sorted = new_array(struct started, n);
	int *step = new_array(int, n), *last = new_array(int, l->fabric->n_routes);
	struct step *steps;
	size_t n_steps;

	for (size_t m = 0; m < n; m++)
		sorted[m] = (struct started){of[m].start, (int)m};
	if (n)
		qsort(sorted, n, sizeof *sorted, by_start);
	for (size_t i = 0; i < n; i++) {
		const struct listed *x = &of[sorted[i].message];
		int before = x->from >= 0 ? step[x->from] : 0, here = last[x->route];
		last[x->route] = step[sorted[i].message] = 1 + (before > here ? before : here);
		builder_send(b, last[x->route] - 1, x->send.chunk, x->send.src, x->send.dst);
	}
	bool ok = builder_take(b, name, &steps, &n_steps, e);
	builder_free(b);
	free(sorted);
	free(step);
	free(last);
	return ok ? algorithm_new(l->topology, &l->collective, l->chunks, n_steps, steps, name) : NULL;
}

/* Orders the messages of A, and sets *MICROSECONDS to how long that takes. NULL with *e set: a fault. */
static struct algorithm *ordered(const struct listing *l, const struct algorithm *a, const struct balanced_routes *r,
				 double *microseconds, struct error *e)
{
	struct simulator *s = simulator_new(a, l->how, e);
	struct simulated run;
	size_t n;

	if (!s)
		return NULL;
	struct listed *of = list(l, a, r, &n);
	double *priority = new_array(double, n), *starts = new_array(double, n);
	for (size_t m = 0; m < n; m++)
		priority[m] = of[m].tail;
	simulator_order(s, l->bytes, priority, starts, &run);
	for (size_t m = 0; m < n; m++)
		of[m].start = starts[m];
	simulator_free(s);
	*microseconds = run.microseconds;
	struct algorithm *made = in_order(l, of, n, e);
	free(priority);
	free(starts);
	free(of);
	return made;
}

/* A schedule with these weights; NULL with *e set. */
static struct algorithm *schedule(const struct listing *l, struct load_weight w, double *microseconds, struct error *e)
{
	struct balanced_routes r;

	if (!balanced_routes_new(l->fabric, &l->collective, l->chunks, l->bytes / l->chunks, w, &r, e))
		return NULL;
	struct algorithm *hops = hop_by_hop(l, &r, e), *a = hops ? ordered(l, hops, &r, microseconds, e) : NULL;
	algorithm_free(hops);
	balanced_routes_free(&r);
	return a;
}

/* ---- numbers of chunks and weights ---- */

/* The best so far. */
struct best_listing {
	struct algorithm *algorithm; /* owned; NULL: none */
	double microseconds;
	double longest; /* seconds that a schedule took to make */
};

/* Is there no time for another schedule, of FINER times the chunks? It would be lost with the process if it took too long. */
static bool is_late(const struct best_listing *best, double finer)
{
	return best->algorithm && (stop_is_due() || stop_left() < finer * best->longest);
}

/* Tries all weights with this number of chunks. Returns whether that helped. */
static bool try_chunks(struct listing *l, const struct collective *asked, int unit, int chunks, struct best_listing *best,
		       struct error *e)
{
	/* Small inputs ask for short ways, large ones for equal loads; which of them suits is seen by playing them. */
	static const struct load_weight weights[] = {
		{.scale = 8, .doublings = 2, .pairs = .25, .height = .0625}, {.scale = 8, .doublings = 2, .pairs = .0625, .height = .0625},
		{.scale = 8, .doublings = 2, .pairs = .25, .height = 0},     {.scale = 64, .doublings = 1, .pairs = 0, .height = 0},
		{.scale = 1, .doublings = 2, .pairs = 0, .height = 0},
	};
	static const double enough = 1e-4;
	double before = best->algorithm ? best->microseconds : INFINITY;

	if (!collective_check(asked, l->topology->nodes, chunks, e))
		return false;
	l->collective = collective_scaled(asked, chunks);
	l->chunks = chunks;
	for (size_t i = 0; i < sizeof weights / sizeof *weights && !is_late(best, 1); i++) {
		double scale = weights[i].scale * chunks / unit; /* a chunk stands for all that its rank sends */
		const struct load_weight w = {scale, weights[i].doublings, weights[i].pairs, fmax(1, weights[i].height * scale)};
		double microseconds, begin = clock_seconds();
		struct algorithm *a = schedule(l, w, &microseconds, e);
		best->longest = fmax(best->longest, clock_seconds() - begin);
		if (!a)
			break;
		bool better = !best->algorithm || microseconds < best->microseconds;
		algorithm_free(better ? best->algorithm : a);
		if (better)
			*best = (struct best_listing){a, microseconds, best->longest};
	}
	collective_free(&l->collective);
	return best->algorithm && best->microseconds < before * (1 - enough);
}

/* MAX_CHUNKS: of the asked collective. */
static struct algorithm *search(struct listing *l, int unit, int max_chunks, struct error *e)
{
	enum { IDLE = 2, DATA_MAX = 1 << 10 };
	const struct problem *p = l->problem;
	struct best_listing best = {0};
	struct error further = {0};
	int most = max_chunks ? max_chunks : DATA_MAX * unit, idle = 0;

	for (int chunks = unit; chunks <= most && idle < IDLE && further.kind == ERROR_NONE && !is_late(&best, 2); chunks *= 2)
		idle = try_chunks(l, &p->asked, unit, chunks, &best, &further) ? 0 : idle + 1;
	if (!best.algorithm && further.kind == ERROR_NONE)
		error_set(&further, ERROR_LIMIT, name, "needs at least %d chunks", unit);
	if (!best.algorithm)
		*e = further;
	return best.algorithm;
}

struct algorithm *timed_schedule(const struct problem *p, const struct timed_question *q, size_t i, int max_chunks,
				 struct error *e)
{
	const struct speeds speeds = {q->how->alpha, q->how->beta, (double)q->how->buffer, (double)(q->how->packet + q->how->head),
				      &q->how->step};
	struct algorithm *a = NULL;
	struct fabric f = {0};

	if (p->composed || p->direct || p->asked.kind == CUSTOM) {
		error_set(e, ERROR_INPUT, name, "does not serve %s", collective_called(&p->collective));
		return NULL;
	}
	struct topology *back = p->inverted ? topology_reversed(p->topology) : NULL;
	struct listing l = {.topology = back ? back : p->topology, .problem = p, .fabric = &f, .how = q->how,
			    .bytes = (double)q->sizes[i] * q->share / p->asked_unit};
	if (fabric_open(l.topology, &speeds, &f, e))
		a = search(&l, p->unit / p->asked_unit, max_chunks / p->asked_unit, e);
	fabric_close(&f);
	if (a && p->inverted) {
		struct algorithm *ours = algorithm_inverted(a, p->topology, &p->collective, e);
		algorithm_free(a);
		a = ours;
	}
	topology_free(back);
	return problem_judged(p, a, e);
}
