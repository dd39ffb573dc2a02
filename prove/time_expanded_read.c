/* Reads the lines of certificates that prices in expanded time show. */

#include "prove/time_expanded_read.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"

#include <stdlib.h>

enum { AMOUNT_MAX = 1000000000, SLOTS_MAX = 1024 };

/* An array of N amounts. */
static int64_t *read_amounts(const struct json_place *of, const char *key, size_t n, struct error *e)
{
	struct json_place at;
	size_t length;

	if (!json_member_needed(of, key, &at, e) || !json_array_length(&at, &length, e))
		return NULL;
	if (length != n) {
		json_fault(&at, e, "must have %zu numbers", n);
		return NULL;
	}
	int64_t *out = new_array(int64_t, n);
	for (size_t i = 0; i < n; i++) {
		struct json_place one = json_element(&at, i);
		int amount;
		if (!json_get_int(&one, 0, AMOUNT_MAX, &amount, e)) {
			free(out);
			return NULL;
		}
		out[i] = amount;
	}
	return out;
}

/* [a, b], two nodes or switches. */
static bool read_ends(const struct json_place *at, int below, int ends[2], struct error *e)
{
	size_t n;

	if (!json_array_length(at, &n, e))
		return false;
	if (n != 2)
		return json_fault(at, e, "must be [src, dst]");
	struct json_place src = json_element(at, 0), dst = json_element(at, 1);
	return json_get_int(&src, 0, below - 1, &ends[0], e) && json_get_int(&dst, 0, below - 1, &ends[1], e);
}

/* Times from 0 on, each later than the one before. */
static bool read_slots(const struct json_place *line, struct time_expanded *out, struct error *e)
{
	struct json_place at;
	size_t n;

	if (!json_member_needed(line, "slots_us", &at, e) || !json_array_length(&at, &n, e))
		return false;
	if (n < 2 || n > SLOTS_MAX + 1)
		return json_fault(&at, e, "must have 2 to %d times", SLOTS_MAX + 1);
	out->begin = new_array(struct rational, n);
	out->slots = (int)n - 1;
	for (size_t i = 0; i < n; i++) {
		struct json_place one = json_element(&at, i);
		if (!json_get_decimal(&one, &out->begin[i], e))
			return false;
		if (i ? rational_compare(out->begin[i], out->begin[i - 1]) <= 0 : out->begin[i].num != 0)
			return json_fault(&one, e, i ? "must be later than the one before" : "must be 0");
	}
	return true;
}

static bool read_price(const struct json_place *at, const struct topology *t, struct time_expanded *x, struct error *e)
{
	static const char *const keys[] = {"link", "limit", "of", NULL};
	struct json_place link = json_member(at, "link"), limit = json_member(at, "limit");
	struct expanded_price *p = &x->prices[x->n_prices];
	int ends[2];

	if (!json_object_with(at, keys, e))
		return false;
	if (!link.value == !limit.value)
		return json_fault(at, e, "must have either \"link\" or \"limit\"");
	if (link.value) {
		if (!read_ends(&link, t->nodes + t->switches, ends, e))
			return false;
		const struct link *l = topology_link(t, ends[0], ends[1]);
		if (!l)
			return json_fault(&link, e, "is no link");
		p->resource = (int)(l - t->links);
	} else if (!t->n_limits) {
		return json_fault(&limit, e, "is no limit");
	} else if (!json_get_int(&limit, 0, (int)t->n_limits - 1, &p->resource, e)) {
		return false;
	}
	p->is_limit = limit.value;
	p->of = read_amounts(at, "of", (size_t)x->slots, e);
	x->n_prices += p->of != NULL;
	return p->of;
}

static int by_resource(const void *va, const void *vb)
{
	const struct expanded_price *a = va, *b = vb;

	return a->is_limit != b->is_limit ? a->is_limit - b->is_limit : (a->resource > b->resource) - (a->resource < b->resource);
}

