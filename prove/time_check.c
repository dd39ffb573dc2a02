/*
 * Verifies bounds on time. Each byte that a line counts must cross one of its resources. At the beginning and at the end of
 * the schedule there is some time in which these are of no use. So the schedule lasts at least that time, and as long as the
 * resources together take for the bytes. docs/reference/proofs.md, "Bounds on time", also has the argument for relays.
 */

#include "prove/time_proof.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/base/work.h"
#include "core/machine/network.h"
#include "prove/check.h"
#include "prove/cut.h"
#include "prove/question.h"
#include "prove/time_count.h"
#include "prove/time_expanded.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct rational none = {0, 1};

static struct rational lesser(struct rational a, struct rational b)
{
	if (!rational_ok(a) || !rational_ok(b))
		return rational(1, 0);
	return rational_compare(a, b) < 0 ? a : b;
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
	if (c->by == TIME_BY_OUT_OF || c->by == TIME_BY_RELAYS_OUT_OF || c->by == TIME_BY_DIRECT_OUT_OF)
		return r->src == c->node;
	if (c->by == TIME_BY_RELAYS_INTO || c->by == TIME_BY_DIRECT_INTO)
		return r->dst == c->node;
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

/* By how much the window is shorter than the schedule: the less in the two ways to share links. */
static struct rational outside(const struct window *w)
{
	return lesser(rational_add(w->enters, w->leaves), rational_add(w->starts, w->delay));
}

/*
 * Sets *SHORTER to the least time by which any window of a listed resource is shorter than the schedule. False: some route
 * that is counted crosses none of them, or none is counted.
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
		if (!is_counted(c, r) || (reach->from && !rational_ok(reach->from[r->src])) ||
		    (reach->to && !rational_ok(reach->to[r->dst])))
			continue; /* none of the bytes that are counted can take this route */
		const struct time_hop *hop = find_hop(m, r, listed, c->at_end, &resource);
		covered = hop && (c->by != TIME_BY_OUT_OF || hop->before.num == 0);
		if (covered)
			widen(&all[resource], r, hop, reach->from ? reach->from[r->src] : none, reach->to ? reach->to[r->dst] : none);
	}
	*shorter = none;
	for (size_t i = 0; i < m->n_links + m->n_limits && work_spend(1); i++)
		if (all[i].used) {
			struct rational own = outside(&all[i]);
			*shorter = any ? lesser(*shorter, own) : own;
			any = true;
		}
	free(all);
	return covered && any;
}

static struct rational rate_of(const struct time_model *m, const bool *listed)
{
	struct rational sum = none;

	for (size_t i = 0; i < m->n_links + m->n_limits && work_spend(1); i++)
		if (listed[i])
			sum = rational_add(sum, i < m->n_links ? m->link_rate[i] : m->limit_rate[i - m->n_links]);
	return sum;
}

/* ---- lines ---- */

/* What is shown for a line. WHY: what is wrong with the line; NULL: nothing. */
struct shown {
	struct rational latency, per_byte;
	const char *why;
};

static bool *listed_by(const struct time_model *m, const struct time_claim *c)
{
	bool *listed = new_array(bool, m->n_links + m->n_limits);

	for (size_t i = 0; i < c->n_links; i++)
		listed[c->links[i]] = true;
	for (size_t i = 0; i < c->n_limits; i++)
		listed[m->n_links + (size_t)c->limits[i]] = true;
	return listed;
}

static const char *fault_of(struct rational bytes, struct rational rate, bool covered)
{
	if (bytes.num == 0)
		return "nothing has to cross these links and limits";
	if (!covered)
		return "a route that is counted crosses none of the links and limits, or none is counted";
	return rational_ok(rate) && rate.num == 0 ? "no links and limits are listed" : NULL;
}

static struct shown show_windows(struct time_checking *k, const struct time_claim *c)
{
	bool *listed = listed_by(&k->model, c);
	struct shown s = {none, none, NULL};
	struct reach reach = {0};
	struct rational bytes = time_count(k, c, &reach), rate = rate_of(&k->model, listed);
	bool covered = find_windows(k, c, listed, &reach, &s.latency);

