/* Builds an algorithm by the method that the options select, and writes and reports it. */

#include "cli/commands/building.h"

#include "cli/output/command.h"
#include "cli/commands/made.h"

#include "core/schedule/algorithm.h"
#include "core/bounds/bounds.h"
#include "core/schedule/collective.h"
#include "core/schedule/cost.h"
#include "core/base/error.h"
#include "core/machine/topology.h"

#include <stdio.h>

/* α and β of --bytes: from --alpha and --beta, or else from the machine. */
static bool read_cost(const struct build_options *o, const struct topology *t, struct method_options *to, struct error *e)
{
	const struct cost_options *c = &o->cost;

	if (!to->bytes)
		return (!c->alpha.is_given && !c->beta.is_given) ||
		       error_set(e, ERROR_INPUT, c->alpha.is_given ? "--alpha" : "--beta", "requires --bytes");
	bool timed = topology_alpha_beta(t, &to->alpha, &to->beta);
	to->alpha_given = c->alpha.is_given;
	to->beta_given = c->beta.is_given;
	if (c->alpha.is_given)
		to->alpha = c->alpha.value;
	if (c->beta.is_given)
		to->beta = c->beta.value;
	return timed || (c->alpha.is_given && c->beta.is_given) ||
	       error_set(e, ERROR_INPUT, t->name, "has no latency and speed for its links; --bytes needs --alpha and --beta");
}

bool built_make(const struct build_options *o, const struct topology *t, const struct collective *k, struct built *b, struct error *e)
{
	struct method_options chosen = o->chosen;

	if (!read_cost(o, t, &chosen, e))
		return false;
	if (!o->method)
		return all_make(o, &chosen, t, k, b, e);
	const struct method *m = method_find(o->method, e);
	b->algorithm = m ? method_build(m, t, k, &chosen, &b->report, e) : NULL;
	return b->algorithm != NULL;
}

bool built_save(const struct built *b, struct error *e)
{
	return !b->path || algorithm_save(b->algorithm, b->path, e);
}

void built_free(struct built *b)
{
	if (!b->points.n)
		algorithm_free(b->algorithm);
	constructions_free(&b->points);
	text_free(&b->report);
}

void built_print(const struct build_options *o, const struct built *b)
{
	if (!o->json && b->report.length)
		fwrite(b->report.bytes, 1, b->report.length, stdout);
	made_report(b->algorithm, b->algorithm->method, b->path, o->json);
	for (size_t i = 0; i < b->points.n && o->json; i++)
		if (b->points.of[i] != b->algorithm)
			made_report(b->points.of[i], b->points.of[i]->method, NULL, true);
}
