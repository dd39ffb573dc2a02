/*
 * Schedules in time, with more and more chunks. Where links are shared fairly or as messages come: list scheduling
 * (Graham, 1966) over the routes of synth/timed/balanced_routes.h. The simulation itself plays the messages, so that links
 * and limits are shared just as they will be: whenever a pair of nodes is free it sends, of the chunks that are there, the
 * one with the longest way still to go, in latency and bytes, to the farthest node of its tree. Where links keep to the
 * algorithm's order: the same with links in place of pairs (synth/timed/serial_list.h), and, where every node wants every
 * chunk, without given routes (synth/timed/matched_sends.h). Played, the algorithm repeats the order that was found.
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
#include "simulate/fabric_regions.h"
#include "simulate/simulator.h"
#include "synth/builder/schedule_builder.h"
#include "synth/problem/problem.h"
#include "synth/timed/balanced_routes.h"
#include "synth/timed/matched_sends.h"
#include "synth/timed/serial_list.h"

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

static bool is_in_order(const struct listing *l)
{
	return l->how->sharing == SHARING_ORDER;
}

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

/* Its messages, with their tails, in order; WHAT gets what each sends. The caller frees them. */
static struct listed_send *list(const struct listing *l, const struct algorithm *a, const struct balanced_routes *r,
				struct timed_sends *what)
{
	size_t capacity = 0, places = (size_t)r->chunks * (size_t)r->nodes;
	int *brings = new_array(int, places); /* [chunk * nodes + node]: 1 + the message */
	struct listed_send *of = NULL;

	for (size_t s = 0; s < a->n_steps; s++)
		for (size_t i = 0; i < a->steps[s].n_sends; i++) {
			const struct send *x = &a->steps[s].sends[i];
			size_t chunk = (size_t)x->chunk * (size_t)r->nodes;
			int route = r->into[chunk + (size_t)x->dst];
			of = grown(of, &capacity, what->n + 1, sizeof *of);
			of[what->n] = (struct listed_send){.route = route, .from = brings[chunk + (size_t)x->src] - 1};
			timed_sends_add(what, (struct timed_send){x->chunk, route, 0});
			brings[chunk + (size_t)x->dst] = (int)what->n;
		}
	for (size_t m = what->n; m-- > 0;) {
		const struct route *route = &l->fabric->routes[of[m].route];
		of[m].tail += route->latency + route->step + l->bytes / l->chunks / route->rate;
		if (of[m].from >= 0)
			of[of[m].from].tail = fmax(of[of[m].from].tail, of[m].tail);
	}
	free(brings);
	return of;
}

/* Sets the starts of A's messages as the simulation would share links. Returns µs; negative with *e set: a fault. */
static double start_by_simulation(const struct listing *l, const struct algorithm *a, struct listed_send *of, size_t n, struct error *e)
{
	struct simulator *s = simulator_new(a, l->how, e);
	struct simulated run;

	if (!s)
		return -1;
	double *priority = new_array(double, n), *starts = new_array(double, n);
	for (size_t m = 0; m < n; m++)
		priority[m] = of[m].tail;
	simulator_order(s, l->bytes, priority, starts, &run);
	for (size_t m = 0; m < n; m++)
		of[m].start = starts[m];
	simulator_free(s);
	free(priority);
	free(starts);
	return run.microseconds;
}

static struct algorithm *by_starts(const struct listing *l, struct timed_sends *sends, struct error *e)
{
	return timed_sends_algorithm(sends, l->topology, l->problem->network, l->fabric, &l->collective, l->chunks,
				     is_in_order(l) ? TURNS_OF_RESOURCES : TURNS_OF_PAIRS, name, e);
}