	s.why = fault_of(bytes, rate, covered);
	s.per_byte = s.why ? none : rational_div(bytes, rate);
	if (c->by == TIME_BY_OUT_OF) /* what has AWAY to go has left by the end less AWAY */
		s.latency = c->away;
	free(reach.from);
	free(reach.to);
	free(listed);
	return s;
}

/* [node]: the least delay of a route into it, or, if OUT, out of it, except for routes from or to BUT; den 0: there is none. */
static struct rational *hops_of(const struct time_model *m, int but, bool out)
{
	struct rational *hop = new_array(struct rational, (size_t)m->nodes);

	for (size_t i = 0; i < m->n_routes && work_spend(1); i++) {
		const struct time_route *r = &m->routes[i];
		int here = out ? r->src : r->dst, there = out ? r->dst : r->src;
		if (there != but)
			hop[here] = rational_ok(hop[here]) ? lesser(hop[here], r->delay) : r->delay;
	}
	return hop;
}

/* For k copies: (s1 + (k - 1) s2) / k, where windows are shorter by s1, and by s2 for what is passed on. */
static struct rational weighted(struct rational direct, struct rational relayed, int copies)
{
	return rational_div(rational_add(direct, rational_mul(rational(copies - 1, 1), relayed)), rational(copies, 1));
}

static bool is_at_most(struct rational claimed, struct rational shown)
{
	return rational_ok(shown) && rational_compare(claimed, shown) <= 0;
}

static struct shown show_relays(struct time_checking *k, const struct time_claim *c)
{
	bool *listed = listed_by(&k->model, c), out = c->by == TIME_BY_RELAYS_OUT_OF;
	struct rational *hop = hops_of(&k->model, c->node, out), direct, relayed;
	struct reach anyhow = {0}, reach = {out ? NULL : hop, out ? hop : NULL};
	struct rational bytes = time_count(k, c, &anyhow), rate = rate_of(&k->model, listed);
	bool covered = find_windows(k, c, listed, &anyhow, &direct), passed_on = find_windows(k, c, listed, &reach, &relayed);
	struct shown s = {passed_on ? weighted(direct, relayed, c->copies) : direct, none, fault_of(bytes, rate, covered)};

	s.per_byte = s.why ? none : rational_div(bytes, rate);
	if (!s.why && (!is_at_most(c->early_latency, direct) ||
		       !is_at_most(c->early_per_megabyte, rational_mul(s.per_byte, rational(INT64_C(1000000) * c->copies, 1)))))
		s.why = "its early line is more than is shown";
	free(hop);
	free(listed);
	return s;
}

/* [node]: 0 if it is joined to the claim's node, by no route of a delay less than AWAY; else den 0. */
static struct rational *far_nodes(const struct time_model *m, const struct time_claim *c, bool out)
{
	struct rational *far = new_array(struct rational, (size_t)m->nodes);

	for (size_t i = 0; i < m->n_routes && work_spend(1); i++) {
		const struct time_route *r = &m->routes[i];
		int here = out ? r->src : r->dst, there = out ? r->dst : r->src;
		if (here == c->node)
			far[there] = rational_ok(far[there]) ? lesser(far[there], r->delay) : r->delay;
	}
	for (int v = 0; v < m->nodes; v++)
		far[v] = rational_ok(far[v]) && rational_compare(far[v], c->away) >= 0 ? none : rational(1, 0);
	return far;
}

/* The least delay of a chain of two routes or more between the claim's node and one that is far; den 0: there is none. */
static struct rational chain_delay(struct time_model *m, const struct time_claim *c, const struct rational *far, bool out)
{
	bool *only = new_array(bool, (size_t)m->nodes);
	struct rational least = rational(1, 0);

	only[c->node] = true;
	struct rational *distance = time_model_distances(m, only, !out);
	for (size_t i = 0; i < m->n_routes && work_spend(1); i++) {
		const struct time_route *r = &m->routes[i];
		int end = out ? r->dst : r->src, between = out ? r->src : r->dst;
		if (between == c->node || !rational_ok(far[end]) || !rational_ok(distance[between]))
			continue;
		struct rational own = rational_add(distance[between], r->delay);
		least = rational_ok(least) ? lesser(least, own) : own;
	}
	free(distance);
	free(only);
	return least;
}

