/*
 * Negotiated congestion (McMurchie and Ebeling, PathFinder, 1995): every chunk is routed for itself by the cheapest tree,
 * where the price of a link or limit rises steeply with what it has to carry already; then each in turn is taken out and
 * routed again at the prices that the others leave, several times over. A tree grows as that of Takahashi and Matsuyama
 * (1980) does: from what it has so far, the cheapest path to the next node that wants the chunk, by Dijkstra's algorithm.
 * A path costs its latency from the holder on, the prices of its new links, and more on pairs of nodes that carry more than
 * others.
 */

#include "synth/timed/balanced_routes.h"

#include "core/base/error.h"
#include "core/base/heap.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/schedule/collective.h"
#include "simulate/fabric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct tree_router {
	const struct fabric *fabric;
	const struct collective *collective;
	struct load_weight weight;
	double bytes;
	double scale_load; /* µs: loads are prices in relation to this */
	struct balanced_routes *out;
	double *price;     /* [resource]: µs */
	double *sent;      /* [route]: µs of its narrowest resource */
	int *users;        /* [resource]: routes that cross it */
	/* Of the tree that grows: */
	double *cost;      /* [node]: of the path to it; of a node in the tree, its latency from the holder */
	double *latency;   /* [node] */
	bool *is_in;       /* [node]: is it in the tree? */
	int *by;           /* [node]: the route by which it is reached; -1: none */
	struct heap ways;  /* routes, by the cost of what they reach */
};

static double time_over(const struct tree_router *r, int resource)
{
	return r->bytes / r->fabric->resources[resource].rate;
}

static void set_price(struct tree_router *r, int resource)
{
	double share = r->out->load[resource] / r->scale_load;

	for (int i = 0; i < r->weight.doublings; i++)
		share *= share;
	r->price[resource] = r->weight.scale * time_over(r, resource) * share;
}

static void add_load(struct tree_router *r, int route, double times)
{
	const struct fabric *f = r->fabric;

	for (int i = f->begin[route]; i < f->begin[route + 1]; i++) {
		r->out->load[f->over[i]] = fmax(0, r->out->load[f->over[i]] + times * time_over(r, f->over[i]));
		set_price(r, f->over[i]);
	}
	r->sent[route] += times * r->bytes / f->routes[route].rate;
}

/* What the route has sent, over an equal share of what its busiest link or limit has carried. */
static double share_of(const struct tree_router *r, int route)
{
	const struct fabric *f = r->fabric;
	double most = 0;

	for (int i = f->begin[route]; i < f->begin[route + 1]; i++)
		most = fmax(most, r->out->load[f->over[i]] / r->users[f->over[i]]);
	return most > 0 ? fmax(0, r->sent[route]) / most : 0;
}

static double cost_of(const struct tree_router *r, int route)
{
	enum { SHARE_MAX = 8 };
	const struct fabric *f = r->fabric;
	double own = f->routes[route].latency + f->routes[route].step + r->bytes / f->routes[route].rate;
	double sum = r->cost[f->routes[route].src] + r->weight.height * own;

	for (int i = f->begin[route]; i < f->begin[route + 1]; i++)
		sum += r->price[f->over[i]];
	if (r->weight.pairs > 0)
		sum += r->weight.pairs * r->weight.scale * r->bytes / f->routes[route].rate * fmin(SHARE_MAX, share_of(r, route));
	return sum;
}

static void push_routes_from(struct tree_router *r, int node)
{
	for (int i = r->fabric->from[node]; i < r->fabric->from[node + 1]; i++)
		if (!r->is_in[r->fabric->routes[i].dst])
			heap_put(&r->ways, (struct heap_entry){heap_key(cost_of(r, i)), i, i});
}

/* Joins the path to NODE to the tree. */
static void join(struct tree_router *r, int *into, int node)
{
	const struct route *route = &r->fabric->routes[r->by[node]];

	if (!r->is_in[route->src])
		join(r, into, route->src);
	into[node] = r->by[node];
	add_load(r, r->by[node], 1);
	r->is_in[node] = true;
	r->latency[node] = r->latency[route->src] + route->latency + route->step + r->bytes / route->rate;
	r->cost[node] = r->weight.height * r->latency[node];
	push_routes_from(r, node);
}

/* Keys only get out of date by loads that rise: a way that has become dearer goes back. */
static void take_way(struct tree_router *r, struct heap_entry way, const bool *wanted, int *into, int *left)
{
	int node = r->fabric->routes[way.item].dst;
	double now = cost_of(r, way.item);

	if (r->is_in[node] || now >= r->cost[node])
		return;
	if (heap_key(now) > way.key) {
		heap_put(&r->ways, (struct heap_entry){heap_key(now), way.rank, way.item});
		return;
	}
	r->cost[node] = now;
	r->by[node] = way.item;
	if (wanted[node]) {
		join(r, into, node);
		--*left;
	} else
		push_routes_from(r, node);
}

