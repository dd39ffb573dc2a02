/* `run`: lowers and compiles algorithms in a temporary folder, and runs them with sccl-run. */

#include "cli/output/command.h"
#include "cli/arguments/folders.h"
#include "cli/commands/lowering.h"
#include "cli/arguments/shared.h"
#include "cli/commands/programs.h"

#include <stdlib.h>

struct run_options {
	const char *target, *sizes, *counts, *protocol, *transfer, *kernels_how, *blocks, *least, *most, *factor, *warmups;
	struct kernel_options kernels;
	struct run_settings settings;
	bool overlap, staged, registered, graph, in_place, out_of_place, check, no_check, json;
	struct operands files;
};

static const struct option_row own_rows[] = {
	{"counts", 0, "N,...", "input sizes as numbers of elements, instead of --sizes", OPTION(option_text, run_options, counts)},
	{"minbytes", 'b', "A", "smallest size in bytes, as in nccl-tests: A, A*F, A*F*F, ... up to B (1K)", OPTION(option_text, run_options, least)},
	{"maxbytes", 'e', "B", "largest size in bytes (1M, or A if that is more)", OPTION(option_text, run_options, most)},
	{"stepfactor", 'f', "F", "factor between sizes (2)", OPTION(option_text, run_options, factor)},
	{"warmup-iters", 'w', "N", "number of calls before the time is taken (1)", OPTION(option_text, run_options, warmups)},
	{"transfer", 0, "push|pull", "push: senders store; pull: receivers load, the protocol of that name (push)", OPTION(option_text, run_options, transfer)},
	{"protocol", 0, "NAME", "protocol: plain (a flag after the data), packets (a flag in every 8 bytes), shared (plain, inputs read by others), multimem (switches copy and add), pull (receivers load) or lines (packets of 128 bytes) (plain)",
	 OPTION(option_text, run_options, protocol)},
	{"kernels", 0, "HOW", "kernel launches: one (per call), step (one per step) or none (copy engines) (one)",
	 OPTION(option_text, run_options, kernels_how)},
	{"blocks", 0, "N", "number of blocks into which each chunk is divided (chosen by the runtime)",
	 OPTION(option_text, run_options, blocks)},
	{"overlap", 0, NULL, "interleave the steps of several blocks", OPTION(option_flag, run_options, overlap)},
	{"staged", 0, NULL, "copy results to an output buffer that the ranks do not share",
	 OPTION(option_flag, run_options, staged)},
	{"registered", 0, NULL, "use an output buffer that the ranks have registered with each other (on GPUs, or with threads)",
	 OPTION(option_flag, run_options, registered)},
	{"graph", 0, NULL, "GPUs: capture a call as a graph and replay it", OPTION(option_flag, run_options, graph)},
	{"in-place", 0, NULL, "call in place, with the input in the output buffer (both ways; with --json out of place)",
	 OPTION(option_flag, run_options, in_place)},
	{"out-of-place", 0, NULL, "call with separate buffers", OPTION(option_flag, run_options, out_of_place)},
	{"check", 0, NULL, "compare every result with a reference (the default)", OPTION(option_flag, run_options, check)},
	{"no-check", 0, NULL, "do not compare results", OPTION(option_flag, run_options, no_check)},
};

static const struct option_group groups[] = {
	OPTION_GROUP(target_rows, run_options, target),
	OPTION_GROUP(sizes_rows, run_options, sizes),
	OPTION_GROUP(kernel_rows, run_options, kernels),
	OPTION_GROUP(run_setting_rows, run_options, settings),
	OPTION_GROUP_OWN(own_rows),
	OPTION_GROUP(json_rows, run_options, json),
	OPTION_GROUP_OWN(directory_rows),
};

