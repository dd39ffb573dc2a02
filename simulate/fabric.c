/*
 * Builds the fabric of a topology: links and limits as resources with a rate, and for each joined pair of nodes the
 * resources that its route crosses, in order, each link preceded by the limits it is under, the last followed by a port.
 */

#include "simulate/fabric.h"

#include "core/base/error.h"
#include "core/base/csr.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/network_routes.h"
#include "core/machine/topology.h"
#include "core/schedule/step_overhead.h"

#include <stdlib.h>

/* Bytes per µs of one unit of bandwidth; negative: neither BETA nor a kind of link gives it. */
static double unit_rate(const struct topology *t, const struct link *l, double beta)
{
	if (beta > 0)
		return 1 / beta;
	return l->kind < 0 ? -1 : 1000 * rational_double(t->kinds[l->kind].gigabytes_per_second);
}

/*
 * The rate that a buffer allows: a byte's place in it is free again once the byte has crossed, its packet is complete,
 * and the acknowledgement has returned.
 */
static double buffered(double rate, double latency, const struct speeds *s)
{
	double most = s->buffer / (2 * latency + s->packet / rate);
	return s->buffer > 0 && most < rate ? most : rate;
}

static bool open_links(const struct topology *t, const struct speeds *s, struct fabric *f, struct error *e)
{
	for (size_t i = 0; i < t->n_links; i++) {
		const struct link *l = &t->links[i];
		double rate = unit_rate(t, l, s->beta) * l->bandwidth;
		if (rate <= 0 || (s->alpha < 0 && l->kind < 0))
			return error_set(e, ERROR_INPUT, t->name, "has no alpha and beta for link %d-%d; give --alpha and --beta%s", l->src,
					 l->dst, t->n_kinds ? ", or the network between boxes by name, as in dgx-h100*4:ib400" : "");
		double latency = s->alpha >= 0 ? s->alpha : rational_double(t->kinds[l->kind].latency_us);
		f->resources[i] = (struct resource){.rate = buffered(rate, latency, s), .latency = latency, .src = l->src, .dst = l->dst};
	}
	return true;
}

/*
 * Fills INTO, which has space for n_links entries, with the indices of the links under a limit and returns their
 * number.
 */
static size_t links_under(const struct topology *t, const struct limit *limit, int *into)
{
	size_t n = 0;

	for (size_t i = 0; limit->of != LIMIT_EDGES && i < t->n_links; i++)
		if ((limit->of == LIMIT_OUT_OF ? t->links[i].src : t->links[i].dst) == limit->node)
			into[n++] = (int)i;
	for (size_t i = 0; i < limit->n_edges; i++) {
		const struct link *l = topology_link(t, limit->edges[i].src, limit->edges[i].dst);
		if (l)
			into[n++] = (int)(l - t->links);
	}
	return n;
}

/*
 * Maps each link to the limits that it is under. A limit's rate is its bandwidth in units of the slowest of its links.
 */
static struct csr open_limits(const struct topology *t, double beta, struct fabric *f)
{
	struct csr u = csr_new((int)t->n_links);
	int *links = new_array(int, t->n_links + 1);
	size_t capacity = 0, n = 0;
	struct crossing *pairs = NULL;

	for (size_t i = 0; i < t->n_limits; i++) {
		struct resource *r = &f->resources[t->n_links + i];
		size_t count = links_under(t, &t->limits[i], links);
		*r = (struct resource){.src = -1, .dst = -1, .name = t->limits[i].name};
		pairs = grown(pairs, &capacity, n + count + 1, sizeof *pairs);
		for (size_t k = 0; k < count; k++) {
			double rate = unit_rate(t, &t->links[links[k]], beta) * t->limits[i].bandwidth;
			r->rate = k == 0 || rate < r->rate ? rate : r->rate;
			pairs[n++] = (struct crossing){links[k], (int)(t->n_links + i)};
			csr_count(&u, links[k]);
		}
	}
	csr_allocate(&u);
	for (size_t i = 0; i < n; i++)
		csr_put(&u, pairs[i].link, pairs[i].edge);
	free(pairs);
	free(links);
	return u;
}

/* Puts the N links of a route from SRC in order. */
static void chain(const struct topology *t, int *links, int n, int src)
{
	for (int at = src, i = 0; i < n; i++)
		for (int k = i; k < n; k++)
			if (t->links[links[k]].src == at) {
				int link = links[k];
				links[k] = links[i];
				links[i] = link;
				at = t->links[link].dst;
				break;
			}
}

/* Room in the lists of what routes cross. */
struct over_room {
	size_t over, crossed;
};

/* Copies into a switch that multicasts count once, and so do reduces out of one that reduces. */
static struct crossed_link crossed_link(const struct topology *t, int link)
{
	return (struct crossed_link){link, (topology_abilities(t, t->links[link].dst) & MULTICASTS) |
					   (topology_abilities(t, t->links[link].src) & REDUCES)};
}

/* Adds RESOURCE, which is LINK or a limit that it is under. */
static void add_over(const struct topology *t, struct fabric *f, struct over_room *room, struct route *route, int *n, int resource,
		     int link)
{
	const struct resource *r = &f->resources[resource];

	f->over = grown(f->over, &room->over, (size_t)*n + 1, sizeof *f->over);
	if (topology_has_abilities(t)) {
		f->crossed = grown(f->crossed, &room->crossed, (size_t)*n + 1, sizeof *f->crossed);
		f->crossed[*n] = crossed_link(t, link);
	}
	f->over[(*n)++] = resource;
	route->latency += r->latency;
	if (route->rate <= 0 || r->rate < route->rate)
		route->rate = r->rate;
}

