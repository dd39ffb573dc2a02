/* `train`: the cost of allreduces in an iteration of training, from simulated times of calls (simulate/training.h). */

#include "cli/output/command.h"
#include "core/base/names.h"
#include "cli/arguments/shared.h"
#include "cli/commands/simulation.h"
#include "cli/arguments/sizes.h"

#include "core/schedule/algorithm.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "simulate/training.h"
#include "simulate/workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct train_options {
	struct simulation how;
	const char *workloads;
	int64_t bucket;   /* 0: each layer by itself */
	int batch;        /* 0: that of the workload */
	double teraflops; /* likewise */
	struct multiplier_arrays arrays; /* in place of it */
	bool json;
	struct operands files;
};

static bool read_arrays(const struct option_row *r, const char *s, void *field, struct error *e)
{
	struct multiplier_arrays *a = field;
	int end = 0;
	bool ok = strspn(s, "0123456789x@.") == strlen(s) &&
		  sscanf(s, "%5dx%5dx%5d@%15lf%n", &a->rows, &a->columns, &a->count, &a->gigahertz, &end) == 4 && !s[end];

	return (ok && a->rows > 0 && a->columns > 0 && a->count > 0 && a->gigahertz > 0) ||
	       option_refuse(r, e, "must be rows, columns, number and GHz, as in 32x32x16@1, not \"%.64s\"", s);
}

static const struct option_row own_rows[] = {
	{"workload", 0, "NAME,...", "workloads: names listed below, or files",
	 OPTION(option_text, train_options, workloads)},
	{"bucket", 0, "BYTES", "combine the gradients of consecutive layers into calls of at least BYTES bytes",
	 OPTION(option_bytes, train_options, bucket)},
	{"batch", 0, "N", "samples per rank and iteration (as in the workload)",
	 OPTION_WHOLE(train_options, batch, 1, 1 << 20)},
	{"arrays", 0, "RxCxN@GHZ", "compute the products of layers on N output-stationary arrays of R x C multipliers, in place of a rate",
	 OPTION(read_arrays, train_options, arrays)},
	{"teraflops", 0, "X", "sustained Tflop/s of each rank (as in the workload)",
	 OPTION_DECIMAL(train_options, teraflops, 1e-9, 1e9, "from 1e-9 to 1e9")},
};

static const struct option_group groups[] = {
	OPTION_GROUP(speed_rows, train_options, how),
	OPTION_GROUP(simulation_rows, train_options, how),
	OPTION_GROUP(step_cost_rows, train_options, how.step),
	OPTION_GROUP_OWN(own_rows),
	OPTION_GROUP(json_rows, train_options, json),
	OPTION_GROUP_OWN(directory_rows),
};

static const char about[] =
	"Computes what allreduces cost in the training of a neural network in which each rank processes its own batch. The time of "
	"one iteration is given for two cases: a single call adds up all gradients after the backward pass; or one call per layer "
	"starts as soon as the gradients of the layer are computed, and overlaps the rest of the backward pass (--bucket combines "
	"layers). The times of the calls are simulated; see `sccl-synth simulate`. Each algorithm has a row; with several "
	"algorithms, the last row uses the fastest one for each call.\n\n"
	"Example: sccl-synth train algorithms/dgx1/allreduce/c*.json --workload resnet50,vgg16\v";

static const char status_text[] =
	"\nExit status: 0 done; 1 an algorithm does not verify; 2 bad input, including an algorithm that is not an allreduce; 3 too many sends.";

/* The text of --help, with the list of workloads. The caller frees it. */
static char *usage_text(void)
{
	struct text s = {0};
	struct names all = names_of("workloads");

	text_add(&s, "%sWorkloads:", about);
	for (size_t i = 0; i < all.n; i++)
		text_add(&s, " %s", all.all[i]);
	text_add(&s, "%s", status_text);
	names_free(&all);
	return text_take(&s);
}

/* What to compute for each workload. */
struct train_session {
	const struct train_options *o;
	const struct contestant *all;
};

static void print_json(const struct workload *w, const char *file, const struct iteration *i)
{
	struct text s = {0};

	text_add(&s, "{\"workload\": ");
	text_add_json_string(&s, w->name);
	text_add(&s, ", \"file\": ");
	if (file)
		text_add_json_string(&s, file);
	else
		text_add(&s, "null");
	text_add(&s, ", \"bytes\": %" PRId64 ", \"forward\": %.3f, \"backward\": %.3f, \"communication\": %.3f, \"iteration\": %.3f, "
		 "\"calls\": %d, \"overlapped_communication\": %.3f, \"overlapped_iteration\": %.3f}\n", workload_gradient_bytes(w),
		 i->forward_us, i->backward_us, i->communication_us, i->at_once_us, i->calls, i->overlapped_communication_us,
		 i->overlapped_us);
	fputs(s.bytes, stdout);
	text_free(&s);
}

