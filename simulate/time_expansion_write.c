/* Writes what prices in expanded time show: docs/reference/proofs.md, "expanded_time". */

#include "simulate/time_expansion.h"

#include "core/base/text.h"
#include "core/machine/topology.h"

#include <inttypes.h>
#include <stdio.h>

static void add_time(struct text *into, int64_t t)
{
	text_add(into, "%" PRId64 ".%06" PRId64, t / UNIT, t % UNIT);
}

/* The values of columns OF [slot]; false, and nothing is written: all are 0. */
static bool add_values(const struct expansion *x, struct text *into, const char *before, const int *of)
{
	int64_t any = 0;

	for (int i = 0; i < x->slots; i++)
		any |= value_at(x, of[i]);
	if (!any)
		return false;
	text_add(into, "%s, \"of\": [", before);
	for (int i = 0; i < x->slots; i++)
		text_add(into, "%s%" PRId64, i ? ", " : "", value_at(x, of[i]));
	text_add(into, "]}");
	return true;
}

static void add_good(const struct expansion *x, struct text *into, size_t g)
{
	const struct fabric *f = x->fabric;
	const char *between = "";

	text_add(into, "{\"chunk\": %d, \"from\": %d, \"at_end\": [", x->goods[g].chunk, x->goods[g].from);
	for (int v = 0; v < x->nodes; v++)
		text_add(into, "%s%" PRId64, v ? ", " : "", value_at(x, x->worth[g * (size_t)x->nodes + (size_t)v]));
	text_add(into, "], \"tolls\": [");
	for (size_t r = 0; r < f->n_routes; r++) {
		char before[80];
		snprintf(before, sizeof before, "%s{\"route\": [%d, %d]", between, f->routes[r].src, f->routes[r].dst);
		if (add_values(x, into, before, &x->toll[at_route(x, g, r, 0)]))
			between = ", ";
	}
	text_add(into, "]}");
}

static void add_prices(const struct expansion *x, struct text *into)
{
	const struct topology *t = x->topology;
	const char *between = "";

	for (size_t q = 0; q < x->fabric->n_resources; q++) {
		char before[80];
		if (q < t->n_links)
			snprintf(before, sizeof before, "%s{\"link\": [%d, %d]", between, t->links[q].src, t->links[q].dst);
		else
			snprintf(before, sizeof before, "%s{\"limit\": %zu", between, q - t->n_links);
		if (add_values(x, into, before, &x->price[at_resource(x, (int)q, 0)]))
			between = ", ";
	}
}

void expansion_write(const struct expansion *x, int64_t bytes, struct text *into)
{
	text_add(into, "    {\"by\": \"expanded_time\", \"latency_us\": ");
	add_time(into, x->begin[x->slots]);
	text_add(into, ", \"us_per_megabyte\": 0, \"bytes\": %" PRId64 ", \"slots_us\": [", bytes);
	for (int i = 0; i <= x->slots; i++) {
		text_add(into, "%s", i ? ", " : "");
		add_time(into, x->begin[i]);
	}
	text_add(into, "],\n     \"prices\": [");
	add_prices(x, into);
	text_add(into, "],\n     \"goods\": [");
	for (size_t g = 0; g < x->n_goods; g++) {
		text_add(into, "%s", g ? ",\n      " : "");
		add_good(x, into, g);
	}
	text_add(into, "]}");
}
