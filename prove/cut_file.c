/* Reads the witness of a bound on R/C. */

#include "prove/cut.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"

#include <stdlib.h>

/* Assigns the listed nodes to PART. */
static bool read_part(const struct json_place *at, int nodes, int part, struct cut *k, struct error *e)
{
	size_t n;

	if (!json_array_length(at, &n, e))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct json_place member = json_element(at, i);
		int node;
		if (!json_get_int(&member, 0, nodes - 1, &node, e))
			return false;
		if (k->part[node] >= 0)
			return json_fault(&member, e, "node %d is listed twice", node);
		k->part[node] = part;
	}
	return true;
}

static bool is_whole(const struct json_place *at, int nodes, const struct cut *k, struct error *e)
{
	for (int i = 0; i < nodes; i++)
		if (k->part[i] < 0)
			return json_fault(at, e, "node %d is on neither side", i);
	return true;
}

static bool read_sides(const struct json_place *from, const struct json_place *to, int nodes, struct cut *k, struct error *e)
{
	k->kind = CUT_SIDES;
	return read_part(from, nodes, 0, k, e) && read_part(to, nodes, 1, k, e) && is_whole(from, nodes, k, e);
}

static bool read_parts(const struct json_place *parts, int nodes, struct cut *k, struct error *e)
{
	size_t n;

	k->kind = CUT_PARTS;
	if (!json_array_length(parts, &n, e))
		return false;
	if (n < 2 || n > (size_t)nodes)
		return json_fault(parts, e, "must be from 2 to %d parts", nodes);
	for (k->parts = 0; k->parts < (int)n; k->parts++) {
		struct json_place part = json_element(parts, (size_t)k->parts);
		if (!read_part(&part, nodes, k->parts, k, e))
			return false;
		if (json_array_size(part.value) == 0)
			return json_fault(&part, e, "must not be empty");
	}
	return is_whole(parts, nodes, k, e);
}

bool cut_read(const struct json_place *at, int nodes, struct cut *k, struct error *e)
{
	static const char *const keys[] = {"at_least", "hops", "from", "to", "parts", "prices", "limit_prices", NULL};
	struct json_place at_least, hops = json_member(at, "hops"), from = json_member(at, "from"), parts = json_member(at, "parts"), to;
	bool all = false;

	if (!json_object_with(at, keys, e) || !json_member_needed(at, "at_least", &at_least, e) ||
	    !json_get_rational(&at_least, &k->at_least, e) || (hops.value && !json_get_bool(&hops, &all, e)))
		return false;
	if (k->at_least.num < 0 || k->at_least.num > INT32_MAX || k->at_least.den > INT32_MAX)
		return json_fault(&at_least, e, "must be a ratio of numbers from 0 to %d", INT32_MAX);
	if (!prices_read(at, nodes, &k->prices, &k->n_prices, e))
		return false;
	if (all + (from.value != NULL) + (parts.value != NULL) + (k->n_prices > 0) > 1)
		return json_fault(at, e, "has more than one cut as its witness");
	k->kind = all ? CUT_HOPS : k->n_prices ? CUT_PRICES : CUT_NONE;
	k->part = new_array(int, (size_t)nodes);
	for (int i = 0; i < nodes; i++)
		k->part[i] = -1;
	if (parts.value)
		return read_parts(&parts, nodes, k, e);
	if (from.value)
		return json_member_needed(at, "to", &to, e) && read_sides(&from, &to, nodes, k, e);
	return k->kind != CUT_NONE || k->at_least.num == 0 || json_fault(at, e, "has no cut as its witness");
}

void cut_free(struct cut *k)
{
	free(k->part);
	free(k->prices);
}
