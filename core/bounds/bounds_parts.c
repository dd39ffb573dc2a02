/* A bound as a value: replacing it by a better one, copying and freeing it. Used by all kinds of bounds. */

#include "core/bounds/bounds_parts.h"

#include "core/base/memory.h"
#include "core/base/work.h"
#include "core/machine/prices.h"

#include <stdlib.h>

bool bounds_take(struct bounds *b, const int *part, int parts, struct rational demand, int64_t capacity,
		 enum cut_crossing crossing)
{
	struct rational ratio = rational_div(demand, rational(capacity, 1));

	if (demand.num <= 0 || capacity <= 0 || !rational_ok(ratio) || rational_compare(ratio, b->bandwidth) <= 0)
		return false;
	bounds_free(b);
	b->bandwidth = ratio;
	b->part = copy_bytes(part, (size_t)b->nodes * sizeof *part);
	b->parts = parts;
	b->demand = demand;
	b->capacity = capacity;
	b->crossing = crossing;
	return true;
}

struct bounds bounds_copy(const struct bounds *b)
{
	struct bounds copy = *b;

	if (b->part)
		copy.part = copy_bytes(b->part, (size_t)b->nodes * sizeof *b->part);
	if (b->prices)
		copy.prices = copy_bytes(b->prices, b->n_prices * sizeof *b->prices);
	return copy;
}

void bounds_free(struct bounds *b)
{
	free(b->part);
	free(b->prices);
	b->part = NULL;
	b->prices = NULL;
	b->n_prices = 0;
}

void timed_bound_free(struct timed_bound *b)
{
	for (size_t i = 0; i < b->n_cuts; i++)
		free(b->cuts[i].until);
	free(b->cuts);
	free(b->prices);
	free(b->symmetries);
	*b = (struct timed_bound){0};
}

bool bounds_tried_enough(const struct bounds *b)
{
	static const double most = 1e9; /* a few seconds */

	return work_spent() - b->begun > most;
}
