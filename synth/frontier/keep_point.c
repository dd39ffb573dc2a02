/* A point that a search has found is stored first and reported then, so that whatever is reported is on disk. */

#include "synth/frontier/keep_point.h"

#include "synth/frontier/catalog.h"

bool keep_point(struct frontier *f, size_t i, const struct pareto_options *o, struct error *e)
{
	if (o->out && !catalog_store_point(f, i, o->out, e))
		return false;
	if (o->found)
		o->found(o->found_context, f);
	return true;
}
