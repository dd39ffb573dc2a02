/*
 * A simulation in which nothing is decided before it must be. Whenever links are free, receivers are matched to senders
 * that have a chunk which they lack. The receivers that lack most, relative to the rate at which they receive, come first,
 * and each takes the chunk that the fewest nodes of its region have. Where all senders of a receiver are taken, one of them
 * is freed if the receiver that it serves can be served by another, along an augmenting path (Berge, 1957). Where each port
 * carries one message at a time and any chunk will do, the receivers that can be served at once are the independent sets of
 * a transversal matroid: then no receiver stays idle that could be served beside all those before it. Elsewhere one may.
 *
 * Rare chunks first is how BitTorrent keeps every peer useful (Cohen, 2003). Matching on a time-expanded network is how
 * TACOS synthesizes (Won et al., 2024), for links that share nothing. Here ports are resources beside the links, and a chunk
 * crosses slow links into a region only once.
 */

#include "synth/timed/matched_sends.h"

#include "core/base/csr.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/schedule/collective.h"
#include "simulate/fabric.h"
#include "simulate/fabric_regions.h"
#include "synth/timed/occupancy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A message that starts now, unless it is taken back. */
struct proposal {
	int route, chunk;
	int turn;  /* the number of the search for a sender that made it, or last asked it to give way */
	bool is_on;
};

struct matcher {
	const struct fabric *fabric;
	struct occupancy links;
	int nodes, chunks; /* chunks: of all nodes */
	size_t words;      /* of a set of chunks */
	uint64_t *has, *gets;  /* [node * words]: what is there; what is there or on its way */
	uint64_t *entered;     /* [region * words]: what is there or on its way */
	int n_regions, *region; /* [node] */
	int *holders;          /* [region * chunks + chunk]: how many nodes of the region have it or get it */
	int *rank;             /* [chunk]: for ties */
	int *lacks;            /* [node]: chunks that are neither there nor on their way */
	double *rate;          /* [node]: bytes per µs of all that it can receive at once */
	double *faster;        /* [route]: bytes per µs that its destination can receive at once by faster routes */
	bool is_patient;       /* see struct matched_style */
	struct csr into;       /* [node]: routes */
	uint64_t random;
	int *order;            /* nodes */
	size_t n_proposals, capacity;
	struct proposal *proposals;
	int *latest;           /* [resource]: 1 + the last proposal that uses it; 0: none */
	int turn;
	struct timed_sends *out;
};

/* xorshift64*: Vigna, 2016. */
static uint64_t next_random(struct matcher *m)
{
	m->random ^= m->random >> 12;
	m->random ^= m->random << 25;
	m->random ^= m->random >> 27;
	return m->random * 0x2545f4914f6cdd1d;
}

static void set(uint64_t *s, int i)
{
	s[i / 64] |= (uint64_t)1 << (i % 64);
}

static void unset(uint64_t *s, int i)
{
	s[i / 64] &= ~((uint64_t)1 << (i % 64));
}

static uint64_t *row(const struct matcher *m, uint64_t *sets, int i)
{
	return sets + (size_t)i * m->words;
}

static bool joins_regions(const struct matcher *m, int route)
{
	const struct route *r = &m->fabric->routes[route];
	return m->region[r->src] != m->region[r->dst];
}

/* ---- what to send over a route ---- */

/* Will its destination have all that it lacks by faster routes before a message over this one arrives? */
static bool is_too_late(const struct matcher *m, int route)
{
	const struct route *r = &m->fabric->routes[route];
	double bytes = m->lacks[r->dst] * m->links.bytes;

	return m->is_patient && !joins_regions(m, route) && m->faster[route] > 0 &&
	       bytes / m->faster[route] < m->links.bytes / r->rate + r->latency;
}

/* The chunk to send over a route: its destination lacks it, its source has it, and the fewest nodes of a region have it; -1: none. */
static int choose(struct matcher *m, int route, int64_t *key)
{
	const struct route *r = &m->fabric->routes[route];
	const uint64_t *has = row(m, m->has, r->src), *gets = row(m, m->gets, r->dst);
	const uint64_t *entered = joins_regions(m, route) ? row(m, m->entered, m->region[r->dst]) : gets;
	/* Between regions, what the fewest have in the source's region; and this comes before all sends within a region. */
	const int *holders = m->holders + (size_t)m->region[joins_regions(m, route) ? r->src : r->dst] * (size_t)m->chunks;
	int64_t base = joins_regions(m, route) ? 0 : (int64_t)(m->nodes + 1) * m->chunks, least = INT64_MAX;
	int best = -1;

	if (is_too_late(m, route))
		return -1;
	for (size_t w = 0; w < m->words; w++)
		for (uint64_t left = has[w] & ~gets[w] & ~entered[w]; left; left &= left - 1) {
			int c = (int)w * 64 + __builtin_ctzll(left);
			int64_t now = (int64_t)holders[c] * m->chunks + m->rank[c];
			if (now < least) {
				least = now;
				best = c;
			}
		}
	*key = best >= 0 ? base + least : INT64_MAX;
	return best;
}

