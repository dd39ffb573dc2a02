/*
 * Verifies bounds on time. All that a line counts must cross its resources, each byte one of them, while these are not
 * yet or no longer of use for a while at the beginning and the end of the schedule: so the schedule lasts that while,
 * and as long as the resources together take for those bytes.
 */

#include "prove/time_proof.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/base/work.h"
#include "prove/check.h"
#include "prove/cut.h"
#include "prove/question.h"
#include "prove/time_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct time_checking {
	const struct time_proof *proof;
	struct time_model model;
	struct collective collective; /* scaled to `chunks` */
	int chunks, global_chunks;
	bool combines;
};

static const struct rational none = {0, 1};

static struct rational lesser(struct rational a, struct rational b)
{
	if (!rational_ok(a) || !rational_ok(b))
		return rational(1, 0);
	return rational_compare(a, b) < 0 ? a : b;
}

/* ---- what must be carried, in bytes for L = 1 ---- */

static bool holds(const struct time_checking *k, int chunk, int node)
{
	return collective_pre(&k->collective, k->proof->topology->nodes, chunk, node);
}

static bool wants(const struct time_checking *k, int chunk, int node)
{
	return collective_post(&k->collective, k->proof->topology->nodes, chunk, node);
}

/* Must V's value of the chunk include something of U's? */
static bool needs(const struct time_checking *k, int chunk, int v, int u)
{
	return u != v && holds(k, chunk, u) && wants(k, chunk, v) &&
	       (!k->combines || collective_wants_part(&k->collective, k->proof->topology->nodes, chunk, v, u));
}

static bool is_away(struct rational distance, struct rational away)
{
	return !rational_ok(distance) || rational_compare(distance, away) >= 0;
}

/* What is counted by a line by into, while its chunks are: where it may come from, and where it is for. */
struct into {
	const struct time_claim *claim;
	struct rational **to; /* [node]: the distances to it, for those that it may be for; owned, as are all */
	bool *is_from, *is_for; /* [node] */
};

/* U's copy of a chunk for V, or its contribution to it. */
static bool is_source(const struct time_checking *k, const struct into *in, int chunk, int v, int u)
{
	return needs(k, chunk, v, u) && !in->claim->inside[u] && is_away(in->to[v][u], in->claim->away);
}

/* Does something of the chunk have to get into the set for V? For sums one contribution from far away is enough; copies may come from any holder. */
static bool gets_to(const struct time_checking *k, struct into *in, int chunk, int v)
{
	bool all = true, any = false;

	if (!wants(k, chunk, v) || (!k->combines && holds(k, chunk, v)))
		return false;
	for (int u = 0; u < k->model.nodes && work_spend(1); u++)
		if (needs(k, chunk, v, u)) {
			bool is = is_source(k, in, chunk, v, u);
			all = all && is;
			any = any || is;
		}
	if (!any || (!k->combines && !all))
		return false;
	in->is_for[v] = true;
	for (int u = 0; u < k->model.nodes && work_spend(1); u++)
		in->is_from[u] = in->is_from[u] || is_source(k, in, chunk, v, u);
	return true;
}

static bool gets_to_any(const struct time_checking *k, struct into *in, int chunk)
{
	bool any = false;

	for (int v = 0; v < k->model.nodes && work_spend(1); v++)
		any = (in->to[v] && gets_to(k, in, chunk, v)) || any;
	return any;
}

/* Does something of U's chunk, which no other node has, have to go so far? */
static bool goes_afar(const struct time_checking *k, int chunk, int u, const struct rational *from_u, struct rational away)
{
	if (!holds(k, chunk, u))
		return false;
	for (int v = 0; v < k->model.nodes && !k->combines && work_spend(1); v++)
		if (v != u && holds(k, chunk, v))
			return false;
	for (int v = 0; v < k->model.nodes && work_spend(1); v++)
		if (needs(k, chunk, v, u) && is_away(from_u[v], away))
			return true;
	return false;
}

/* Does something of the chunk have to get from other nodes to one of those marked INSIDE in PART? */
static bool gets_inside(const struct time_checking *k, int chunk, const int *part, int inside)
{
	int nodes = k->model.nodes;
	bool has = false;

	for (int v = 0; v < nodes && !k->combines && work_spend(1); v++)
		has = has || (part[v] == inside && holds(k, chunk, v));
	for (int v = 0; v < nodes && !has && work_spend(1); v++) {
		if (part[v] != inside || !wants(k, chunk, v))
			continue;
		for (int u = 0; u < nodes && work_spend(1); u++)
			if (part[u] != inside && needs(k, chunk, v, u))
				return true;
	}
	return false;
}

