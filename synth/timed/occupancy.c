/* Keeps the rates in use, and a heap of events. */

#include "synth/timed/occupancy.h"

#include "core/base/memory.h"
#include "simulate/fabric.h"

#include <stdlib.h>

struct occupancy occupancy_open(const struct fabric *f, double bytes)
{
	return (struct occupancy){.fabric = f, .bytes = bytes, .used = new_array(double, f->n_resources)};
}

void occupancy_close(struct occupancy *o)
{
	free(o->used);
	heap_free(&o->events);
}

bool occupancy_has_room(const struct occupancy *o, int route)
{
	const struct fabric *f = o->fabric;

	for (int i = f->begin[route + 1]; i-- > f->begin[route];) /* of a receiver's routes most are kept from it by its own port */
		if (!fabric_has_room(f, f->over[i], o->used[f->over[i]], f->routes[route].rate))
			return false;
	return true;
}

static void add(struct occupancy *o, int route, double rate)
{
	const struct fabric *f = o->fabric;

	for (int i = f->begin[route]; i < f->begin[route + 1]; i++)
		o->used[f->over[i]] += rate;
}

void occupancy_add(struct occupancy *o, int route)
{
	add(o, route, o->fabric->routes[route].rate);
}

void occupancy_remove(struct occupancy *o, int route)
{
	add(o, route, -o->fabric->routes[route].rate);
}

void occupancy_expect(struct occupancy *o, int message, int route)
{
	const struct route *r = &o->fabric->routes[route];
	double sent = o->now + o->bytes / r->rate;

	heap_put(&o->events, (struct heap_entry){heap_key(sent), message, OCCUPANCY_SENT});
	heap_put(&o->events, (struct heap_entry){heap_key(sent + r->latency + r->step), message, OCCUPANCY_ARRIVED});
}

bool occupancy_advance(struct occupancy *o)
{
	if (!o->events.n)
		return false;
	o->now = heap_double(o->events.of[0].key);
	return true;
}

bool occupancy_event(struct occupancy *o, int *message, enum occupancy_event *what)
{
	if (!o->events.n || heap_double(o->events.of[0].key) > o->now * (1 + 1e-12))
		return false;
	struct heap_entry e = heap_take(&o->events);
	*message = e.rank;
	*what = (enum occupancy_event)e.item;
	return true;
}
