/* Finds links and limits of which every route into a set crosses one: at one end of the routes, or anywhere. */

#include "simulate/passage.h"

#include "core/base/memory.h"
#include "simulate/cover.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool enters(const int *part, int number, const struct route *r)
{
	return part[r->src] >= 0 && part[r->src] != number && part[r->dst] == number;
}

/* The links at one end of the routes, or limits over these links that are narrower. */
static struct set_passage by_ends(const struct fabric *f, const int *part, int number, bool last)
{
	struct set_passage p = {.listed = new_array(bool, f->n_resources), .last = last};
	struct cover c = cover_new(f);

	for (size_t r = 0; r < f->n_routes; r++)
		if (enters(part, number, &f->routes[r]))
			cover_add(&c, (int)r, !last);
	p.rate = cover_choose(&c);
	memcpy(p.listed, c.taken, f->n_resources * sizeof *p.listed);
	cover_free(&c);
	return p;
}

/*
 * Anything on the way: each time the resource of the least rate per route that it adds, of routes that cross none of those
 * chosen before (Chvátal, A greedy heuristic for the set-covering problem, 1979).
 */
static struct set_passage greedy(const struct fabric *f, const int *part, int number)
{
	struct set_passage p = {.listed = new_array(bool, f->n_resources)};
	bool *done = new_array(bool, f->n_routes);

	for (;;) {
		int *routes = new_array(int, f->n_resources), best = -1;
		for (size_t r = 0; r < f->n_routes; r++)
			for (int i = f->begin[r]; i < f->begin[r + 1] && !done[r] && enters(part, number, &f->routes[r]); i++)
				routes[f->over[i]]++;
		for (size_t i = 0; i < f->n_resources; i++)
			if (routes[i] && (best < 0 || f->resources[i].rate * routes[best] < f->resources[best].rate * routes[i]))
				best = (int)i;
		free(routes);
		if (best < 0)
			break;
		p.listed[best] = true;
		p.rate += f->resources[best].rate;
		for (size_t r = 0; r < f->n_routes; r++)
			for (int i = f->begin[r]; i < f->begin[r + 1]; i++)
				done[r] = done[r] || f->over[i] == best;
	}
	free(done);
	return p;
}

void passages_open(const struct fabric *f, const int *part, int number, int n, struct set_passage *out)
{
	for (int i = 0; i < n; i++)
		out[i] = i < ENDS ? by_ends(f, part, number, i > 0) : greedy(f, part, number);
}

void passages_close(struct set_passage *p, int n)
{
	for (int i = 0; i < n; i++)
		free(p[i].listed);
}

/* The resource at which a route is counted. Sets *BEFORE to the sum of the latencies before it. */
static int passed(const struct fabric *f, int route, const struct set_passage *p, double *before)
{
	int found = -1;
	double so_far = 0;

	for (int i = f->begin[route]; i < f->begin[route + 1]; i++) {
		int at = f->over[i];
		if (p->listed[at] && (found < 0 || p->last)) {
			found = at;
			*before = so_far;
		}
		so_far += f->resources[at].latency;
	}
	return found;
}

double passage_delay(const struct fabric *f, const int *part, int number, const struct set_passage *p, const double *from,
		     const double *to)
{
	struct delays *in_order = new_array(struct delays, f->n_resources), *shared = new_array(struct delays, f->n_resources);
	double least = INFINITY, before = 0;

	for (size_t i = 0; i < f->n_resources; i++)
		in_order[i] = shared[i] = no_delays;
	for (size_t i = 0; i < f->n_routes; i++) {
		const struct route *r = &f->routes[i];
		if (!enters(part, number, r))
			continue;
		double starts = from ? from[r->src] : 0, rest = to ? to[r->dst] : 0, whole = route_delay(r);
		int at = passed(f, (int)i, p, &before);
		delays_add(&in_order[at], starts + before, whole - before + rest);
		delays_add(&shared[at], starts, whole + rest);
	}
	for (size_t i = 0; i < f->n_resources; i++)
		least = fmin(least, fmin(in_order[i].before + in_order[i].after, shared[i].before + shared[i].after));
	free(in_order);
	free(shared);
	return least;
}

int *passage_list(const struct fabric *f, const struct set_passage *p, size_t *n)
{
	int *list = new_array(int, f->n_resources);

	*n = 0;
	for (size_t i = 0; i < f->n_resources; i++)
		if (p->listed[i])
			list[(*n)++] = (int)i;
	return list;
}