/* Where what a line counts can be from when on, and from where until when it can still get to where it is for. */
struct reach {
	struct rational *from, *to; /* [node]: the least time from the beginning, and to the end; den 0: never. NULL: any time. Owned. */
};

static int64_t chunks_into(struct time_checking *k, const struct time_claim *c, struct reach *reach)
{
	size_t nodes = (size_t)k->model.nodes;
	struct into in = {c, new_array(struct rational *, nodes), new_array(bool, nodes), new_array(bool, nodes)};
	bool *only = new_array(bool, nodes);
	int64_t n = 0;

	for (size_t v = 0; v < nodes; v++)
		if (c->node < 0 ? c->inside[v] : (int)v == c->node) {
			only[v] = true;
			in.to[v] = time_model_distances(&k->model, only, true);
			only[v] = false;
		}
	for (int chunk = 0; chunk < k->global_chunks && work_spend(1); chunk++)
		n += gets_to_any(k, &in, chunk);
	*reach = (struct reach){time_model_distances(&k->model, in.is_from, false), time_model_distances(&k->model, in.is_for, true)};
	for (size_t v = 0; v < nodes; v++)
		free(in.to[v]);
	free(in.to);
	free(in.is_from);
	free(in.is_for);
	free(only);
	return n;
}

static int64_t chunks_out_of(struct time_checking *k, const struct time_claim *c)
{
	bool *only = new_array(bool, (size_t)k->model.nodes);
	int64_t n = 0;

	only[c->node] = true;
	struct rational *from = time_model_distances(&k->model, only, false);
	for (int chunk = 0; chunk < k->global_chunks && work_spend(1); chunk++)
		n += goes_afar(k, chunk, c->node, from, c->away);
	free(from);
	free(only);
	return n;
}

static int64_t chunks_across(const struct time_checking *k, const struct time_claim *c)
{
	int64_t n = 0;

	for (int chunk = 0; chunk < k->global_chunks && work_spend(1); chunk++)
		n += gets_inside(k, chunk, c->cut.part, 1);
	return n;
}

/* Where switches copy or add, several crossings of a chunk may count once; but not the two between two parts, one each way. */
static bool counts_once(const struct time_checking *k, const struct time_claim *c)
{
	return c->cut.parts > 2 && topology_has_abilities(k->proof->topology);
}

/* In an allreduce each chunk crosses between N parts 2 (N - 1) times: core/bounds/bounds.h. */
static int64_t chunks_between_parts(const struct time_checking *k, const struct time_claim *c)
{
	if (counts_once(k, c) || k->collective.kind != ALLREDUCE)
		return 0;
	return 2 * ((int64_t)c->cut.parts - 1) * k->global_chunks;
}

/* The shares of L that a line counts. REACH is filled in for a line by into. */
static struct rational bytes_of(struct time_checking *k, const struct time_claim *c, struct reach *reach)
{
	int64_t n = c->by == TIME_BY_INTO	  ? chunks_into(k, c, reach)
		  : c->by == TIME_BY_OUT_OF	  ? chunks_out_of(k, c)
		  : c->cut.kind == CUT_PARTS ? chunks_between_parts(k, c)
						  : chunks_across(k, c);
	return rational(n, k->chunks);
}

/* ---- what carries it ---- */

/* The delays around a listed resource, of the routes that are counted there. */
struct window {
	bool used;
	struct rational enters, leaves; /* the least time before and after it where messages are served in order */
	struct rational starts, delay;  /* the same for a whole route, which a message has at once where links are shared */
};

static bool is_counted(const struct time_claim *c, const struct time_route *r)
{
	const int *part = c->cut.part;

	if (c->by == TIME_BY_INTO)
		return !c->inside[r->src] && c->inside[r->dst];
	if (c->by == TIME_BY_OUT_OF)
		return r->src == c->node;
	return c->cut.kind == CUT_PARTS ? part[r->src] != part[r->dst] : part[r->src] == 0 && part[r->dst] == 1;
}

/* The listed resource at a hop: its link or a limit that this is under; -1: neither. */
static int listed_at(const struct time_model *m, const bool *listed, int link)
{
	if (listed[link])
		return link;
	for (int i = m->under_begin[link]; i < m->under_begin[link + 1] && work_spend(1); i++)
		if (listed[m->n_links + (size_t)m->under[i]])
			return (int)m->n_links + m->under[i];
	return -1;
}

