/* Reads and checks the options of `explore`, and opens its machines and collectives. */

#include "cli/commands/exploring.h"

#include "cli/output/command.h"
#include "cli/commands/replay.h"
#include "cli/arguments/sizes.h"
#include "core/schedule/cost.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_form(const struct explore_command *o, struct exploring *x, struct error *e)
{
	size_t n;
	const struct report_form *forms = report_forms(&n);
	const char *name = o->format ? o->format : o->json ? "json" : "table";

	if (o->format && o->json)
		return error_set(e, ERROR_INPUT, "--json", "means --format json; give only one of them");
	for (size_t i = 0; i < n; i++)
		if (strcmp(forms[i].name, name) == 0)
			x->form = &forms[i];
	return x->form || error_set(e, ERROR_INPUT, "--format", "must be table, csv, json or svg, not \"%.64s\"", name);
}

static bool read_by(const struct explore_command *o, struct exploring *x, struct error *e)
{
	int found = o->by ? RANKINGS : BY_BANDWIDTH;

	for (int i = 0; i < RANKINGS; i++)
		if (o->by && strcmp(rank_by_names[i], o->by) == 0)
			found = i;
	x->by = (enum rank_by)found;
	if (found == RANKINGS)
		return error_set(e, ERROR_INPUT, "--by", "must be bandwidth, steps or time, not \"%.64s\"", o->by);
	return o->links || !o->by || error_set(e, ERROR_INPUT, "--by", "ranks changed links and requires --links");
}

/* Rejects limits of a search if there is none, that is, without the method smt, which is the first one. */
static bool check_search(const struct explore_command *o, const bool *chosen, struct error *e)
{
	const char *given = o->search.solve.timeout > 0 ? "--timeout" : o->search.solve.memory ? "--memory" : o->search.max_steps ? "--max-steps" :
			    o->search.k != WITHOUT_K ? "-k" : o->search.jobs != 1 ? "-j" : NULL;

	return chosen[0] || !given || error_set(e, ERROR_INPUT, given, "limits the search of the method smt, which --method leaves out");
}

static bool read_how(const struct explore_command *o, struct exploring *x, struct error *e)
{
	double seconds = o->search.solve.timeout > 0 ? o->search.solve.timeout : 5;
	struct explore_options *to = &x->options;

	if (!read_form(o, x, e) || !read_by(o, x, e) || (o->links && !links_changes_read(o->links, &x->changes, e)) ||
	    !explore_methods_read(o->method ? o->method : "all", &x->chosen, e) || !check_search(o, x->chosen, e) ||
	    !sizes_read(o->sizes ? o->sizes : "1K,1M,1G", &x->sizes, &to->n_sizes, e))
		return false;
	to->has_alpha = o->cost.alpha.is_given;
	to->alpha = o->cost.alpha.value;
	to->has_beta = o->cost.beta.is_given;
	to->beta = o->cost.beta.value;
	to->sizes = x->sizes;
	to->chosen = x->chosen;
	to->doubt = replay_doubt;
	to->shown = replay_proofs;
	to->keeps = x->changes;
	to->search = o->search;
	to->search.interrupted = &interrupted;
	to->search.solve.timeout = seconds;
	return true;
}

static bool is_path(const char *name)
{
	size_t n = strlen(name);
	return strchr(name, '/') || (n > 5 && strcmp(name + n - 5, ".json") == 0);
}

/* Adds the names of a list, rejecting duplicates: "allgather,allreduce" is two names, but a path is one. */
static bool add_collectives(struct sweep *names, const char *list, struct error *e)
{
	for (const char *s = list;; s++) {
		size_t length = is_path(list) ? strlen(list) : strcspn(s, ",");
		struct text one = {0};
		bool twice = false;
		text_add_bytes(&one, s, length);
		if (!length) {
			text_free(&one);
			return error_set(e, ERROR_INPUT, "-c", "\"%.64s\" contains an empty name", list);
		}
		for (size_t i = 0; i < names->n; i++)
			twice = twice || strcmp(names->names[i], one.bytes) == 0;
		bool ok = twice ? error_set(e, ERROR_INPUT, "-c", "\"%.64s\" is given twice", one.bytes) : sweep_add(names, one.bytes, e);
		text_free(&one);
		s += length;
		if (!ok || !*s)
			return ok;
	}
}

