/* A candidate in the encoding of the SCCL paper (PPoPP 2021, constraints C1 to C6), in SMT-LIB 2. */

#include "cli/commands/exporting.h"

#include "core/base/text.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "synth/problem/problem.h"

static bool ask(const struct export_options *o, const struct export_candidate *w, struct text *into, struct error *e)
{
	struct problem p;
	struct instance i;

	if (!problem_open(w->topology, &w->collective, &p, e))
		return false;
	p.constraints = w->constraints;
	if (p.composed)
		error_set(e, ERROR_INPUT, "-c", "allreduce is composed of two candidates; export reducescatter or allgather");
	else if (p.direct)
		error_set(e, ERROR_INPUT, "-c", "%s forms partial sums, which this encoding cannot express", collective_name(&w->collective));
	else if (network_counts_all(p.network, w->topology->name, e) && problem_instance(&p, w->candidate, &i, e)) {
		if (!o->file.n)
			options_report_root(&o->subject.root, &w->collective);
		export_smt2(&i, into);
		problem_instance_done(&i);
	}
	problem_close(&p);
	return e->kind == ERROR_NONE;
}

bool export_question(const struct export_options *o, struct text *into, struct error *e)
{
	struct export_candidate w;
	bool good = export_candidate_open(o, &w, e) && ask(o, &w, into, e);

	export_candidate_close(&w);
	return good;
}