static double share(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

static void print_text(const char *file, const struct iteration *i)
{
	double computing = i->forward_us + i->backward_us;

	printf("%12.3f %12.3f %7.1f %%  %12.3f %7.1f %%  %s\n", i->communication_us / 1e3, i->at_once_us / 1e3,
	       share(i->communication_us, i->at_once_us), i->overlapped_us / 1e3, share(i->overlapped_us - computing, i->overlapped_us),
	       file ? printable(file) : "the fastest for each call");
}

static void print_heading(const struct train_session *l, const struct workload *w)
{
	double computing = 0;
	int64_t parameters = 0;

	for (size_t i = 0; i < w->n_layers; i++) {
		computing += w->layers[i].forward_us + w->layers[i].backward_us;
		parameters += w->layers[i].parameters;
	}
	printf("%s: %" PRId64 " parameter%s in %zu layer%s, %" PRId64 " bytes of gradients; batch %d on each of %d ranks, computing %.3f ms", printable(w->name),
	       parameters, plural(parameters), w->n_layers, plural((int64_t)w->n_layers), workload_gradient_bytes(w), w->batch, l->all[0].algorithm->topology->nodes, computing / 1e3);
	if (w->teraflops > 0)
		printf(" at %g Tflop/s", w->teraflops);
	printf("\n%12s %12s %9s  %12s %9s\n%12s %12s %9s  %12s %9s\n", "one call", "iteration", "share", "overlapped", "share", "ms", "ms", "",
	       "ms", "");
}

static void print_one(const struct train_session *l, const struct workload *w, const char *file, struct simulator *const *simulators, int n)
{
	struct call_times *c = call_times_new(simulators, n);
	struct iteration i;

	iteration_run(w, c, l->o->bucket, &i);
	if (l->o->json)
		print_json(w, file, &i);
	else
		print_text(file, &i);
	call_times_free(c);
}

static void run_workload(const struct train_session *l, const struct workload *w)
{
	struct simulator **simulators = new_array(struct simulator *, l->o->files.n);

	if (!l->o->json)
		print_heading(l, w);
	for (size_t i = 0; i < l->o->files.n; i++) {
		simulators[i] = l->all[i].simulator;
		print_one(l, w, l->all[i].path, &simulators[i], 1);
	}
	if (l->o->files.n > 1)
		print_one(l, w, NULL, simulators, (int)l->o->files.n);
	free(simulators);
}

/* Splits "a,b,c" in place at its commas into NAMES, which must be large enough. Returns the number of names. */
static size_t split(char *list, const char **names)
{
	size_t n = 0;

	for (char *next = list; next;) {
		names[n++] = next;
		next = strchr(next, ',');
		if (next)
			*next++ = '\0';
	}
	return n;
}

/* Reads all workloads before printing anything. */
static int run_workloads(const struct train_session *l)
{
	struct error e = {0};
	char *list = copy_string(l->o->workloads);
	const char **names = new_array(const char *, strlen(list) + 1);
	size_t n = split(list, names), n_open = 0;
	struct workload **all = new_array(struct workload *, n);

	while (n_open < n && (all[n_open] = workload_open(names[n_open], l->o->batch, l->o->teraflops, &l->o->arrays, &e)))
		n_open++;
	for (size_t i = 0; i < n && n_open == n; i++)
		run_workload(l, all[i]);
	for (size_t i = 0; i < n_open; i++)
		workload_free(all[i]);
	free(all);
	free(names);
	free(list);
	return n_open == n ? STATUS_DONE : fail(&e);
}

static bool check_files(const struct train_session *l, struct error *e)
{
	for (size_t i = 0; i < l->o->files.n; i++) {
		const struct algorithm *a = l->all[i].algorithm;
		if (a->collective.kind != ALLREDUCE)
			return error_set(e, ERROR_INPUT, l->all[i].path, "is for %s, not for allreduce", collective_name(&a->collective));
		if (a->topology->nodes != l->all[0].algorithm->topology->nodes)
			return error_set(e, ERROR_INPUT, l->all[i].path, "is for %d nodes, the first file for %d", a->topology->nodes,
					 l->all[0].algorithm->topology->nodes);
	}
	return true;
}

static int train(const struct train_options *o)
{
	struct error e = {0};
	struct train_session l = {.o = o};

	if (!o->workloads)
		error_set(&e, ERROR_INPUT, "--workload", "missing; give workloads, as in --workload resnet50");
	if (e.kind != ERROR_NONE || !simulation_check(&o->how, &e))
		return fail(&e);
	struct contestant *all = new_array(struct contestant, o->files.n);
	l.all = all;
	int status = contestants_open(&o->files, &o->how, all);
	if (status == STATUS_DONE && !check_files(&l, &e))
		status = fail(&e);
	if (status == STATUS_DONE)
		status = run_workloads(&l);
	contestants_close(all, o->files.n);
	return status;
}

int cmd_train(int argc, char **argv)
{
	struct error e = {0};
	struct train_options o = {.how = simulation_defaults};
	char *text = usage_text();
	const struct usage usage = {text, USAGE_GROUPS(groups), USAGE_FILES(train_options, files)};

	int status = options_read(argc, argv, &usage, &o, &e) ? train(&o) : fail(&e);
	free(text);
	return status;
}