static const struct usage usage = {
	"Runs algorithms on this computer: lowers each to a C program, compiles it with $CC (cc), starts one process per rank, and "
	"compares every result with a reference, bit by bit. Prints the columns of nccl-tests, out of place and in "
	"place: time, algbw (bytes of one input divided by it), busbw and the number of wrong elements. -b, -e, -f, -n and -w mean what they "
	"mean there.\n\n"
	"With --target cuda or hip, the programs are compiled with $NVCC (nvcc) or $HIPCC (hipcc) and run on the GPUs of this "
	"computer, which are assigned to the ranks in turn.\n\n"
	"Sizes are those of one rank's input. --counts 0,1,7 gives numbers of elements instead of bytes.\n\n"
	"Example: sccl-synth run algorithms/dgx1/allgather/c6-s3-r7.json --sizes 1K:1M\v"
	"Exit status: 0 all results are correct; 1 some differ, or a file does not verify; 2 bad input; 4 a program could not be "
	"run.",
	USAGE_GROUPS(groups), USAGE_FILES(run_options, files),
};

static void arguments_of(const struct run_options *o, const char *path, struct arguments *a)
{
	arguments_add(a, "--label", path);
	arguments_add(a, "--sizes", o->sizes);
	arguments_add(a, "--counts", o->counts);
	arguments_add(a, "--minbytes", o->least);
	arguments_add(a, "--maxbytes", o->most);
	arguments_add(a, "--stepfactor", o->factor);
	arguments_add(a, "--warmup_iters", o->warmups);
	arguments_add(a, "--types", o->kernels.types);
	arguments_add(a, "--ops", o->kernels.ops);
	arguments_add(a, "--calls", o->settings.calls);
	arguments_add(a, "--mode", o->settings.mode);
	arguments_add(a, "--protocol", o->protocol);
	arguments_add(a, "--transfer", o->transfer);
	arguments_add(a, "--kernels", o->kernels_how);
	arguments_add(a, "--blocks", o->blocks);
	arguments_add(a, "--timeout", o->settings.timeout);
	arguments_flag(a, "--overlap", o->overlap);
	arguments_flag(a, "--staged", o->staged);
	arguments_flag(a, "--registered", o->registered);
	arguments_flag(a, "--graph", o->graph);
	arguments_flag(a, "--in-place", o->in_place);
	arguments_flag(a, "--in-place", o->in_place);
	arguments_flag(a, "--out-of-place", o->out_of_place);
	arguments_flag(a, "--no-check", o->no_check);
	arguments_flag(a, "--json", o->json);
}

/* A program has only the kernels that the options select, as compilers take a while for each. */
static bool kernels_of(const struct run_options *o, const struct target *t, struct kernels *k, struct error *e)
{
	if (!kernels_read(o->kernels.types ? o->kernels.types : "f32", o->kernels.ops ? o->kernels.ops : "sum", o->kernels.accumulate, k, e))
		return false;
	k->split = program_splits(t);
	return true;
}

struct run_session {
	const struct run_options *options;
	const struct target *target;
	const struct kernels *kernels;
	struct scratch scratch;
};

static int run_file(void *context, const char *path)
{
	const struct run_session *r = context;
	struct arguments a = {.n = 0};
	struct lowered l;
	char *so = NULL;
	int status = lower_file(path, &(struct lower_request){.target = r->target, .kernels = r->kernels, .dir = r->scratch.dir, .scratch = true}, &l);

	arguments_of(r->options, path, &a);
	if (status == STATUS_DONE)
		status = program_compile(r->target, &r->scratch, &l, r->options->settings.jobs, &so);
	if (status == STATUS_DONE)
		status = program_run(&r->scratch, so, l.name, &a, NULL);
	lowered_free(&l);
	free(so);
	return status;
}

int cmd_run(int argc, char **argv)
{
	struct error e = {0};
	struct run_options o = {.target = "host"};
	struct kernels k = {0};

	if (!options_read(argc, argv, &usage, &o, &e) || !operands_open_folders(&o.files, &e))
		return fail(&e);
	struct run_session r = {.options = &o, .target = lower_target(o.target, &e), .kernels = &k};
	if (!r.target || !kernels_of(&o, r.target, &k, &e))
		return fail(&e);
	catch_interrupts();
	if (!scratch_make(&r.scratch, &e))
		return fail(&e);
	int status = operands_each(&o.files, run_file, &r);
	scratch_remove(&r.scratch);
	return status;
}
