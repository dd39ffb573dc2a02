/* `run`: lowers and compiles algorithms in a temporary folder, and runs them with sccl-run. */

#include "cli/output/command.h"
#include "cli/commands/lowering.h"
#include "cli/arguments/options.h"
#include "cli/commands/programs.h"

#include <stdlib.h>
#include <string.h>

static const struct usage usage = {
	"gszypNDPKbwVWGQixXJd", "FILE...",
	"Runs algorithms on this machine: lowers each to a C program, compiles it with $CC (cc), starts a process a rank, and compares "
	"every result with a plain reference, bit by bit. Prints time, algbw (bytes of one input over the time) and busbw for "
	"each size.\n\n"
	"--target cuda or hip runs on this machine's GPUs, which the ranks take in turn, with $NVCC (nvcc) or $HIPCC (hipcc).\n\n"
	"Sizes are those of one rank's input. --counts 0,1,7 takes numbers of elements instead.\n\n"
	"Example: sccl-synth run algorithms/dgx1/allgather/c6-s3-r7.json --sizes 1K:1M\v"
	"Exit status: 0 all results were right; 1 some differed, or a file does not verify; 2 bad input; 4 it could not be run."};

static void arguments_of(const struct options *o, const char *path, struct arguments *a)
{
	arguments_add(a, "--label", path);
	arguments_add(a, "--sizes", o->sizes);
	arguments_add(a, "--counts", o->counts);
	arguments_add(a, "--types", o->types);
	arguments_add(a, "--ops", o->ops);
	arguments_add(a, "--calls", o->calls);
	arguments_add(a, "--mode", o->mode);
	arguments_add(a, "--protocol", o->protocol);
	arguments_add(a, "--kernels", o->kernels);
	arguments_add(a, "--blocks", o->blocks);
	arguments_add(a, "--timeout", o->run_timeout);
	arguments_flag(a, "--overlap", o->overlap);
	arguments_flag(a, "--staged", o->staged);
	arguments_flag(a, "--registered", o->registered);
	arguments_flag(a, "--graph", o->graph);
	arguments_flag(a, "--in-place", o->in_place);
	arguments_flag(a, "--no-check", o->no_check);
	arguments_flag(a, "--json", o->json);
}

/* A program has only the kernels that the options select, as compilers take a while for each. */
static bool kernels_of(const struct options *o, const struct target *t, struct kernels *k, struct error *e)
{
	if (!kernels_read(o->types ? o->types : "f32", o->ops ? o->ops : "sum", k, e))
		return false;
	k->split = program_splits(t);
	return true;
}

static int run_file(const struct options *o, const struct target *t, const struct kernels *k, const char *path,
		    const struct scratch *s)
{
	struct arguments a = {.n = 0};
	struct lowered l;
	char *so = NULL;
	int status = lower_file(path, &(struct lower_request){t, k, s->dir, true}, &l);

	arguments_of(o, path, &a);
	if (status == STATUS_DONE)
		status = program_compile(t, s, &l, 0, &so);
	if (status == STATUS_DONE)
		status = program_run(s, so, l.name, &a, NULL);
	lowered_free(&l);
	free(so);
	return status;
}

static int run_all(const struct options *o, const struct target *t, const struct kernels *k)
{
	struct error e = {0};
	struct scratch scratch;
	int worst = STATUS_DONE;

	if (!scratch_make(&scratch, &e))
		return fail(&e);
	for (size_t i = 0; i < o->n_files && !interrupted; i++) {
		int status = run_file(o, t, k, o->files[i], &scratch);
		worst = status > worst ? status : worst;
	}
	scratch_remove(&scratch);
	return worst;
}

int cmd_run(int argc, char **argv)
{
	struct error e = {0};
	struct options o;

	if (!options_read(argc, argv, &usage, &o, &e))
		return fail(&e);
	const struct target *t = lower_target(o.target ? o.target : "host", &e);
	struct kernels k = {0};
	if (!o.n_files)
		error_set(&e, ERROR_INPUT, argv[0], "say which files");
	if (e.kind != ERROR_NONE || !kernels_of(&o, t, &k, &e)) {
		free(o.files);
		return fail(&e);
	}
	catch_interrupts();
	int status = run_all(&o, t, &k);
	free(o.files);
	return status;
}
