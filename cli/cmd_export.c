#include "cli/command.h"
#include "cli/options.h"

#include "core/algorithm.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "core/topology.h"
#include "synth/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct usage usage = {
	"ftcrCSRod", "[FILE]",
	"Writes a question for other solvers: is there an algorithm of C chunks, S steps and R rounds? --format smt2 is the SCCL paper's "
	"encoding (C1 to C6) in SMT-LIB 2, logic QF_LIA. The question is given as for `solve`, or is that of an algorithm "
	"FILE's own machine, collective, C, S and R. A combining collective is asked as its inverse on reversed links.\n\n"
	"Example: sccl-synth export -t dgx1 -c allgather -C 1 -S 2 -R 2 --format smt2 | z3 -in\v"
	"Exit status: 0 done; 2 bad input."};

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

static bool write_out(const struct options *o, const struct text *text, struct error *e)
{
	if (o->out)
		return file_write(o->out, text->bytes, text->length, e);
	fwrite(text->bytes, 1, text->length, stdout);
	return true;
}

static bool export_it(const struct options *o, const struct question *q, struct error *e)
{
	struct problem p;
	struct instance i;
	struct text text = {0};

	if (!problem_open(q->t, &q->k, &p, e))
		return false;
	if (p.composed)
		error_set(e, ERROR_INPUT, "-c", "allreduce is composed of two questions; export reducescatter or allgather");
	else if (problem_instance(&p, q->c, &i, e)) {
		if (!o->n_files)
			options_tell_root(o, &q->k);
		export_smt2(&i, &text);
		problem_instance_done(&i);
		write_out(o, &text, e);
		text_free(&text);
	}
	problem_close(&p);
	return e->kind == ERROR_NONE;
}

int cmd_export(int argc, char **argv)
{
	struct error e = {0};
	struct options o;
	struct question q = {0};

	if (!options_read(argc, argv, &usage, &o, &e))
		return fail(&e);
	if (!o.format || strcmp(o.format, "smt2") != 0)
		error_set(&e, ERROR_INPUT, "--format", "must be smt2, not \"%.64s\"", o.format ? o.format : "");
	else if (o.n_files > 1)
		error_set(&e, ERROR_INPUT, argv[0], "one file at a time");
	bool ok = e.kind == ERROR_NONE && options_one_root(&o, &e) &&
		  (o.n_files ? from_file(o.files[0], &q, &e) : from_options(&o, &q, &e)) && export_it(&o, &q, &e);
	collective_free(&q.k);
	topology_free(q.t);
	free(o.files);
	return ok ? STATUS_DONE : fail(&e);
}
