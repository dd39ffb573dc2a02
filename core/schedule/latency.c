/*
 * The latency of an algorithm. A step has that of the slowest route among its sends: the sum of its links' latencies, as
 * in the simulation. In a compact algorithm a send stands for all of its images, so routes that the symmetry maps to each
 * other count as the slowest of them.
 */

#include "core/schedule/cost.h"

#include "core/base/csr.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/network_routes.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"
#include "core/schedule/step_overhead.h"
#include "core/schedule/symmetry.h"

#include <stdlib.h>

/* Routes, and for each what a step over it costs: den 0 if some link has no kind. */
struct route_costs {
	struct routes routes;
	int *from; /* [node]: the first route that leaves it */
	struct rational *of;
};

/* The index of a route, or -1. */
static int route_between(const struct route_costs *r, int src, int dst)
{
	int low = r->from[src], end = r->from[src + 1], high = end;

	while (low < high) {
		int middle = low + (high - low) / 2;
		if (r->routes.edges[middle].dst < dst)
			low = middle + 1;
		else
			high = middle;
	}
	return low < end && r->routes.edges[low].dst == dst ? low : -1;
}

static struct rational larger(struct rational a, struct rational b)
{
	if (!rational_ok(a) || !rational_ok(b))
		return rational(1, 0);
	return rational_compare(a, b) < 0 ? b : a;
}

/* STEP [kind] is added once per route: the largest among its links. */
static void add_latencies(struct route_costs *r, const struct topology *t, const struct step_overhead *c,
			  const struct rational *step)
{
	struct rational *added = new_array(struct rational, r->routes.n_edges);
	struct rational uniform = c->target || !c->us.den ? rational(0, 1) : c->us;

	r->of = new_array(struct rational, r->routes.n_edges);
	for (size_t i = 0; i < r->routes.n_edges; i++) {
		r->of[i] = rational(0, 1);
		added[i] = uniform;
	}
	for (size_t i = 0; i < r->routes.n_crossings; i++) {
		const struct crossing *x = &r->routes.crossings[i];
		int kind = t->links[x->link].kind;
		r->of[x->edge] = rational_add(r->of[x->edge], kind < 0 ? rational(1, 0) : t->kinds[kind].latency_us);
		if (kind >= 0)
			added[x->edge] = larger(added[x->edge], step[kind]);
	}
	for (size_t i = 0; i < r->routes.n_edges; i++)
		r->of[i] = rational_add(r->of[i], added[i]);
	free(added);
}

/* Follows PARENT to the representative of route I, and shortens the path. */
static int root_of(int *parent, int i)
{
	for (; parent[i] != i; i = parent[i])
		parent[i] = parent[parent[i]];
	return i;
}

/* Gives routes that the generators of Y map to each other the largest cost among them. */
static void join_images(struct route_costs *r, const struct symmetry *y)
{
	int n = (int)r->routes.n_edges, *parent = new_array(int, r->routes.n_edges);

	for (int i = 0; i < n; i++)
		parent[i] = i;
	for (size_t g = 0; g < y->n; g++)
		for (int i = 0; i < n; i++) {
			const int *to = y->generators[g].nodes;
			int image = route_between(r, to[r->routes.edges[i].src], to[r->routes.edges[i].dst]);
			if (image >= 0)
				parent[root_of(parent, image)] = root_of(parent, i);
		}
	for (int i = 0; i < n; i++) {
		int root = root_of(parent, i);
		r->of[root] = larger(r->of[root], r->of[i]);
	}
	for (int i = 0; i < n; i++)
		r->of[i] = r->of[root_of(parent, i)];
	free(parent);
}

/* The largest cost of the routes of N sends, if it is larger than MOST. */
static struct rational largest(const struct route_costs *r, const struct send *sends, size_t n, struct rational most)
{
	for (size_t i = 0; i < n; i++) {
		int route = route_between(r, sends[i].src, sends[i].dst);
		most = larger(most, route < 0 ? rational(1, 0) : r->of[route]);
	}
	return most;
}

static struct rational sum_over_steps(const struct route_costs *r, const struct algorithm *a)
{
	struct rational sum = rational(0, 1);

	for (size_t s = 0; s < a->n_steps; s++) {
		const struct step *step = &a->steps[s];
		struct rational most = largest(r, step->sends, step->n_sends, rational(0, 1));
		sum = rational_add(sum, largest(r, step->reduces, step->n_reduces, most));
	}
	return sum;
}

bool algorithm_latency(const struct algorithm *a, const struct step_overhead *c, struct rational *out, struct error *e)
{
	const struct topology *t = a->topology;
	struct route_costs r = {0};
	struct rational *step = step_overhead_by_kind(c, t, e);

	if (!step)
		return false;
	bool ok = routes_find(t, &r.routes, e);
	if (ok) {
		r.from = csr_offsets(t->nodes, r.routes.n_edges ? &r.routes.edges->src : NULL, r.routes.n_edges, sizeof *r.routes.edges);
		add_latencies(&r, t, c, step);
		if (a->symmetry)
			join_images(&r, a->symmetry);
		*out = sum_over_steps(&r, a);
		ok = rational_ok(*out) || error_set(e, ERROR_INPUT, t->name, "has no latency and speed for a link that the algorithm uses; give --alpha and --beta");
	}
	routes_free(&r.routes);
	free(r.from);
	free(r.of);
	free(step);
	return ok;
}