/* The first or last hop of the route that has a listed resource, which goes to *RESOURCE; NULL: none has. */
static const struct time_hop *find_hop(const struct time_model *m, const struct time_route *r, const bool *listed, bool last, int *resource)
{
	for (int i = r->begin; i < r->end && work_spend(1); i++) {
		const struct time_hop *hop = &m->hops[last ? r->end - 1 - (i - r->begin) : i];
		*resource = listed_at(m, listed, hop->link);
		if (*resource >= 0)
			return hop;
	}
	return NULL;
}

/* Counts a route that sends from the time STARTS on, and after which there is REST to go. */
static void widen(struct window *w, const struct time_route *r, const struct time_hop *hop, struct rational starts, struct rational rest)
{
	const struct window own = {true, rational_add(starts, hop->before), rational_add(rational_sub(r->delay, hop->before), rest), starts,
				   rational_add(r->delay, rest)};

	if (!w->used) {
		*w = own;
		return;
	}
	w->enters = lesser(w->enters, own.enters);
	w->leaves = lesser(w->leaves, own.leaves);
	w->starts = lesser(w->starts, own.starts);
	w->delay = lesser(w->delay, own.delay);
}

/* By how much the window is shorter than the schedule, in both ways to share links. */
static struct rational outside(const struct window *w)
{
	return lesser(rational_add(w->enters, w->leaves), rational_add(w->starts, w->delay));
}

/*
 * Sets *SHORTER to the least time by which any window of a listed resource is shorter than the schedule. False: some route
 * that is counted crosses none of them.
 */
static bool find_windows(const struct time_checking *k, const struct time_claim *c, const bool *listed, const struct reach *reach,
			 struct rational *shorter)
{
	const struct time_model *m = &k->model;
	struct window *all = new_array(struct window, m->n_links + m->n_limits);
	bool covered = true, any = false;

	for (size_t i = 0; i < m->n_routes && covered && work_spend(1); i++) {
		const struct time_route *r = &m->routes[i];
		int resource;
		if (!is_counted(c, r) || (reach->from && (!rational_ok(reach->from[r->src]) || !rational_ok(reach->to[r->dst]))))
			continue; /* by a route that nothing can take in time no byte of these goes */
		const struct time_hop *hop = find_hop(m, r, listed, c->at_end, &resource);
		covered = hop && (c->by != TIME_BY_OUT_OF || hop->before.num == 0);
		if (covered)
			widen(&all[resource], r, hop, reach->from ? reach->from[r->src] : none, reach->to ? reach->to[r->dst] : none);
	}
	*shorter = none;
	for (size_t i = 0; i < m->n_links + m->n_limits; i++)
		if (all[i].used) {
			struct rational own = outside(&all[i]);
			*shorter = any ? lesser(*shorter, own) : own;
			any = true;
		}
	free(all);
	return covered;
}

static struct rational rate_of(const struct time_model *m, const bool *listed)
{
	struct rational sum = none;

	for (size_t i = 0; i < m->n_links + m->n_limits; i++)
		if (listed[i])
			sum = rational_add(sum, i < m->n_links ? m->link_rate[i] : m->limit_rate[i - m->n_links]);
	return sum;
}

/* ---- lines ---- */

/* What is shown for a line. WHY: what is wrong with it, if anything is; NULL: nothing. */
struct shown {
	struct rational latency, per_byte;
	const char *why;
};

static struct shown show_windows(struct time_checking *k, const struct time_claim *c)
{
	const struct time_model *m = &k->model;
	bool *listed = new_array(bool, m->n_links + m->n_limits);
	struct shown s = {none, none, NULL};

	for (size_t i = 0; i < c->n_links; i++)
		listed[c->links[i]] = true;
	for (size_t i = 0; i < c->n_limits; i++)
		listed[m->n_links + (size_t)c->limits[i]] = true;
	struct reach reach = {0};
	struct rational bytes = bytes_of(k, c, &reach), rate = rate_of(m, listed);
	if (!find_windows(k, c, listed, &reach, &s.latency))
		s.why = "a route that is counted crosses none of the links and limits";
	else if (bytes.num == 0)
		s.why = "nothing has to cross these links and limits";
	else if (rate.num == 0)
		s.why = "no links and limits are listed";
	s.per_byte = s.why ? none : rational_div(bytes, rate);
	if (c->by == TIME_BY_OUT_OF) /* what has so far to go has left by the end less that */
		s.latency = c->away;
	free(reach.from);
	free(reach.to);
	free(listed);
	return s;
}