/* Each port of a node is as fast as the fastest link into it. */
static void open_ports(const struct topology *t, struct fabric *f)
{
	size_t first = f->n_links + f->n_limits;

	for (size_t i = first; i < f->n_resources; i++)
		f->resources[i] = (struct resource){.src = -1, .dst = -1};
	for (size_t i = 0; i < f->n_links && first < f->n_resources; i++)
		for (int k = 0; t->links[i].dst < f->nodes && k < f->ports; k++) {
			struct resource *r = &f->resources[first + (size_t)(t->links[i].dst * f->ports + k)];
			r->rate = f->resources[i].rate > r->rate ? f->resources[i].rate : r->rate;
		}
}

/* The resources of one route, over the COUNT links at OWN in order, into the destination's port. */
static void lay_route(const struct topology *t, const struct csr *u, const int *own, int count, int port, struct fabric *f,
		      struct over_room *room, size_t route)
{
	size_t ports = f->n_links + f->n_limits;
	struct route *r = &f->routes[route];
	int n = f->begin[route];

	for (int k = 0; k < count; k++) {
		for (int l = u->begin[own[k]]; l < u->begin[own[k] + 1]; l++)
			add_over(t, f, room, r, &n, u->of[l], own[k]);
		add_over(t, f, room, r, &n, own[k], own[k]);
	}
	if (ports < f->n_resources && count)
		add_over(t, f, room, r, &n, (int)ports + r->dst * f->ports + port, own[count - 1]);
	f->begin[route + 1] = n;
	if (n - f->begin[route] > f->longest)
		f->longest = n - f->begin[route];
}

static void lay_routes(const struct topology *t, const struct routes *r, const struct csr *u, struct fabric *f)
{
	struct csr links = csr_by_row((int)r->n_edges, r->n_crossings ? &r->crossings->edge : NULL, r->n_crossings, sizeof *r->crossings);
	struct over_room room = {0};

	f->n_routes = r->n_edges * (size_t)f->ports;
	f->routes = new_array(struct route, f->n_routes);
	f->begin = new_array(int, f->n_routes + 1);
	for (size_t i = 0; i < r->n_edges; i++) {
		int *own = &links.of[links.begin[i]], count = csr_size(&links, (int)i); /* not in order yet */
		for (int k = 0; k < count; k++)
			own[k] = r->crossings[own[k]].link;
		chain(t, own, count, r->edges[i].src);
		for (int port = 0; port < f->ports; port++) {
			size_t route = i * (size_t)f->ports + (size_t)port;
			f->routes[route] = (struct route){.src = r->edges[i].src, .dst = r->edges[i].dst};
			lay_route(t, u, own, count, port, f, &room, route);
		}
	}
	f->from = csr_offsets(f->nodes, f->n_routes ? &f->routes->src : NULL, f->n_routes, sizeof *f->routes);
	csr_free(&links);
}

/* What a step over each route costs: the largest cost among its links. */
static bool set_steps(const struct topology *t, const struct routes *r, const struct step_overhead *c, struct fabric *f,
		      struct error *e)
{
	struct rational *by_kind = step_overhead_by_kind(c, t, e);
	double uniform = c->target || !c->us.den ? 0 : rational_double(c->us);

	for (size_t i = 0; i < f->n_routes && by_kind; i++)
		f->routes[i].step = uniform;
	for (size_t i = 0; i < r->n_crossings && by_kind && c->target; i++) {
		const struct link *l = &t->links[r->crossings[i].link];
		struct route *routes = &f->routes[(size_t)r->crossings[i].edge * (size_t)f->ports];
		if (l->kind < 0) {
			free(by_kind);
			return error_set(e, ERROR_INPUT, "--step-cost", "link %d-%d of %.64s has no kind: give it in microseconds", l->src, l->dst, t->name);
		}
		double own = rational_double(by_kind[l->kind]);
		for (int port = 0; port < f->ports; port++)
			routes[port].step = own > routes[port].step ? own : routes[port].step;
	}
	bool ok = by_kind;
	free(by_kind);
	return ok;
}

bool fabric_open(const struct topology *t, const struct speeds *s, struct fabric *out, struct error *e)
{
	struct routes r;

	*out = (struct fabric){.n_links = t->n_links, .n_limits = t->n_limits, .nodes = t->nodes, .ports = s->ports > 0 ? s->ports : 1};
	out->n_resources = t->n_links + t->n_limits + (size_t)(s->ports > 0 ? t->nodes * s->ports : 0);
	out->resources = new_array(struct resource, out->n_resources);
	if (!open_links(t, s, out, e))
		return false;
	bool ok = routes_find(t, &r, e);
	if (ok) {
		struct csr under = open_limits(t, s->beta, out);
		open_ports(t, out);
		lay_routes(t, &r, &under, out);
		csr_free(&under);
		ok = !s->step || set_steps(t, &r, s->step, out, e);
	}
	routes_free(&r);
	return ok;
}

void fabric_close(struct fabric *f)
{
	free(f->resources);
	free(f->routes);
	free(f->begin);
	free(f->over);
	free(f->crossed);
	free(f->from);
	*f = (struct fabric){0};
}

int fabric_route(const struct fabric *f, int src, int dst)
{
	int low = f->from[src], high = f->from[src + 1];

	while (low < high) {
		int middle = low + (high - low) / 2;
		if (f->routes[middle].dst < dst)
			low = middle + 1;
		else
			high = middle;
	}
	return low < f->from[src + 1] && f->routes[low].dst == dst ? low : -1;
}
