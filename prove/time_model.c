/*
 * The routes of a machine with their delays, and the rates of links and limits. A limit's units are those of the slowest
 * link under it.
 */

#include "prove/time_model.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/work.h"
#include "core/machine/network.h"
#include "core/machine/network_routes.h"
#include "core/machine/topology.h"

#include <stdlib.h>

/* den 0 if that of either is 0. */
static struct rational greater(struct rational a, struct rational b)
{
	if (!rational_ok(a) || !rational_ok(b))
		return rational(1, 0);
	return rational_compare(a, b) < 0 ? b : a;
}

/* Bytes per µs of one unit of a link. */
static struct rational unit_of(const struct time_proof *p, const struct link *l)
{
	if (rational_ok(p->beta))
		return rational_div(rational(1, 1), p->beta);
	return rational_mul(rational(1000, 1), p->topology->kinds[l->kind].gigabytes_per_second);
}

static struct rational latency_of(const struct time_proof *p, const struct link *l)
{
	return rational_ok(p->alpha) ? p->alpha : p->topology->kinds[l->kind].latency_us;
}

static struct rational step_of(const struct time_proof *p, const struct link *l)
{
	if (rational_ok(p->step))
		return p->step;
	return p->step_of && l->kind >= 0 ? p->step_of[l->kind] : rational(0, 1);
}

static bool has_speeds(const struct time_proof *p, struct error *e)
{
	for (size_t i = 0; i < p->topology->n_links; i++) {
		const struct link *l = &p->topology->links[i];
		if (l->kind < 0 && (!rational_ok(p->alpha) || !rational_ok(p->beta)))
			return error_set(e, ERROR_INPUT, p->topology->name, "has no latency and speed for link %d-%d", l->src, l->dst);
	}
	return true;
}

/* ---- limits ---- */

static bool is_under(const struct limit *limit, const struct link *l)
{
	if (limit->of != LIMIT_EDGES)
		return limit->node == (limit->of == LIMIT_OUT_OF ? l->src : l->dst);
	for (size_t i = 0; i < limit->n_edges && work_spend(1); i++)
		if (limit->edges[i].src == l->src && limit->edges[i].dst == l->dst)
			return true;
	return false;
}

static void set_limits(const struct time_proof *p, struct time_model *m)
{
	const struct topology *t = p->topology;
	size_t capacity = 0;
	int n = 0;

	bool *has = new_array(bool, t->n_limits);

	for (size_t l = 0; l < t->n_links; l++) {
		for (size_t i = 0; i < t->n_limits && work_spend(1); i++) {
			if (!is_under(&t->limits[i], &t->links[l]))
				continue;
			m->under = grown(m->under, &capacity, (size_t)n + 1, sizeof *m->under);
			m->under[n++] = (int)i;
			struct rational rate = rational_mul(unit_of(p, &t->links[l]), rational(t->limits[i].bandwidth, 1));
			if (!has[i] || (rational_ok(rate) && rational_ok(m->limit_rate[i]) && rational_compare(rate, m->limit_rate[i]) < 0))
				m->limit_rate[i] = rate;
			m->is_exact = m->is_exact && rational_ok(rate);
			has[i] = true;
		}
		m->under_begin[l + 1] = n;
	}
	free(has);
}

/* ---- routes ---- */

/* Appends the hops of a route: from its source, each next link among the N of LINKS is the one that leaves where the last arrived. */
static void lay(const struct time_proof *p, struct time_model *m, struct time_route *r, const int *links, int n, int *n_hops)
{
	struct rational latency = rational(0, 1), step = rational(0, 1);
	int at = r->src;

	r->begin = *n_hops;
	for (int i = 0; i < n && at != r->dst; i++)
		for (int k = 0; k < n; k++) {
			const struct link *l = &p->topology->links[links[k]];
			if (l->src != at)
				continue;
			m->hops[(*n_hops)++] = (struct time_hop){links[k], latency};
			latency = rational_add(latency, latency_of(p, l));
			step = greater(step, step_of(p, l));
			at = l->dst;
			break;
		}
	r->end = *n_hops;
	r->delay = rational_add(latency, step);
	m->is_exact = m->is_exact && rational_ok(r->delay);
}

