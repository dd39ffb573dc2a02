/* A candidate as clauses: the formula of docs/reference/proofs.md, which certificates refute. */

#include "cli/commands/exporting.h"

#include "cli/commands/dimacs_map.h"
#include "core/machine/network.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "prove/cnf.h"
#include "prove/question.h"

static void add_head(const struct export_candidate *w, const struct question *q, const struct instance *i, struct text *into)
{
	text_add(into, "c SYNCOLL (SCCL, PPoPP 2021, section 3.3): %s on %s, P=%d C=%d G=%d S=%d R=%d\n",
		 collective_name(&q->asked), w->topology->name, i->network->nodes, i->chunks, i->global_chunks, i->steps, i->rounds);
	if (q->backwards)
		text_add(into, "c For %s with C=%d, on reversed links: a solution is reversed in time.\n",
			 collective_name(&w->collective), w->candidate.chunks);
	text_add(into, "c Formula version %d.\n", CNF_VERSION);
}

static bool write(const struct export_candidate *w, const struct question *q, const struct instance *i, struct text *into, struct error *e)
{
	struct cnf f;

	if (!cnf_write(i, NULL, &f, e))
		return false;
	add_head(w, q, i, into);
	dimacs_map(i, into);
	cnf_dimacs(&f, into);
	cnf_free(&f);
	return true;
}

static bool ask(const struct export_options *o, const struct export_candidate *w, struct text *into, struct error *e)
{
	struct question q;
	struct instance i;

	if (constraints_any(&w->constraints))
		return error_set(e, ERROR_INPUT, o->file.at[0], "pipeline and memory constraints cannot be exported as DIMACS; use --format smt2");
	if (!question_open(w->topology, &w->collective, &q, e))
		return false;
	bool good = question_instance(&q, w->candidate, &i, e);
	if (good) {
		if (!o->file.n)
			options_report_root(&o->subject.root, &w->collective);
		good = write(w, &q, &i, into, e);
		question_done(&i);
	}
	question_close(&q);
	return good;
}

bool export_dimacs(const struct export_options *o, struct text *into, struct error *e)
{
	struct export_candidate w;
	bool good = export_candidate_open(o, &w, e) && ask(o, &w, into, e);

	export_candidate_close(&w);
	return good;
}
