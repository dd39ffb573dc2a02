/* What shared options mean together: the machine, the collective and its roots, the class and its constraints. */

#include "cli/arguments/shared.h"

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Opens the collective with several roots, separated by commas. */
static bool open_of_roots(const struct subject_options *o, int nodes, struct collective *k, struct error *e)
{
	int *roots = NULL, n = 0;
	size_t capacity = 0;
	bool ok = true;

	for (const char *s = o->root.several, *end; s && ok; s = *end ? end + 1 : NULL) {
		struct text one = {0};
		end = s + strcspn(s, ",");
		text_add_bytes(&one, s, (size_t)(end - s));
		roots = grown(roots, &capacity, (size_t)n + 1, sizeof *roots);
		ok = option_integer(root_rows, one.bytes ? one.bytes : "", &roots[n++], e);
		text_free(&one);
	}
	ok = ok && collective_open_roots(o->collective, nodes, roots, n, k, e);
	free(roots);
	return ok;
}

static bool drop(struct topology **t)
{
	topology_free(*t);
	*t = NULL;
	return false;
}

bool options_subject(const struct subject_options *o, struct topology **t, struct collective *k, struct error *e)
{
	if (!o->topology)
		return error_set(e, ERROR_INPUT, "-t", "missing; give a machine, as in -t dgx1");
	if (!o->collective)
		return error_set(e, ERROR_INPUT, "-c", "missing; give a collective, as in -c allgather");
	*t = topology_open(o->topology, e);
	if (!*t)
		return false;
	if (o->root.several)
		return open_of_roots(o, (*t)->nodes, k, e) || drop(t);
	if (!collective_open(o->collective, (*t)->nodes, o->root.node, k, e))
		return drop(t);
	if (!o->root.is_given || collective_row(k)->rooted)
		return true;
	collective_free(k);
	error_set(e, ERROR_INPUT, "--root", "%.200s has no root", o->collective);
	return drop(t);
}

bool options_only_files(const struct subject_options *o, const struct candidate *c, struct error *e)
{
	const char *given = o->topology ? "-t" : o->collective ? "-c" : o->root.is_given ? "--root" : c->chunks ? "-C" :
			    c->steps ? "-S" : c->rounds ? "-R" : NULL;

	return !given || error_set(e, ERROR_INPUT, given, "cannot be combined with a file, which determines it");
}

bool options_one_root(const struct root_options *o, struct error *e)
{
	return !o->is_all || error_set(e, ERROR_INPUT, "--root", "only pareto and explore accept \"all\"; give one node");
}

bool options_class_applies(enum options_within within, const struct collective *k, struct error *e)
{
	static const char *const names[] = {[WITHIN_COMPOSED] = "composition", [WITHIN_DIRECT] = "direct"};

	return within == WITHIN_BOTH || k->kind == ALLREDUCE ||
	       error_set(e, ERROR_INPUT, "--within", "%s is a class of algorithms for allreduce, not for %s", names[within], collective_name(k));
}

bool options_classes(enum options_within within, const char *engine_name, const struct collective *k, enum options_within *out,
		     struct error *e)
{
	const struct engine *engine = solve_engine(engine_name, e);

	if (!engine)
		return false;
	if (!options_class_applies(within, k, e))
		return false;
	if (!engine->direct && within == WITHIN_DIRECT)
		return error_set(e, ERROR_INPUT, "--engine", "%s cannot solve an allreduce directly", engine->name);
	*out = engine->direct ? within : WITHIN_COMPOSED;
	return true;
}

void options_add_roots(const struct collective *k, struct text *into)
{
	int n;

	if (!collective_roots(k, &n))
		return;
	text_add(into, n > 1 ? ", roots " : ", root ");
	collective_add_roots(k, into);
}

void options_print_roots(const struct collective *k)
{
	struct text roots = {0};

	options_add_roots(k, &roots);
	if (roots.length)
		fputs(roots.bytes, stdout);
	text_free(&roots);
}

bool options_pipeline(const struct schedule_constraints *t, const struct collective *k, enum options_within classes, struct error *e)
{
	return !t->pipeline || k->kind != ALLREDUCE || classes == WITHIN_DIRECT ||
	       error_set(e, ERROR_INPUT, "--pipeline", "the halves of a composition are solved separately; use --within direct");
}

void options_add_constraints(const struct schedule_constraints *t, struct text *into)
{
	if (t->pipeline)
		text_add(into, ", pipeline %d", t->pipeline);
	if (t->is_short)
		text_add(into, ", extra memory %d", t->extra_memory);
}

void options_report_root(const struct root_options *o, const struct collective *k)
{
	if (collective_row(k)->rooted && !o->is_given)
		fprintf(stderr, "sccl-synth: --root: not given; node 0 is the root\n");
}