static void set_routes(const struct time_proof *p, const struct routes *r, struct time_model *m)
{
	int *count = new_array(int, r->n_edges + 2), *links = new_array(int, r->n_crossings), n_hops = 0;
	int *next = count + 1; /* shifted by one: after the second pass count[] is right */

	m->n_routes = r->n_edges;
	m->routes = new_array(struct time_route, r->n_edges);
	m->hops = new_array(struct time_hop, r->n_crossings);
	for (size_t i = 0; i < r->n_crossings; i++)
		next[r->crossings[i].edge + 1]++;
	for (size_t i = 0; i < r->n_edges; i++)
		next[i + 1] += next[i];
	for (size_t i = 0; i < r->n_crossings && work_spend(1); i++)
		links[next[r->crossings[i].edge]++] = r->crossings[i].link;
	for (size_t i = 0; i < r->n_edges && work_spend(1); i++) {
		m->routes[i] = (struct time_route){.src = r->edges[i].src, .dst = r->edges[i].dst};
		lay(p, m, &m->routes[i], links + count[i], count[i + 1] - count[i], &n_hops);
	}
	free(count);
	free(links);
}

bool time_model_new(const struct time_proof *p, struct time_model *out, struct error *e)
{
	const struct topology *t = p->topology;
	struct routes r;

	if (!has_speeds(p, e))
		return false;
	if (!routes_find(t, &r, e)) {
		routes_free(&r);
		return false;
	}
	*out = (struct time_model){.nodes = t->nodes, .n_links = t->n_links, .n_limits = t->n_limits, .fastest = rational(0, 1),
				   .is_exact = true};
	out->link_rate = new_array(struct rational, t->n_links);
	out->limit_rate = new_array(struct rational, t->n_limits);
	out->under_begin = new_array(int, t->n_links + 1);
	for (size_t i = 0; i < t->n_links; i++) {
		out->link_rate[i] = rational_mul(unit_of(p, &t->links[i]), rational(t->links[i].bandwidth, 1));
		out->fastest = greater(out->fastest, unit_of(p, &t->links[i]));
		out->is_exact = out->is_exact && rational_ok(out->link_rate[i]) && rational_ok(out->fastest);
	}
	set_limits(p, out);
	set_routes(p, &r, out);
	routes_free(&r);
	return true;
}

void time_model_free(struct time_model *m)
{
	free(m->link_rate);
	free(m->limit_rate);
	free(m->routes);
	free(m->hops);
	free(m->under_begin);
	free(m->under);
}

/* ---- distances ---- */

/* Bellman and Ford's algorithm: few rounds are needed, since shortest chains have few routes. */
struct rational *time_model_distances(struct time_model *m, const bool *of, bool backwards)
{
	struct rational *d = new_array(struct rational, (size_t)m->nodes);
	bool changes = true;

	for (int v = 0; v < m->nodes; v++)
		d[v] = of[v] ? rational(0, 1) : rational(1, 0);
	while (changes && !work_is_over()) {
		changes = false;
		for (size_t i = 0; i < m->n_routes && work_spend(1); i++) {
			const struct time_route *r = &m->routes[i];
			int from = backwards ? r->dst : r->src, to = backwards ? r->src : r->dst;
			if (!rational_ok(d[from]))
				continue;
			struct rational by = rational_add(d[from], r->delay);
			m->is_exact = m->is_exact && rational_ok(by);
			if (rational_ok(by) && (!rational_ok(d[to]) || rational_compare(by, d[to]) < 0)) {
				d[to] = by;
				changes = true;
			}
		}
	}
	return d;
}
