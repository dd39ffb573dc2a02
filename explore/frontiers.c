/* An allreduce is asked about twice: as a composition of its halves, and directly. */

#include "explore/frontiers.h"

#include "core/schedule/collective.h"
#include "synth/frontier/pareto.h"
#include "synth/problem/problem.h"

#include <stdlib.h>

/* P: an allreduce's compositions; DIRECT: all of its algorithms, NULL for other collectives. */
static struct frontier *find(const struct frontier_request *r, const struct problem *p, const struct problem *direct, bool *from_catalog,
			     struct error *e)
{
	struct pareto_options search = *r->search;
	const struct atlas_question asked = {p, direct, &search, r->doubt, r->shown};
	struct atlas_source from = {0};

	if (search.k == WITHOUT_K && p->collective.kind == SCAN)
		search.k = PAPER_K;
	struct frontier *f = p->direct ? NULL : atlas_find(&asked, &from);
	*from_catalog = f;
	free(from.path);
	if (f)
		return f;
	if (r->searches)
		r->searches(r->context, &search);
	return direct ? pareto_search_both(p, direct, &search, e) : pareto_search(p, &search, e);
}

struct frontier *frontier_find(const struct frontier_request *r, bool *from_catalog, struct error *e)
{
	bool both = r->collective->kind == ALLREDUCE;
	struct problem p, direct;
	struct frontier *f = NULL;

	if (!problem_open(r->topology, r->collective, &p, e))
		return NULL;
	if (!both)
		f = find(r, &p, NULL, from_catalog, e);
	else if (problem_open_direct(r->topology, r->collective, &direct, e)) {
		f = find(r, &p, &direct, from_catalog, e);
		problem_close(&direct);
	}
	problem_close(&p);
	return f;
}