static bool read_prices(const struct json_place *line, const struct topology *t, struct time_expanded *x, struct error *e)
{
	struct json_place at;
	size_t n;

	if (!json_member_needed(line, "prices", &at, e) || !json_array_length(&at, &n, e))
		return false;
	x->prices = new_array(struct expanded_price, n);
	for (size_t i = 0; i < n; i++) {
		struct json_place one = json_element(&at, i);
		if (!json_is_object(one.value))
			return json_fault(&one, e, "must be an object");
		if (!read_price(&one, t, x, e))
			return false;
	}
	if (n)
		qsort(x->prices, n, sizeof *x->prices, by_resource);
	for (size_t i = 1; i < n; i++)
		if (by_resource(&x->prices[i], &x->prices[i - 1]) == 0)
			return json_fault(&at, e, "must list each link and limit at most once");
	return true;
}

static bool read_toll(const struct json_place *at, const struct topology *t, const struct time_expanded *x, struct expanded_toll *out,
		      struct error *e)
{
	static const char *const keys[] = {"route", "of", NULL};
	struct json_place route;
	int ends[2];

	if (!json_object_with(at, keys, e) || !json_member_needed(at, "route", &route, e) || !read_ends(&route, t->nodes, ends, e))
		return false;
	out->src = ends[0];
	out->dst = ends[1];
	out->of = read_amounts(at, "of", (size_t)x->slots, e);
	return out->of;
}

static bool read_good(const struct json_place *at, const struct topology *t, struct time_expanded *x, struct error *e)
{
	static const char *const keys[] = {"chunk", "from", "at_end", "tolls", NULL};
	struct expanded_good *g = &x->goods[x->n_goods++];
	struct json_place chunk, from, tolls;
	size_t n;

	if (!json_object_with(at, keys, e) || !json_member_needed(at, "chunk", &chunk, e) || !json_get_int(&chunk, 0, AMOUNT_MAX, &g->chunk, e) ||
	    !json_member_needed(at, "from", &from, e) || !json_get_int(&from, 0, t->nodes - 1, &g->from, e))
		return false;
	g->at_end = read_amounts(at, "at_end", (size_t)t->nodes, e);
	if (!g->at_end || !json_member_needed(at, "tolls", &tolls, e) || !json_array_length(&tolls, &n, e))
		return false;
	g->tolls = new_array(struct expanded_toll, n);
	while (g->n_tolls < n) {
		struct json_place one = json_element(&tolls, g->n_tolls);
		if (!json_is_object(one.value))
			return json_fault(&one, e, "must be an object");
		if (!read_toll(&one, t, x, &g->tolls[g->n_tolls++], e))
			return false;
	}
	return true;
}

static bool read_goods(const struct json_place *line, const struct topology *t, struct time_expanded *x, struct error *e)
{
	struct json_place at;
	size_t n;

	if (!json_member_needed(line, "goods", &at, e) || !json_array_length(&at, &n, e))
		return false;
	x->goods = new_array(struct expanded_good, n);
	while (x->n_goods < n) {
		struct json_place one = json_element(&at, x->n_goods);
		if (!json_is_object(one.value))
			return json_fault(&one, e, "must be an object");
		if (!read_good(&one, t, x, e))
			return false;
	}
	return true;
}

bool time_expanded_read(const struct json_place *line, const struct topology *t, struct time_expanded *out, struct error *e)
{
	struct json_place bytes;

	if (!json_member_needed(line, "bytes", &bytes, e) || !json_get_decimal(&bytes, &out->bytes, e))
		return false;
	if (out->bytes.num < 0)
		return json_fault(&bytes, e, "must not be negative");
	return read_slots(line, out, e) && read_prices(line, t, out, e) && read_goods(line, t, out, e);
}

void time_expanded_free(struct time_expanded *x)
{
	for (size_t i = 0; i < x->n_prices; i++)
		free(x->prices[i].of);
	for (size_t g = 0; g < x->n_goods; g++) {
		for (size_t i = 0; i < x->goods[g].n_tolls; i++)
			free(x->goods[g].tolls[i].of);
		free(x->goods[g].tolls);
		free(x->goods[g].at_end);
	}
	free(x->prices);
	free(x->goods);
	free(x->begin);
}
