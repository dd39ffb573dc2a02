/* The candidate to export: that of the options, or that of an algorithm file. */

#include "cli/commands/exporting.h"

#include "core/machine/topology.h"

static bool from_file(const char *path, struct export_candidate *w, struct error *e)
{
	struct algorithm *a = algorithm_open_compact(path, e); /* its sends are not needed */
	if (!a)
		return false;
	w->topology = topology_copy(a->topology);
	w->collective = collective_unscaled(&a->collective);
	if (!w->collective.custom)
		w->collective = collective_copy(&a->collective);
	w->candidate = (struct candidate){a->chunks, (int)a->n_steps, algorithm_rounds(a)};
	w->constraints = a->constraints;
	algorithm_free(a);
	return true;
}

static bool from_options(const struct export_options *o, struct export_candidate *w, struct error *e)
{
	if (!o->candidate.chunks || !o->candidate.steps || !o->candidate.rounds)
		return error_set(e, ERROR_INPUT, "-C, -S, -R", "missing; give the numbers of chunks, steps and rounds, or an algorithm file");
	w->candidate = o->candidate;
	return options_subject(&o->subject, &w->topology, &w->collective, e);
}

bool export_candidate_open(const struct export_options *o, struct export_candidate *out, struct error *e)
{
	*out = (struct export_candidate){0};
	if (!o->file.n)
		return from_options(o, out, e);
	return options_only_files(&o->subject, &o->candidate, e) && from_file(o->file.at[0], out, e);
}

void export_candidate_close(struct export_candidate *w)
{
	if (w->topology)
		collective_free(&w->collective);
	topology_free(w->topology);
	w->topology = NULL;
}