/* Orders the messages of A, and sets *MICROSECONDS to how long that takes. NULL with *e set: a fault. */
static struct algorithm *ordered(const struct listing *l, const struct algorithm *a, const struct balanced_routes *r,
				 double *microseconds, struct error *e)
{
	struct timed_sends sends = {0};
	struct listed_send *of = list(l, a, r, &sends);

	if (is_in_order(l))
		*microseconds = serial_list(l->fabric, l->bytes / l->chunks, of, sends.n);
	else
		*microseconds = start_by_simulation(l, a, of, sends.n, e);
	for (size_t m = 0; m < sends.n; m++)
		sends.of[m].start = of[m].start;
	struct algorithm *made = *microseconds < 0 ? NULL : by_starts(l, &sends, e);
	timed_sends_free(&sends);
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

/* One without given routes. */
static struct algorithm *match(const struct listing *l, const struct matched_style *style, double *microseconds, struct error *e)
{
	struct timed_sends sends;

	if (!matched_sends_new(l->fabric, &l->collective, l->chunks, l->bytes / l->chunks, style, &sends, microseconds, e))
		return NULL;
	struct algorithm *a = by_starts(l, &sends, e);
	timed_sends_free(&sends);
	return a;
}

/* ---- numbers of chunks and weights ---- */

/* The best so far. */
struct best_listing {
	struct algorithm *algorithm; /* owned; NULL: none */
	double microseconds;
	double floor;   /* no schedule takes fewer µs; 0: not known */
	double longest; /* seconds that a schedule took to make */
	bool is_cut;    /* there was no time for another one */
};

static bool is_at_floor(const struct best_listing *best)
{
	static const double rounding = 1e-9;
	return best->algorithm && best->microseconds <= best->floor * (1 + rounding);
}

/*
 * Is another schedule, of FINER times the chunks, of no use, or is there no time for it? If it took too long, the process
 * would be ended, and all would be lost.
 */
static bool is_done(struct best_listing *best, double finer)
{
	if (!best->algorithm || is_at_floor(best))
		return best->algorithm;
	bool cut = stop_is_due() || stop_left() < finer * best->longest;
	best->is_cut = best->is_cut || cut;
	return cut;
}

/* Keeps A, which began to be made at BEGIN, if it is the fastest, and frees it if not. NULL: none was made. */
static void offer(struct best_listing *best, struct algorithm *a, double microseconds, double begin)
{
	best->longest = fmax(best->longest, clock_seconds() - begin);
	if (a && best->algorithm && microseconds >= best->microseconds) {
		algorithm_free(a);
		return;
	}
	if (!a)
		return;
	algorithm_free(best->algorithm);
	best->algorithm = a;
	best->microseconds = microseconds;
}

/* Tries trees with all weights. Returns µs of the fastest. */
static double try_weights(const struct listing *l, int unit, struct best_listing *best, struct error *e)
{
	/* Small inputs ask for short ways, large ones for equal loads; which of them suits is seen by playing them. */
	static const struct load_weight weights[] = {
		{.scale = 8, .doublings = 2, .pairs = .25, .height = .0625}, {.scale = 8, .doublings = 2, .pairs = .0625, .height = .0625},
		{.scale = 8, .doublings = 2, .pairs = .25, .height = 0},     {.scale = 64, .doublings = 1, .pairs = 0, .height = 0},
		{.scale = 1, .doublings = 2, .pairs = 0, .height = 0},
	};
	double least = INFINITY;

	for (size_t i = 0; i < sizeof weights / sizeof *weights && e->kind == ERROR_NONE && !is_done(best, 1); i++) {
		double scale = weights[i].scale * l->chunks / unit; /* a chunk stands for all that its rank sends */
		const struct load_weight w = {scale, weights[i].doublings, weights[i].pairs, fmax(1, weights[i].height * scale)};
		double microseconds = 0, begin = clock_seconds();
		struct algorithm *a = schedule(l, w, &microseconds, e);
		least = a ? fmin(least, microseconds) : least;
		offer(best, a, microseconds, begin);
	}
	return least;
}

/*
 * Tries matching: with all regions; and with the first of them also with another seed, and patiently where routes differ in speed.
 * As try_weights.
 */
static double try_matching(const struct listing *l, int unit, struct best_listing *best, struct error *e)
{
	enum { RATES = 3 };
	double rates[RATES], gap, least = INFINITY;
	int n = matched_rates(l->fabric, rates, RATES), styles = n + 1 + fabric_gaps(l->fabric, &gap, 1);

	(void)unit;
	for (int i = 0; i < styles && e->kind == ERROR_NONE && !is_done(best, 1); i++) {
		const struct matched_style style = {rates[i < n ? i : 0], i > n, i == n};
		double microseconds = 0, begin = clock_seconds();
		struct algorithm *a = match(l, &style, &microseconds, e);
		least = a ? fmin(least, microseconds) : least;
		offer(best, a, microseconds, begin);
	}
	return least;
}

/* One of the two. */
typedef double tries(const struct listing *l, int unit, struct best_listing *best, struct error *e);

/* Tries schedules of one sort with UNIT chunks, twice as many, and so on, at most MOST, until that does not help any more. */
static void climb(struct listing *l, tries *of, int unit, double most, struct best_listing *best, struct error *e)
{
	enum { IDLE = 2, MANY = 8 };
	const struct collective *asked = &l->problem->asked;
	double enough = is_in_order(l) ? 1e-3 : 1e-4, least = INFINITY;
	int idle = 0;

	best->longest = 0;
	for (int chunks = unit; chunks <= most && idle < IDLE && e->kind == ERROR_NONE && !is_done(best, 2); chunks *= 2) {
		int more = is_in_order(l) && chunks >= MANY * unit ? IDLE : 1; /* from there on more chunks help steadily or not at all */
		if (!collective_check(asked, l->topology->nodes, chunks, e))
			return;
		l->collective = collective_scaled(asked, chunks);
		l->chunks = chunks;
		double now = of(l, unit, best, e);
		collective_free(&l->collective);
		idle = now < least * (1 - enough) ? 0 : idle + more;
		least = fmin(least, now);
	}
}

/* MAX_CHUNKS: of the asked collective. */
static struct algorithm *search(struct listing *l, int unit, int max_chunks, double floor, bool *is_cut, struct error *e)
{
	enum { DATA_MAX = 1 << 10, BYTES_MIN = 4 }; /* of a chunk: an element */
	static const double part = 0.6; /* of the time, for matching */
	struct best_listing best = {.floor = floor};
	struct error further = {0};
	double usual = DATA_MAX * unit, most = fmin(max_chunks ? fmin(max_chunks, usual) : usual, fmax(unit, l->bytes / BYTES_MIN));

	if (is_in_order(l) && matched_sends_serves(&l->problem->asked, l->topology->nodes, unit)) {
		double before = stop_within(part * stop_left());
		climb(l, try_matching, unit, most, &best, &further);
		stop_restore(before);
	}
	climb(l, try_weights, unit, most, &best, &further);
	if (!best.algorithm && further.kind == ERROR_NONE)
		error_set(&further, ERROR_LIMIT, name, "needs at least %d chunks", unit);
	if (!best.algorithm)
		*e = further;
	*is_cut = *is_cut || (best.is_cut && !is_at_floor(&best));
	return best.algorithm;
}

struct algorithm *timed_judged(const struct problem *p, struct algorithm *a, struct error *e)
{
	if (a && p->inverted) {
		struct algorithm *ours = algorithm_inverted(a, p->topology, &p->collective, e);
		algorithm_free(a);
		a = ours;
	}
	if (a && a->n_steps == 0) {
		algorithm_free(a);
		error_set(e, ERROR_INPUT, name, "has nothing to schedule: no chunk has to move");
		return NULL;
	}
	return problem_judged(p, a, e);
}

struct algorithm *timed_schedule(const struct problem *p, const struct timed_question *q, size_t i, int max_chunks,
				 bool *is_cut, struct error *e)
{
	const struct speeds speeds = {.alpha = q->how->alpha, .beta = q->how->beta, .buffer = (double)q->how->buffer,
				      .packet = (double)(q->how->packet + q->how->head), .step = &q->how->step};
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
		a = search(&l, p->unit / p->asked_unit, max_chunks / p->asked_unit, q->floor ? q->floor[i] : 0, is_cut, e);
	fabric_close(&f);
	a = timed_judged(p, a, e);
	topology_free(back);
	return a;
}
