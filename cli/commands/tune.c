/* `tune`: times every algorithm and variant of running it, by model or measurement, and writes the table of choices. */

#include "cli/output/command.h"
#include "cli/arguments/folders.h"
#include "cli/commands/tuning.h"

#include "core/schedule/algorithm.h"
#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/verify/verify.h"
#include "lower/lower.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option_row own_rows[] = {
	{"measure", 0, NULL, "run and time the programs instead of using the cost model",
	 OPTION(option_flag, tune_options, measure)},
};

static const struct option_group groups[] = {
	OPTION_GROUP_OWN(own_rows),
	OPTION_GROUP(target_rows, tune_options, target),
	OPTION_GROUP(sizes_rows, tune_options, sizes),
	OPTION_GROUP(kernel_rows, tune_options, kernels),
	OPTION_GROUP(run_setting_rows, tune_options, settings),
	OPTION_GROUP(cost_rows, tune_options, cost),
	OPTION_GROUP(step_cost_rows, tune_options, step),
	OPTION_GROUP(output_rows, tune_options, out),
	OPTION_GROUP(json_rows, tune_options, json),
};

static const struct usage usage = {
	"Writes a table of choices: for each machine, collective and root of the algorithms, which program and protocol to use up "
	"to each size. Applications read it with sccl_choices_read; libsccl-nccl.so reads it too.\n\n"
	"Without --measure, programs are chosen by the cost S α + R/C L β: each step has the latency of the slowest route that it uses, "
	"or --alpha, plus --step-cost; β is that of the machine's slowest kind of link, or --beta; the protocol `packets` is "
	"assumed to halve the latency and double the data. With "
	"--measure, the programs are compiled for --target (host), run on this computer, checked, and compared by their median "
	"times.\n\n"
	"Example: sccl-synth tune algorithms/dgx1/allreduce/*.json -o choices\v"
	"Exit status: 0 done; 1 an algorithm does not verify, or a result was wrong; 2 bad input; 4 a program could not be run.",
	USAGE_GROUPS(groups), USAGE_FILES(tune_options, files),
};

static int open_all(const struct tune_options *o, struct contender *all)
{
	struct error e = {0};

	for (size_t i = 0; i < o->files.n; i++) {
		all[i].path = o->files.at[i];
		all[i].algorithm = algorithm_open_compact(o->files.at[i], &e); /* only its cost and name are needed */
		if (!all[i].algorithm)
			return fail(&e);
		struct verdict v = algorithm_verify(all[i].algorithm);
		if (v.fault != FAULT_NONE) {
			error_set(&e, v.fault == FAULT_LIMIT ? ERROR_LIMIT : ERROR_INPUT, o->files.at[i],
				  v.fault == FAULT_LIMIT ? "is not verified: %s" : "does not verify: %s", v.why);
			int status = fail(&e);
			return status == STATUS_GAVE_UP ? status : STATUS_NO;
		}
		all[i].program = lower_name(all[i].algorithm);
		for (size_t k = 0; k < i; k++)
			if (strcmp(all[k].program, all[i].program) == 0) {
				error_set(&e, ERROR_INPUT, o->files.at[i], "its program has the same name as that of %.200s", o->files.at[k]);
				return fail(&e);
			}
	}
	return STATUS_DONE;
}

static int write_table(const struct tune_options *o, const struct contender *all, const struct times *t)
{
	struct error e = {0};
	struct text text = {0};
	bool ok = true;

	text_add(&text, "# Choices of sccl-synth tune, %s.\n# program, largest bytes of L (-: any), protocol, kernels, blocks (-: open), "
		 "in turns\n", o->measure ? "measured" : "by S α + R/C L β");
	tune_rows(all, o->files.n, t, false, &text);
	if (o->out)
		ok = file_write(o->out, text.bytes, text.length, &e);
	if (o->json) {
		text.length = 0;
		tune_rows(all, o->files.n, t, true, &text);
	}
	if (ok && (o->json || !o->out))
		fputs(text.bytes, stdout);
	text_free(&text);
	return ok ? STATUS_DONE : fail(&e);
}

static int tune(const struct tune_options *o, struct contender *all)
{
	struct error e = {0};
	struct times t = {0};
	int status = open_all(o, all);

	if (status == STATUS_DONE && !times_new(o->sizes ? o->sizes : o->measure ? "64:16M" : "64:64G", o->files.n, &t, &e))
		status = fail(&e);
	if (status == STATUS_DONE)
		status = (o->measure ? tune_measure : tune_model)(o, all, o->files.n, &t);
	if (status == STATUS_DONE)
		status = write_table(o, all, &t);
	times_free(&t);
	return status;
}

int cmd_tune(int argc, char **argv)
{
	struct error e = {0};
	struct tune_options o = {0};

	if (!options_read(argc, argv, &usage, &o, &e) || !operands_open_folders(&o.files, &e))
		return fail(&e);
	if (!o.measure && (o.target || o.settings.calls || o.settings.mode || o.settings.timeout || o.settings.jobs ||
			  o.kernels.types || o.kernels.ops || o.kernels.accumulate))
		error_set(&e, ERROR_INPUT, argv[0], "--target, --types, --ops, --accumulate, --calls, --mode, --timeout and -j require --measure");
	else if (o.measure && (o.cost.alpha.is_given || o.cost.beta.is_given || o.step.target || o.step.us.den))
		error_set(&e, ERROR_INPUT, argv[0], "--alpha, --beta and --step-cost cannot be combined with --measure");
	if (e.kind != ERROR_NONE)
		return fail(&e);
	catch_interrupts();
	struct contender *all = new_array(struct contender, o.files.n);
	int status = tune(&o, all);
	for (size_t i = 0; i < o.files.n; i++) {
		algorithm_free(all[i].algorithm);
		free(all[i].program);
	}
	free(all);
	return status;
}
