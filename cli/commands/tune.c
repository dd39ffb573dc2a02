/* `tune`: times every algorithm and variant of running it, by model or measurement, and writes the table of choices. */

#include "cli/output/command.h"
#include "cli/arguments/options.h"
#include "cli/commands/tuning.h"

#include "core/schedule/algorithm.h"
#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/verify/verify.h"
#include "lower/lower.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct usage usage = {
	"EgsypNDwABo", "FILE...",
	"Writes a table of choices: for each machine, collective and root among the algorithms, which program and protocol "
	"serves calls up to what size. Applications read it with sccl_choices_read, and so does libsccl-nccl.so.\n\n"
	"Without --measure it is by cost, S α + R/C L β, with α and β of the slowest kind of link of the machine, or as given; "
	"packets are counted as half the latency and twice the data. With --measure the programs are compiled for --target "
	"(host), run on this machine, checked, and compared by their median time.\n\n"
	"Example: sccl-synth tune algorithms/dgx1/allreduce/*.json -o choices\v"
	"Exit status: 0 done; 1 an algorithm does not verify, or a result was wrong; 2 bad input; 4 it could not be run."};

static int open_all(const struct options *o, struct contender *all)
{
	struct error e = {0};

	for (size_t i = 0; i < o->n_files; i++) {
		all[i].path = o->files[i];
		all[i].algorithm = algorithm_open_compact(o->files[i], &e); /* only its cost and name are needed */
		if (!all[i].algorithm)
			return fail(&e);
		struct verdict v = algorithm_verify(all[i].algorithm);
		if (v.fault != FAULT_NONE) {
			error_set(&e, v.fault == FAULT_LIMIT ? ERROR_LIMIT : ERROR_INPUT, o->files[i],
				  v.fault == FAULT_LIMIT ? "is not verified: %s" : "does not verify: %s", v.why);
			int status = fail(&e);
			return status == STATUS_GAVE_UP ? status : STATUS_NO;
		}
		all[i].program = lower_name(all[i].algorithm);
		for (size_t k = 0; k < i; k++)
			if (strcmp(all[k].program, all[i].program) == 0) {
				error_set(&e, ERROR_INPUT, o->files[i], "its program has the name of that of %.200s", o->files[k]);
				return fail(&e);
			}
	}
	return STATUS_DONE;
}

static int write_table(const struct options *o, const struct contender *all, const struct times *t)
{
	struct error e = {0};
	struct text text = {0};
	bool ok = true;

	text_add(&text, "# Choices of sccl-synth tune, %s.\n# program, largest bytes of L (-: any), protocol, kernels, blocks (-: open), "
		 "in turns\n", o->measure ? "measured" : "by S α + R/C L β");
	tune_rows(all, o->n_files, t, &text);
	if (o->out)
		ok = file_write(o->out, text.bytes, text.length, &e);
	else
		fputs(text.bytes, stdout);
	text_free(&text);
	return ok ? STATUS_DONE : fail(&e);
}

static int tune(const struct options *o, struct contender *all)
{
	struct error e = {0};
	struct times t = {0};
	int status = open_all(o, all);

	if (status == STATUS_DONE && !times_new(o->sizes ? o->sizes : o->measure ? "64:16M" : "64:64G", o->n_files, &t, &e))
		status = fail(&e);
	if (status == STATUS_DONE)
		status = (o->measure ? tune_measure : tune_model)(o, all, o->n_files, &t);
	if (status == STATUS_DONE)
		status = write_table(o, all, &t);
	times_free(&t);
	return status;
}

int cmd_tune(int argc, char **argv)
{
	struct error e = {0};
	struct options o;

	if (!options_read(argc, argv, &usage, &o, &e))
		return fail(&e);
	if (!o.n_files)
		error_set(&e, ERROR_INPUT, argv[0], "say which files");
	else if (!o.measure && (o.target || o.calls || o.mode || o.types || o.ops || o.run_timeout))
		error_set(&e, ERROR_INPUT, argv[0], "how programs are run is asked only with --measure");
	else if (o.measure && (o.alpha || o.beta))
		error_set(&e, ERROR_INPUT, argv[0], "--alpha and --beta are for the model, not for --measure");
	if (e.kind != ERROR_NONE) {
		free(o.files);
		return fail(&e);
	}
	catch_interrupts();
	struct contender *all = new_array(struct contender, o.n_files);
	int status = tune(&o, all);
	for (size_t i = 0; i < o.n_files; i++) {
		algorithm_free(all[i].algorithm);
		free(all[i].program);
	}
	free(all);
	free(o.files);
	return status;
}
