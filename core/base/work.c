/*
 * One count for the process. It is a double: exact for integers up to 2^53, and products of sizes cannot overflow it.
 */

#include "core/base/work.h"

#include <math.h>

static struct work now = {0, INFINITY};

struct work work_begin(double most)
{
	struct work before = now;

	now = (struct work){0, most};
	return before;
}

void work_end(struct work before)
{
	now = before;
}

bool work_spend(double steps)
{
	now.spent += steps;
	return !work_is_over();
}

bool work_is_over(void)
{
	return now.spent > now.most;
}

double work_spent(void)
{
	return now.spent;
}
