/* Builds an algorithm by the method that the options select, and writes and reports it. */

#include "cli/commands/building.h"

#include "cli/output/command.h"
#include "cli/arguments/costs.h"
#include "cli/commands/made.h"
#include "cli/arguments/options.h"
#include "cli/arguments/sizes.h"

#include "core/schedule/algorithm.h"
#include "core/bounds/bounds.h"
#include "core/schedule/collective.h"
#include "core/schedule/cost.h"
#include "core/base/error.h"
#include "core/machine/topology.h"
#include "synth/builder/method.h"

#include <stdio.h>

/* Reads --bytes, with α and β from --alpha and --beta, or else from the machine. */
static bool read_bytes(const struct options *o, const struct topology *t, struct method_options *to, struct error *e)
{
	bool has_alpha, has_beta;

	if (!o->method.bytes)
		return (!o->alpha && !o->beta) || error_set(e, ERROR_INPUT, o->alpha ? "--alpha" : "--beta", "is for --bytes");
	if (!bytes_read("--bytes", o->method.bytes, &to->bytes, e))
		return false;
	bool timed = topology_alpha_beta(t, &to->alpha, &to->beta);
	if (!cost_read("--alpha", o->alpha, &has_alpha, &to->alpha, e) || !cost_read("--beta", o->beta, &has_beta, &to->beta, e))
		return false;
	return timed || (has_alpha && has_beta) ||
	       error_set(e, ERROR_INPUT, t->name, "does not say what its links take; --bytes needs --alpha and --beta");
}

bool built_make(const struct options *o, const struct topology *t, const struct collective *k, struct built *b, struct error *e)
{
	struct method_options chosen = o->method.options;
	const struct method *m = method_find(o->method.name, e);

	chosen.chunks = o->chunks;
	b->algorithm = m && read_bytes(o, t, &chosen, e) ? method_build(m, t, k, &chosen, &b->report, e) : NULL;
	return b->algorithm != NULL;
}

bool built_save(const struct built *b, struct error *e)
{
	return !b->path || algorithm_save(b->algorithm, b->path, e);
}

void built_free(struct built *b)
{
	algorithm_free(b->algorithm);
	text_free(&b->report);
}

void built_print(const struct options *o, const struct built *b)
{
	if (!o->json && b->report.length)
		fwrite(b->report.bytes, 1, b->report.length, stdout);
	made_report(b->algorithm, o->method.name, b->path, o->json);
}