/* ---- proposals ---- */

static void mark(struct matcher *m, const struct proposal *p, bool on)
{
	int node = m->fabric->routes[p->route].dst, region = m->region[node];

	(on ? occupancy_add : occupancy_remove)(&m->links, p->route);
	(on ? set : unset)(row(m, m->gets, node), p->chunk);
	m->lacks[node] += on ? -1 : 1;
	int left = m->holders[(size_t)region * (size_t)m->chunks + (size_t)p->chunk] += on ? 1 : -1;
	if (left == (on ? 1 : 0))
		(on ? set : unset)(row(m, m->entered, region), p->chunk);
}

static void propose(struct matcher *m, int route, int chunk)
{
	const struct fabric *f = m->fabric;

	m->proposals = grown(m->proposals, &m->capacity, m->n_proposals + 1, sizeof *m->proposals);
	m->proposals[m->n_proposals++] = (struct proposal){route, chunk, m->turn, true};
	mark(m, &m->proposals[m->n_proposals - 1], true);
	for (int i = f->begin[route]; i < f->begin[route + 1]; i++)
		m->latest[f->over[i]] = (int)m->n_proposals;
}

static bool serve(struct matcher *m, int node);

/* The proposal that alone keeps ROUTE from being used now; -1: something else does, too. */
static int in_the_way(const struct matcher *m, int route)
{
	const struct fabric *f = m->fabric;
	int of = -1;

	for (int i = f->begin[route]; i < f->begin[route + 1]; i++) {
		int x = f->over[i], p = m->latest[x] - 1;
		if (fabric_has_room(f, x, m->links.used[x], f->routes[route].rate))
			continue;
		if (p < 0 || !m->proposals[p].is_on || (of >= 0 && of != p))
			return -1;
		of = p;
	}
	return of;
}

/* Takes proposal P back, in favour of one over ROUTE, if the receiver of P can be served by another sender. */
static bool give_way(struct matcher *m, int p, int route)
{
	int64_t key;
	int node = m->fabric->routes[m->proposals[p].route].dst;
	size_t before = m->n_proposals;

	m->proposals[p].turn = m->turn;
	m->proposals[p].is_on = false;
	mark(m, &m->proposals[p], false);
	int chunk = occupancy_has_room(&m->links, route) ? choose(m, route, &key) : -1;
	if (chunk >= 0) {
		propose(m, route, chunk);
		if (serve(m, node))
			return true;
		m->proposals[before].is_on = false;
		mark(m, &m->proposals[before], false);
	}
	m->proposals[p].is_on = true;
	mark(m, &m->proposals[p], true);
	const struct fabric *f = m->fabric;
	for (int i = f->begin[m->proposals[p].route]; i < f->begin[m->proposals[p].route + 1]; i++)
		m->latest[f->over[i]] = p + 1;
	return false;
}

/* Proposes a message to NODE. False: there is none, even if other receivers change their senders. */
static bool serve(struct matcher *m, int node)
{
	int64_t least = INT64_MAX, key;
	int best = -1, best_chunk = -1, n = csr_size(&m->into, node);
	const int *routes = m->into.of + m->into.begin[node];

	for (int i = 0; i < n; i++) {
		int chunk = occupancy_has_room(&m->links, routes[i]) ? choose(m, routes[i], &key) : -1;
		if (chunk >= 0 && key < least) {
			least = key;
			best = routes[i];
			best_chunk = chunk;
		}
	}
	if (best >= 0) {
		propose(m, best, best_chunk);
		return true;
	}
	for (int i = 0; i < n; i++) {
		int p = in_the_way(m, routes[i]);
		if (p < 0 || m->proposals[p].turn == m->turn || m->fabric->routes[m->proposals[p].route].dst == node)
			continue;
		if (choose(m, routes[i], &key) >= 0 && give_way(m, p, routes[i]))
			return true;
	}
	return false;
}