/* Routes one chunk. WANTED is scratch. False: some node cannot be reached. */
static bool grow_tree(struct tree_router *r, int chunk, bool *wanted)
{
	int nodes = r->out->nodes, left = 0, *into = r->out->into + (size_t)chunk * (size_t)nodes;

	r->ways.n = 0;
	for (int v = 0; v < nodes; v++) {
		bool has = collective_pre(r->collective, nodes, chunk, v);
		wanted[v] = !has && collective_post(r->collective, nodes, chunk, v);
		left += wanted[v];
		r->is_in[v] = has;
		r->cost[v] = has ? 0 : INFINITY;
		r->latency[v] = 0;
		r->by[v] = -1;
		if (into[v] >= 0)
			add_load(r, into[v], -1);
		into[v] = -1;
	}
	for (int v = 0; v < nodes && left; v++)
		if (r->is_in[v])
			push_routes_from(r, v);
	while (left && r->ways.n)
		take_way(r, heap_take(&r->ways), wanted, into, &left);
	return left == 0;
}

static double largest_load(const struct tree_router *r)
{
	double most = 0;

	for (size_t i = 0; i < r->fabric->n_resources; i++)
		most = fmax(most, r->out->load[i]);
	return most;
}

/* The first pass has no loads to go by but those that it makes: prices follow the busiest resource so far. */
static bool route_all(struct tree_router *r, bool first, bool *wanted)
{
	for (int c = 0; c < r->out->chunks; c++) {
		if (first || c == 0) {
			double most = largest_load(r);
			r->scale_load = most > 0 ? most : 1;
			for (size_t i = 0; i < r->fabric->n_resources; i++)
				set_price(r, (int)i);
		}
		if (!grow_tree(r, c, wanted))
			return false;
	}
	return true;
}

static bool negotiate(struct tree_router *r)
{
	enum { PASSES = 6 };
	bool *wanted = new_array(bool, (size_t)r->out->nodes), ok = true;
	double least = INFINITY;
	int most = r->weight.doublings, idle = 0;

	r->weight.doublings = 1;
	for (int pass = 0; ok && pass < PASSES + most && idle < 2 && !(pass > 0 && stop_is_due()); pass++) {
		ok = route_all(r, pass == 0, wanted);
		double now = largest_load(r);
		idle = now < least || r->weight.doublings < most ? 0 : idle + 1;
		least = fmin(least, now);
		r->weight.doublings += r->weight.doublings < most;
	}
	r->out->busiest = largest_load(r);
	free(wanted);
	return ok;
}

bool balanced_routes_new(const struct fabric *f, const struct collective *k, int chunks, double bytes, struct load_weight w,
			 struct balanced_routes *out, struct error *e)
{
	enum { PLACES_MAX = 1 << 24 };
	size_t nodes = (size_t)f->nodes;

	if (!collective_check(k, f->nodes, chunks, e))
		return false;
	size_t all = (size_t)collective_global_chunks(k, f->nodes, chunks);
	if (all > PLACES_MAX / nodes)
		return error_set(e, ERROR_LIMIT, "list-schedule", "needs more than %d places of chunks here", PLACES_MAX);
	*out = (struct balanced_routes){f->nodes, (int)all, new_array(int, all * nodes), new_array(double, f->n_resources), 0};
	memset(out->into, -1, all * nodes * sizeof *out->into);
	struct tree_router r = {.fabric = f, .collective = k, .weight = w, .bytes = bytes, .out = out, .price = new_array(double, f->n_resources),
			   .cost = new_array(double, nodes), .latency = new_array(double, nodes), .is_in = new_array(bool, nodes),
			   .by = new_array(int, nodes)};
	r.sent = new_array(double, f->n_routes);
	r.users = new_array(int, f->n_resources);
	for (int i = 0; i < f->begin[f->n_routes]; i++)
		r.users[f->over[i]]++;
	bool ok = negotiate(&r);
	free(r.sent);
	free(r.users);
	heap_free(&r.ways);
	free(r.price);
	free(r.cost);
	free(r.latency);
	free(r.is_in);
	free(r.by);
	if (!ok) {
		balanced_routes_free(out);
		error_set(e, ERROR_INPUT, "list-schedule", "some node cannot be reached");
	}
	return ok;
}

void balanced_routes_free(struct balanced_routes *r)
{
	free(r->into);
	free(r->load);
	*r = (struct balanced_routes){0};
}
