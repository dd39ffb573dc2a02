/* An algorithm as a plan for RCCL, in MSCCL XML (lower/plans/msccl.h). */

#include "cli/commands/exporting.h"

#include "core/schedule/algorithm.h"
#include "core/base/text.h"
#include "lower/lower.h"
#include "lower/plans/msccl.h"

#include <stdio.h>

bool export_msccl(const struct export_options *o, struct text *into, struct error *e)
{
	if (!o->file.n)
		return error_set(e, ERROR_INPUT, "FILE", "missing; --format msccl-xml needs an algorithm file");
	struct algorithm *a = algorithm_open_up_to(o->file.at[0], LOWERED_SENDS_MAX, e);
	bool good = a && msccl_export(a, into, e);

	if (good && collective_row(&a->collective)->rooted)
		fprintf(stderr,
			"sccl-synth: %s: RCCL ignores the root of a call: load this plan only if rank %d is the root of every %s\n",
			a->name, a->collective.root, collective_name(&a->collective));
	algorithm_free(a);
	return good;
}