/* ---- time ---- */

struct urgency {
	double left; /* µs of receiving */
	uint64_t tie;
	int node;
};

static int by_urgency(const void *va, const void *vb)
{
	const struct urgency *a = va, *b = vb;
	int order = (a->left < b->left) - (a->left > b->left);

	order = order ? order : (a->tie > b->tie) - (a->tie < b->tie);
	return order ? order : (a->node > b->node) - (a->node < b->node);
}

/* Starts what can start now. */
static void start_all(struct matcher *m, struct urgency *of)
{
	int n = 0;

	m->n_proposals = 0;
	memset(m->latest, 0, m->fabric->n_resources * sizeof *m->latest);
	for (int v = 0; v < m->nodes; v++)
		if (m->lacks[v])
			of[n++] = (struct urgency){m->lacks[v] / m->rate[v], next_random(m), v};
	if (n)
		qsort(of, (size_t)n, sizeof *of, by_urgency);
	for (int i = 0; i < n; i++)
		do
			m->turn++;
		while (serve(m, of[i].node));
	for (size_t p = 0; p < m->n_proposals; p++) {
		const struct proposal *x = &m->proposals[p];
		if (!x->is_on)
			continue;
		occupancy_expect(&m->links, (int)m->out->n, x->route);
		timed_sends_add(m->out, (struct timed_send){x->chunk, x->route, m->links.now});
	}
}

static void happen(struct matcher *m, int message, enum occupancy_event what)
{
	const struct timed_send *x = &m->out->of[message];

	if (what == OCCUPANCY_SENT)
		occupancy_remove(&m->links, x->route);
	else
		set(row(m, m->has, m->fabric->routes[x->route].dst), x->chunk);
}

static double run(struct matcher *m)
{
	struct urgency *of = new_array(struct urgency, (size_t)m->nodes);
	enum occupancy_event what;
	int message;

	do {
		while (occupancy_event(&m->links, &message, &what))
			happen(m, message, what);
		start_all(m, of);
		if (m->is_patient && !m->links.events.n) { /* what is lacking cannot come by the faster routes */
			m->is_patient = false;
			start_all(m, of);
		}
	} while (occupancy_advance(&m->links));
	free(of);
	return m->links.now;
}

/* ---- the beginning ---- */

static int by_rate(const void *va, const void *vb)
{
	const struct route *a = va, *b = vb;
	return (a->rate < b->rate) - (a->rate > b->rate);
}

/* All routes, the fastest first; the caller frees them. */
static struct route *sorted_routes(const struct fabric *f)
{
	struct route *sorted = copy_bytes(f->routes, f->n_routes * sizeof *sorted);

	if (f->n_routes)
		qsort(sorted, f->n_routes, sizeof *sorted, by_rate);
	return sorted;
}

/* The rate at most that a route adds to what its destination receives, where the links have LEFT; takes it from those. */
static double take_rate(const struct fabric *f, int route, double *left)
{
	double can = f->routes[route].rate;

	for (int i = f->begin[route]; i < f->begin[route + 1]; i++)
		if (f->resources[f->over[i]].dst == f->routes[route].dst || f->resources[f->over[i]].dst < 0)
			can = fmin(can, left[f->over[i]]);
	for (int i = f->begin[route]; i < f->begin[route + 1]; i++)
		if (f->resources[f->over[i]].dst == f->routes[route].dst)
			left[f->over[i]] -= can;
	return can;
}

/* The rate at which each node can receive at most, by its links and the limits on them; for each route, that by faster ones. */
static void find_rates(struct matcher *m)
{
	static const double same = 1.2;
	const struct fabric *f = m->fabric;
	struct route *sorted = sorted_routes(f);
	double *left = new_array(double, f->n_resources), *slowest = new_array(double, (size_t)m->nodes);
	double *before = new_array(double, (size_t)m->nodes);

	for (size_t i = 0; i < f->n_resources; i++)
		left[i] = f->resources[i].rate;
	for (size_t i = 0; i < f->n_routes; i++) {
		int route = fabric_route(f, sorted[i].src, sorted[i].dst), v = sorted[i].dst;
		if (slowest[v] <= 0 || sorted[i].rate * same < slowest[v]) {
			before[v] = m->rate[v];
			slowest[v] = sorted[i].rate;
		}
		m->faster[route] = before[v];
		m->rate[v] += take_rate(f, route, left);
	}
	free(sorted);
	free(left);
	free(slowest);
	free(before);
}

