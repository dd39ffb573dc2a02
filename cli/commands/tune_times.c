/* The table of times. */

#include "cli/commands/tuning.h"

#include "cli/arguments/sizes.h"
#include "core/base/memory.h"

#include <stdlib.h>

bool times_new(const char *sizes, size_t n_contenders, struct times *t, struct error *e)
{
	*t = (struct times){0};
	if (!sizes_range(sizes, &t->sizes, &t->n_sizes, e))
		return false;
	t->at = new_array(double, n_contenders * VARIANTS * t->n_sizes);
	return true;
}

void times_free(struct times *t)
{
	free(t->sizes);
	free(t->at);
	*t = (struct times){0};
}
