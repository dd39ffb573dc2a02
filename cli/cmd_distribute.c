#include "cli/command.h"
#include "cli/options.h"

#include "core/text.h"
#include "core/topology.h"
#include "core/verify.h"
#include "methods/distribute.h"

#include <stdio.h>
#include <stdlib.h>

static const struct usage usage = {
	"toSJd", "FILE...",
	"Makes an algorithm for several copies of a machine out of algorithms for one.\n\n"
	"FILE is an alltoall, allgather, broadcast, gather, or an inverse of these; or two are a gather and a scatter, which make an "
	"alltoall through their roots, or a reducescatter and an allgather, which make an allreduce. -t is the whole machine: node n of "
	"copy c of one of L nodes is its node c L + n. dgx1*4 is four boxes whose nodes are joined to one switch, dgx1*4x2 by wider links. With -S there may be so many steps: then what is carried from other copies comes in groups, "
	"each played while the next is carried, and there are fewer rounds. "
	"What is made is verified, and told with its gap to the bounds of the whole.\n\n"
	"Example: sccl-synth distribute local.json -t dgx1*4 -o whole.json\v"
	"Exit status: 0 done; 1 a FILE does not verify; 2 bad input, also a machine whose copies lack a link; 3 too many sends."};

static bool open_one(const char *path, struct algorithm **a, int *status, struct error *e)
{
	*a = algorithm_open(path, e);
	if (!*a)
		return false;
	struct verdict v = algorithm_verify(*a);
	if (v.fault == FAULT_NONE)
		return true;
	*status = STATUS_NO;
	return error_set(e, ERROR_INPUT, path, "does not verify: %s", v.why);
}

static void tell(const struct options *o, const struct algorithm *a)
{
	struct text s = {0};
	char ratio[RATIONAL_TEXT], bound[RATIONAL_TEXT];
	struct rational bandwidth = algorithm_bandwidth(a);
	double gap = a->bound_bandwidth.num ? rational_double(rational_div(bandwidth, a->bound_bandwidth)) - 1 : 0;

	rational_text(bandwidth, ratio);
	rational_text(a->bound_bandwidth, bound);
	if (!o->json) {
		text_add(&s, "%s: (%d,%zu,%d), R/C = %s; bounds S >= %d, R/C >= %s", shown(a->name), a->chunks, a->n_steps, algorithm_rounds(a), ratio,
			 a->bound_steps, bound);
		if (gap > 0)
			text_add(&s, ", %.1f %% above", 100 * gap);
		text_add(&s, "; verified%s%s", o->out ? ": " : "", o->out ? shown(o->out) : "");
	} else {
		text_add(&s, "{\"topology\": ");
		text_add_json_string(&s, a->topology->name);
		text_add(&s, ", \"collective\": \"%s\", \"root\": ", collective_called(&a->collective));
		collective_add_roots_json(&a->collective, &s);
		text_add(&s, ", \"chunks\": %d, \"steps\": %zu, \"rounds\": %d, \"bandwidth\": \"%s\", \"bound_steps\": %d, "
			 "\"bound_bandwidth\": \"%s\", \"file\": ", a->chunks, a->n_steps, algorithm_rounds(a), ratio, a->bound_steps, bound);
		if (o->out)
			text_add_json_string(&s, o->out);
		else
			text_add(&s, "null");
		text_add(&s, "}");
	}
	puts(s.bytes);
	text_free(&s);
}

static int distribute(const struct options *o)
{
	struct error e = {0};
	struct algorithm *local[2] = {NULL, NULL}, *a = NULL;
	int status = STATUS_DONE;
	struct topology *t = topology_open(o->topology, &e);

	bool ok = t && open_one(o->files[0], &local[0], &status, &e) &&
		  (o->n_files == 1 || open_one(o->files[1], &local[1], &status, &e));
	if (ok)
		a = distributed(t, local, o->n_files, o->steps, &e);
	if (a && (!o->out || algorithm_save(a, o->out, &e)))
		tell(o, a);
	else {
		int failed = fail(&e);
		status = status == STATUS_DONE ? failed : status;
	}
	algorithm_free(a);
	algorithm_free(local[0]);
	algorithm_free(local[1]);
	topology_free(t);
	return status;
}

int cmd_distribute(int argc, char **argv)
{
	struct error e = {0};
	struct options o;
	int status;

	if (!options_read(argc, argv, &usage, &o, &e))
		return fail(&e);
	if (o.n_files < 1 || o.n_files > 2)
		error_set(&e, ERROR_INPUT, "distribute", "say which algorithm of one machine, or which two");
	else if (!o.topology)
		error_set(&e, ERROR_INPUT, "-t", "say which machine of several copies, as in -t dgx1*4");
	status = e.kind == ERROR_NONE ? distribute(&o) : fail(&e);
	free(o.files);
	return status;
}