/* Without a chain of routes in it, a schedule sends all of it directly. */
static struct shown show_direct(struct time_checking *k, const struct time_claim *c)
{
	bool *listed = listed_by(&k->model, c), out = c->by == TIME_BY_DIRECT_OUT_OF;
	struct rational *far = far_nodes(&k->model, c, out), chain = chain_delay(&k->model, c, far, out), direct;
	struct reach reach = {out ? NULL : far, out ? far : NULL};
	struct rational bytes = time_count(k, c, &reach), rate = rate_of(&k->model, listed);
	bool covered = find_windows(k, c, listed, &reach, &direct);
	struct shown s = {chain, none, fault_of(bytes, rate, covered)};
	struct rational per_byte = s.why ? none : rational_mul(rational_div(bytes, rate), rational(c->copies, 1));

	if (!s.why && (!is_at_most(c->early_latency, direct) ||
		       !is_at_most(c->early_per_megabyte, rational_mul(per_byte, rational(1000000, 1)))))
		s.why = "its early line is more than is shown";
	if (!rational_ok(chain)) { /* nothing is passed on: both lines are the same */
		s.latency = direct;
		s.per_byte = per_byte;
	}
	free(far);
	free(listed);
	return s;
}

static struct shown show_expanded(struct time_checking *k, const struct time_claim *c)
{
	return (struct shown){c->expanded.begin[c->expanded.slots], none, time_expanded_fault(k, c)};
}

/* The least time by which the window of any link or limit of the machine is shorter than the schedule. */
static struct rational least_delay(const struct time_model *m)
{
	struct window *all = new_array(struct window, m->n_links + m->n_limits);
	struct rational least = none;
	bool any = false;

	for (size_t i = 0; i < m->n_routes; i++)
		for (int h = m->routes[i].begin; h < m->routes[i].end; h++) {
			int link = m->hops[h].link;
			widen(&all[link], &m->routes[i], &m->hops[h], none, none);
			for (int u = m->under_begin[link]; u < m->under_begin[link + 1] && work_spend(1); u++)
				widen(&all[m->n_links + (size_t)m->under[u]], &m->routes[i], &m->hops[h], none, none);
		}
	for (size_t i = 0; i < m->n_links + m->n_limits && work_spend(1); i++) {
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
	const char *const why = "the witness shows fewer rounds per chunk";
	struct error e = {0};
	struct question q;
	struct shown s = {least_delay(&k->model), none, why};

	if (c->cut.kind == CUT_PARTS && time_counts_once(k, c))
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
		[TIME_BY_CUT] = show_windows, [TIME_BY_ROUNDS] = show_rounds, [TIME_BY_RELAYS_OUT_OF] = show_relays,
		[TIME_BY_RELAYS_INTO] = show_relays, [TIME_BY_DIRECT_OUT_OF] = show_direct, [TIME_BY_DIRECT_INTO] = show_direct,
		[TIME_BY_EXPANDED_TIME] = show_expanded,
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

static bool does_share(const struct topology *t)
{
	struct error e = {0};
	struct network *w = network_new(t, &e);
	bool shares = !w || w->n_groups > 0;

	network_free(w);
	return shares;
}

bool time_proof_check(const struct time_proof *p, double budget, struct check_report *out, struct error *e)
{
	int nodes = p->topology->nodes, chunks = collective_row(&p->collective)->chunks_in_blocks ? nodes : 1;
	struct work before = work_begin(budget > 0 ? budget : INFINITY);
	struct time_checking k = {.proof = p, .chunks = chunks, .combines = collective_row(&p->collective)->combining};

	*out = (struct check_report){.budget = budget, .is_time = true};
	bool ok = collective_check(&p->collective, nodes, chunks, e) && time_model_new(p, &k.model, e);
	if (ok) {
		k.collective = collective_scaled(&p->collective, chunks);
		k.global_chunks = collective_global_chunks(&k.collective, nodes, chunks);
		k.shares = topology_has_abilities(p->topology) && does_share(p->topology);
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
