/*
 * List scheduling (Graham, 1966): whenever links become free, or a chunk arrives, the messages that could start do so, the one
 * with the longest tail first, as long as there is room. Only routes over what became free need to be looked at.
 */

#include "synth/timed/serial_list.h"

#include "core/base/csr.h"
#include "core/base/memory.h"
#include "simulate/fabric.h"
#include "synth/timed/occupancy.h"

#include <stdlib.h>

struct lister {
	const struct fabric *fabric;
	struct occupancy links;
	struct listed_send *of;
	struct csr then;    /* [message]: those that send its chunk on */
	struct csr over;    /* [resource]: routes */
	struct heap *ready; /* [route]: messages that could start, the longest tail first */
	struct heap looked; /* routes, by their first message */
};

static void look(struct lister *l, int route)
{
	if (l->ready[route].n)
		heap_put(&l->looked, (struct heap_entry){l->ready[route].of[0].key, l->ready[route].of[0].item, route});
}

static void make_ready(struct lister *l, int message)
{
	int route = l->of[message].route;

	heap_put(&l->ready[route], (struct heap_entry){heap_key(-l->of[message].tail), message, message});
	look(l, route);
}

static void start_all(struct lister *l)
{
	while (l->looked.n) {
		int route = heap_take(&l->looked).item;
		if (!occupancy_has_room(&l->links, route))
			continue;
		int message = heap_take(&l->ready[route]).item;
		l->of[message].start = l->links.now;
		occupancy_add(&l->links, route);
		occupancy_expect(&l->links, message, route);
		look(l, route);
	}
}

static void happen(struct lister *l, int message, enum occupancy_event what)
{
	const struct fabric *f = l->fabric;
	int route = l->of[message].route;

	if (what == OCCUPANCY_ARRIVED) {
		for (int i = l->then.begin[message]; i < l->then.begin[message + 1]; i++)
			make_ready(l, l->then.of[i]);
		return;
	}
	occupancy_remove(&l->links, route);
	for (int i = f->begin[route]; i < f->begin[route + 1]; i++)
		for (int k = l->over.begin[f->over[i]]; k < l->over.begin[f->over[i] + 1]; k++)
			look(l, l->over.of[k]);
}

static struct csr routes_over(const struct fabric *f)
{
	struct csr c = csr_new((int)f->n_resources);

	for (int i = 0; i < f->begin[f->n_routes]; i++)
		csr_count(&c, f->over[i]);
	csr_allocate(&c);
	for (size_t r = 0; r < f->n_routes; r++)
		for (int i = f->begin[r]; i < f->begin[r + 1]; i++)
			csr_put(&c, f->over[i], (int)r);
	return c;
}

static struct csr followers(const struct listed_send *of, size_t n)
{
	struct csr c = csr_new((int)n);

	for (size_t m = 0; m < n; m++)
		if (of[m].from >= 0)
			csr_count(&c, of[m].from);
	csr_allocate(&c);
	for (size_t m = 0; m < n; m++)
		if (of[m].from >= 0)
			csr_put(&c, of[m].from, (int)m);
	return c;
}

double serial_list(const struct fabric *f, double bytes, struct listed_send *of, size_t n)
{
	struct lister l = {.fabric = f, .links = occupancy_open(f, bytes), .of = of, .then = followers(of, n), .over = routes_over(f),
			   .ready = new_array(struct heap, f->n_routes), .looked = {.tracks = true}};
	enum occupancy_event what;
	int message;

	for (size_t m = 0; m < n; m++)
		if (of[m].from < 0)
			make_ready(&l, (int)m);
	do {
		while (occupancy_event(&l.links, &message, &what))
			happen(&l, message, what);
		start_all(&l);
	} while (occupancy_advance(&l.links));
	double end = l.links.now;
	for (size_t r = 0; r < f->n_routes; r++)
		heap_free(&l.ready[r]);
	free(l.ready);
	heap_free(&l.looked);
	csr_free(&l.then);
	csr_free(&l.over);
	occupancy_close(&l.links);
	return end;
}