/* No resource is of use at the very beginning and the very end: at least the least of all delays around any. */
static struct rational least_delay(const struct time_model *m)
{
	struct window *all = new_array(struct window, m->n_links);
	struct rational least = none;
	bool any = false;

	for (size_t i = 0; i < m->n_routes; i++)
		for (int h = m->routes[i].begin; h < m->routes[i].end && work_spend(1); h++)
			widen(&all[m->hops[h].link], &m->routes[i], &m->hops[h], none, none);
	for (size_t i = 0; i < m->n_links; i++) {
		if (!all[i].used)
			continue;
		least = any ? lesser(least, outside(&all[i])) : outside(&all[i]);
		any = true;
	}
	free(all);
	return least;
}

static struct shown show_rounds(struct time_checking *k, const struct time_claim *c)
{
	const char *const why = "the witness shows less rounds per chunk";
	struct error e = {0};
	struct question q;
	struct shown s = {least_delay(&k->model), none, why};

	if (c->cut.kind == CUT_PARTS && counts_once(k, c))
		return (struct shown){none, none, "switches that copy or add may count several crossings once"};
	if (!question_open_for_bounds(k->proof->topology, &k->proof->collective, &q, &e))
		return (struct shown){none, none, "there is no such bound for this collective"};
	struct rational shows = cut_bandwidth(&q, &c->cut);
	if (rational_ok(shows) && rational_compare(c->cut.at_least, shows) <= 0) {
		s.why = NULL;
		s.per_byte = rational_div(c->cut.at_least, k->model.fastest);
	}
	question_close(&q);
	return s;
}

static bool is_shown(struct time_checking *k, size_t number, struct check_report *r)
{
	static struct shown (*const by[TIME_BY_KINDS])(struct time_checking *, const struct time_claim *) = {
		[TIME_BY_INTO] = show_windows, [TIME_BY_OUT_OF] = show_windows,
		[TIME_BY_CUT] = show_windows, [TIME_BY_ROUNDS] = show_rounds,
	};
	const struct time_claim *c = &k->proof->claims[number];
	struct shown s = by[c->by](k, c);
	struct rational per_megabyte = rational_mul(s.per_byte, rational(1000000, 1));

	if (!s.why && (!k->model.is_exact || !rational_ok(s.latency) || !rational_ok(per_megabyte)))
		s.why = "its numbers are too large for exact arithmetic";
	else if (!s.why && rational_compare(c->latency, s.latency) > 0)
		s.why = "its latency is more than is shown";
	else if (!s.why && rational_compare(c->per_megabyte, per_megabyte) > 0)
		s.why = "its time per byte is more than is shown";
	if (s.why && !work_is_over())
		snprintf(r->fault, sizeof r->fault, "line %zu, by %s: %s", number + 1, time_by_names[c->by], s.why);
	return !s.why;
}

static void check_lines(struct time_checking *k, struct check_report *r)
{
	bool ok = true;

	for (size_t i = 0; i < k->proof->n && ok && !work_is_over(); i++) {
		ok = is_shown(k, i, r);
		r->lines += ok;
	}
	r->holds = ok && !work_is_over();
}

bool time_proof_check(const struct time_proof *p, double budget, struct check_report *out, struct error *e)
{
	int nodes = p->topology->nodes, chunks = collective_row(&p->collective)->chunks_in_blocks ? nodes : 1;
	struct work before = work_begin(budget > 0 ? budget : INFINITY);
	struct time_checking k = {.proof = p, .chunks = chunks, .combines = collective_row(&p->collective)->combining};

	*out = (struct check_report){.budget = budget};
	bool ok = collective_check(&p->collective, nodes, chunks, e) && time_model_new(p, &k.model, e);
	if (ok) {
		k.collective = collective_scaled(&p->collective, chunks);
		k.global_chunks = collective_global_chunks(&k.collective, nodes, chunks);
		check_lines(&k, out);
		collective_free(&k.collective);
		time_model_free(&k.model);
	}
	out->gave_up = work_is_over();
	if (out->gave_up) /* which an error may have been about */
		*e = (struct error){0};
	out->steps = work_spent();
	work_end(before);
	return ok || out->gave_up;
}
