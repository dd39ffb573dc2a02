/* A route adds the link at one of its ends, with the narrowest limit that this link is under. */

#include "simulate/cover.h"

#include "core/base/memory.h"

#include <math.h>
#include <stdlib.h>

/* The link at one end of a route, with the limits that it is under: a route has them before each of its links. */
struct route_end {
	int link, first, end; /* limits: over[first] .. over[end - 1] */
};

static struct route_end route_end_of(const struct fabric *f, int route, bool first)
{
	int begin = f->begin[route], end = f->begin[route + 1], at = first ? begin : end - 1, limits = at;

	while (first && f->resources[f->over[at]].src < 0)
		at++;
	while (!first && limits > begin && f->resources[f->over[limits - 1]].src < 0)
		limits--;
	return (struct route_end){f->over[at], limits, at};
}

void delays_add(struct delays *d, double before, double after)
{
	d->before = fmin(d->before, before);
	d->after = fmin(d->after, after);
	d->longest = fmax(d->longest, before + after);
}

const struct delays no_delays = {INFINITY, INFINITY, 0};

struct cover cover_new(const struct fabric *f)
{
	struct cover c = {f, new_array(double, f->n_resources), new_array(bool, f->n_resources), new_array(int, f->n_resources),
			  new_array(struct delays, f->n_resources)};

	for (size_t i = 0; i < f->n_resources; i++)
		c.delays[i] = no_delays;
	return c;
}

void cover_free(struct cover *c)
{
	free(c->rate);
	free(c->taken);
	free(c->under);
	free(c->delays);
}

void cover_add(struct cover *c, int route, bool first)
{
	const struct fabric *f = c->fabric;
	struct route_end end = route_end_of(f, route, first);
	double whole = route_delay(&f->routes[route]), own = f->resources[end.link].latency + f->routes[route].step;
	double after = first ? whole : own;

	if (!c->taken[end.link]) {
		c->taken[end.link] = true;
		c->under[end.link] = -1;
		for (int i = end.first; i < end.end; i++) {
			int limit = f->over[i], has = c->under[end.link];
			if (has < 0 || f->resources[limit].rate < f->resources[has].rate)
				c->under[end.link] = limit;
		}
		if (c->under[end.link] >= 0)
			c->rate[c->under[end.link]] += f->resources[end.link].rate;
	}
	delays_add(&c->delays[end.link], whole - after, after);
	if (c->under[end.link] >= 0)
		delays_add(&c->delays[c->under[end.link]], whole - after, after);
}

double cover_choose(struct cover *c)
{
	const struct fabric *f = c->fabric;
	double sum = 0;

	for (size_t i = 0; i < f->n_links; i++) {
		int limit = c->taken[i] ? c->under[i] : -1;
		if (c->taken[i] && (limit < 0 || c->rate[limit] <= f->resources[limit].rate))
			sum += f->resources[i].rate;
		else if (c->taken[i]) {
			c->taken[i] = false;
			sum += c->taken[limit] ? 0 : f->resources[limit].rate;
			c->taken[limit] = true;
		}
	}
	return sum;
}

double cover_delay(const struct cover *c, double distance)
{
	double least = INFINITY;

	for (size_t i = 0; i < c->fabric->n_resources; i++)
		if (c->taken[i])
			least = fmin(least, fmax(0, distance - c->delays[i].longest) + c->delays[i].before + c->delays[i].after);
	return least;
}

int *cover_list(const struct cover *c, size_t *n)
{
	int *list = new_array(int, c->fabric->n_resources);

	*n = 0;
	for (size_t i = 0; i < c->fabric->n_resources; i++)
		if (c->taken[i])
			list[(*n)++] = (int)i;
	return list;
}
