/* The question of a candidate, for other solvers. */

#include "cli/export.h"

#include "cli/options.h"

#include "core/algorithm.h"
#include "core/text.h"
#include "core/topology.h"
#include "synth/problem.h"

struct question {
	struct topology *t;
	struct collective k;
	struct candidate c;
};

static bool from_file(const char *path, struct question *q, struct error *e)
{
	struct algorithm *a = algorithm_open(path, e);
	if (!a)
		return false;
	q->t = topology_copy(a->topology);
	q->k = collective_unscaled(&a->collective);
	if (!q->k.custom)
		q->k = collective_copy(&a->collective);
	q->c = (struct candidate){a->chunks, (int)a->n_steps, algorithm_rounds(a)};
	algorithm_free(a);
	return true;
}

static bool from_options(const struct options *o, struct question *q, struct error *e)
{
	if (!o->chunks || !o->steps || !o->rounds)
		return error_set(e, ERROR_INPUT, "-C, -S, -R", "say how many chunks, steps and rounds, or give an algorithm file");
	q->c = (struct candidate){o->chunks, o->steps, o->rounds};
	return options_subject(o, &q->t, &q->k, e);
}

static bool ask(const struct options *o, const struct question *q, struct text *into, struct error *e)
{
	struct problem p;
	struct instance i;

	if (!problem_open(q->t, &q->k, &p, e))
		return false;
	if (p.composed)
		error_set(e, ERROR_INPUT, "-c", "allreduce is composed of two questions; export reducescatter or allgather");
	else if (problem_instance(&p, q->c, &i, e)) {
		if (!o->n_files)
			options_tell_root(o, &q->k);
		export_smt2(&i, into);
		problem_instance_done(&i);
	}
	problem_close(&p);
	return e->kind == ERROR_NONE;
}

bool export_question(const struct options *o, struct text *into, struct error *e)
{
	struct question q = {0};
	bool good = (o->n_files ? from_file(o->files[0], &q, e) : from_options(o, &q, e)) && ask(o, &q, into, e);

	collective_free(&q.k);
	topology_free(q.t);
	return good;
}