static void shuffle_ranks(struct matcher *m)
{
	for (int c = 0; c < m->chunks; c++) {
		int at = (int)(next_random(m) % ((uint64_t)c + 1));
		m->rank[c] = m->rank[at];
		m->rank[at] = c;
	}
}

static void place_chunks(struct matcher *m, const struct collective *k)
{
	for (int c = 0; c < m->chunks; c++)
		for (int v = 0; v < m->nodes; v++) {
			if (!collective_pre(k, m->nodes, c, v)) {
				m->lacks[v]++;
				continue;
			}
			set(row(m, m->has, v), c);
			set(row(m, m->gets, v), c);
			set(row(m, m->entered, m->region[v]), c);
			m->holders[(size_t)m->region[v] * (size_t)m->chunks + (size_t)c]++;
		}
}

static struct matcher matcher_open(const struct fabric *f, int chunks, double bytes, const struct matched_style *style,
				   struct timed_sends *out)
{
	size_t nodes = (size_t)f->nodes, words = ((size_t)chunks + 63) / 64;
	struct matcher m = {.fabric = f, .links = occupancy_open(f, bytes), .nodes = f->nodes, .chunks = chunks, .words = words, .out = out,
			    .has = new_array(uint64_t, nodes * words), .gets = new_array(uint64_t, nodes * words),
			    .region = new_array(int, nodes), .rank = new_array(int, (size_t)chunks), .lacks = new_array(int, nodes),
			    .rate = new_array(double, nodes), .faster = new_array(double, f->n_routes), .is_patient = style->is_patient,
			    .latest = new_array(int, f->n_resources), .random = style->seed * 0x9e3779b97f4a7c15 + 1};

	m.n_regions = fabric_regions(f, style->fast, m.region);
	find_rates(&m);
	shuffle_ranks(&m);
	m.entered = new_array(uint64_t, (size_t)m.n_regions * words);
	m.holders = new_array(int, (size_t)m.n_regions * (size_t)chunks);
	m.into = csr_by_row(f->nodes, f->n_routes ? &f->routes->dst : NULL, f->n_routes, sizeof *f->routes);
	return m;
}

static void matcher_close(struct matcher *m)
{
	occupancy_close(&m->links);
	csr_free(&m->into);
	free(m->has);
	free(m->gets);
	free(m->entered);
	free(m->region);
	free(m->holders);
	free(m->rank);
	free(m->lacks);
	free(m->rate);
	free(m->faster);
	free(m->proposals);
	free(m->latest);
}

int matched_rates(const struct fabric *f, double *into, int n)
{
	int *region = new_array(int, (size_t)f->nodes), gaps = fabric_gaps(f, into, n - 1), found = 0, last = 1;

	for (int i = 0; i < gaps; i++) { /* regions of higher rates are parts of those of lower ones */
		int regions = fabric_regions(f, into[i], region);
		if (regions > last && regions < f->nodes)
			into[found++] = into[i];
		last = regions;
	}
	into[found++] = 0;
	free(region);
	return found;
}

bool matched_sends_serves(const struct collective *k, int nodes, int chunks)
{
	int all = (int)collective_global_chunks(k, nodes, chunks);

	for (int c = 0; c < all; c++)
		for (int v = 0; v < nodes; v++)
			if (!collective_pre(k, nodes, c, v) && !collective_post(k, nodes, c, v))
				return false;
	return true;
}

bool matched_sends_new(const struct fabric *f, const struct collective *k, int chunks, double bytes, const struct matched_style *style,
		       struct timed_sends *out, double *microseconds, struct error *e)
{
	enum { PLACES_MAX = 1 << 24 };

	if (!collective_check(k, f->nodes, chunks, e))
		return false;
	int all = (int)collective_global_chunks(k, f->nodes, chunks), lacking = 0;
	if (all > PLACES_MAX / f->nodes)
		return error_set(e, ERROR_LIMIT, "list-schedule", "needs more than %d places of chunks here", PLACES_MAX);
	*out = (struct timed_sends){0};
	struct matcher m = matcher_open(f, all, bytes, style, out);
	place_chunks(&m, k);
	*microseconds = run(&m);
	for (int v = 0; v < m.nodes; v++)
		lacking += m.lacks[v];
	matcher_close(&m);
	if (!lacking)
		return true;
	timed_sends_free(out);
	return error_set(e, ERROR_INPUT, "list-schedule", "some node cannot be reached");
}