static bool open_machine(const struct explore_command *o, struct exploring *x, size_t i, struct error *e)
{
	x->topologies[i] = topology_open(x->machines.names[i], e);
	for (size_t c = 0; x->topologies[i] && c < x->called.n; c++)
		if (!collective_open(x->called.names[c], x->topologies[i]->nodes, o->root.node, &x->collectives[i * x->called.n + c], e))
			return false;
	return x->topologies[i];
}

/* --root requires that at least one of the collectives has a root. */
static bool check_root(const struct explore_command *o, const struct exploring *x, struct error *e)
{
	bool rooted = !o->root.is_given;

	for (size_t i = 0; i < x->called.n && !rooted; i++)
		rooted = collective_row(&x->collectives[i])->rooted;
	if (rooted)
		return true;
	if (x->called.n > 1)
		return error_set(e, ERROR_INPUT, "--root", "none of these collectives has a root");
	return error_set(e, ERROR_INPUT, "--root", "%.200s has no root", x->called.names[0]);
}

/* Rejects options that concern only times if no machine has any. */
static bool check_times(const struct explore_command *o, const struct exploring *x, struct error *e)
{
	const char *given = o->cost.alpha.is_given ? "--alpha" : o->cost.beta.is_given ? "--beta" : x->by == BY_TIME ? "--by time" : NULL;
	struct rational alpha, beta;
	bool timed = !given || (o->cost.alpha.is_given && o->cost.beta.is_given);

	for (size_t i = 0; i < x->machines.n && !timed; i++)
		timed = topology_alpha_beta(x->topologies[i], &alpha, &beta);
	return timed || error_set(e, ERROR_INPUT, given, "no machine has latencies and speeds for its links; give --alpha and --beta");
}

static bool open_all(const struct explore_command *o, struct exploring *x, struct error *e)
{
	x->topologies = new_array(struct topology *, x->machines.n);
	x->collectives = new_array(struct collective, x->machines.n * x->called.n);
	for (size_t i = 0; i < x->machines.n; i++)
		if (!open_machine(o, x, i, e))
			return false;
	return true;
}

bool exploring_read(const struct explore_command *o, struct exploring *x, struct error *e)
{
	bool ok = true;

	*x = (struct exploring){0};
	if (!o->topologies.n)
		return error_set(e, ERROR_INPUT, "-t", "missing; give machines, as in -t dgx1p dgx1v or -t torus:{4..8}x8");
	if (!o->collectives.n)
		return error_set(e, ERROR_INPUT, "-c", "missing; give collectives, as in -c allgather,allreduce");
	if (o->root.several)
		return error_set(e, ERROR_INPUT, "--root", "explore takes one node or \"all\"");
	if (!read_how(o, x, e))
		return false;
	for (size_t i = 0; ok && i < o->topologies.n; i++)
		ok = sweep_add(&x->machines, o->topologies.at[i], e);
	for (size_t i = 0; ok && i < o->collectives.n; i++)
		ok = add_collectives(&x->called, o->collectives.at[i], e);
	return ok && open_all(o, x, e) && check_root(o, x, e) && check_times(o, x, e);
}

void exploring_free(struct exploring *x)
{
	for (size_t i = 0; x->topologies && i < x->machines.n; i++) {
		topology_free(x->topologies[i]);
		for (size_t c = 0; c < x->called.n; c++)
			collective_free(&x->collectives[i * x->called.n + c]);
	}
	free(x->topologies);
	free(x->collectives);
	free(x->sizes);
	free(x->chosen);
	sweep_free(&x->machines);
	sweep_free(&x->called);
}
