/* Price lists in JSON, as arrays of numbers. */

#include "core/machine/prices.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/text.h"

void prices_write(const struct price *list, size_t n, struct text *into)
{
	const char *between = "";

	text_add(into, "\"prices\": [");
	for (size_t i = 0; i < n; i++)
		if (list[i].limit < 0) {
			text_add(into, "%s[%d, %d, %lld]", between, list[i].src, list[i].dst, (long long)list[i].price);
			between = ", ";
		}
	text_add(into, "], \"limit_prices\": [");
	between = "";
	for (size_t i = 0; i < n; i++)
		if (list[i].limit >= 0) {
			text_add(into, "%s[%d, %lld]", between, list[i].limit, (long long)list[i].price);
			between = ", ";
		}
	text_add(into, "]");
}

/* [src, dst, price] or [limit, price], by the count of NUMBERS. */
static bool read_price(const struct json_place *at, int nodes, size_t numbers, struct price *out, struct error *e)
{
	int64_t n[3] = {0};
	size_t length;

	if (!json_array_length(at, &length, e))
		return false;
	if (length != numbers)
		return json_fault(at, e, "must be %s", numbers == 3 ? "[src, dst, price]" : "[limit, price]");
	for (size_t i = 0; i < numbers; i++) {
		struct json_place number = json_element(at, i);
		bool last = i + 1 == numbers;
		if (!json_get_integer(&number, last, last ? PRICE_MAX : numbers == 3 ? nodes - 1 : INT32_MAX, &n[i], e))
			return false;
	}
	*out = numbers == 3 ? (struct price){.src = (int)n[0], .dst = (int)n[1], .limit = -1, .price = n[2]}
			    : (struct price){.src = -1, .dst = -1, .limit = (int)n[0], .price = n[1]};
	return true;
}

static bool read_list(const struct json_place *at, int nodes, size_t numbers, struct price **list, size_t *n, struct error *e)
{
	size_t length, capacity = *n;

	if (!json_array_length(at, &length, e))
		return false;
	*list = grown(*list, &capacity, *n + length + 1, sizeof **list);
	for (size_t i = 0; i < length; i++) {
		struct json_place one = json_element(at, i);
		if (!read_price(&one, nodes, numbers, &(*list)[*n], e))
			return false;
		++*n;
	}
	return true;
}

bool prices_read(const struct json_place *of, int nodes, struct price **list, size_t *n, struct error *e)
{
	struct json_place edges = json_member(of, "prices"), limits = json_member(of, "limit_prices");

	*list = NULL;
	*n = 0;
	return (!edges.value || read_list(&edges, nodes, 3, list, n, e)) && (!limits.value || read_list(&limits, nodes, 2, list, n, e));
}
