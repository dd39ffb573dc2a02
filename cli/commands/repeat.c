/* `repeat`: overlaps several runs of one algorithm into a larger one (synth/replicate/repeat.h). */

#include "cli/output/command.h"
#include "cli/commands/made.h"
#include "cli/arguments/options.h"

#include "core/schedule/algorithm.h"
#include "synth/replicate/repeat.h"

#include <stdlib.h>

static const struct usage usage = {
	"<>oJ", "FILE",
	"Makes one algorithm out of many runs of another: the input is cut in --runs parts, and a run begins before the one before has ended. "
	"S steps and R rounds of C chunks become S + runs - 1 steps of runs C chunks, and of the rounds each run adds what its fullest link "
	"carries in all: a schedule whose steps each fill some links comes to the rate of one that fills them all.\n\n"
	"FILE may have a pipeline (solve --pipeline); then a run begins every so many steps as that says. "
	"What is made is verified, and told with its gap to the bounds.\n\n"
	"Example: sccl-synth repeat p.json --runs 16 -o large.json\v"
	"Exit status: 0 done; 1 FILE does not verify; 2 bad input; 3 too many sends."};

static int repeat(const struct options *o)
{
	struct error e = {0};
	struct algorithm *one = NULL, *a = NULL;
	int status = STATUS_DONE;

	if (made_open(o->files[0], &one, &status, &e))
		a = repeated(one, o->runs, o->every, &e);
	status = made_end(o, a, status, &e);
	algorithm_free(one);
	return status;
}

int cmd_repeat(int argc, char **argv)
{
	struct error e = {0};
	struct options o;
	int status;

	if (!options_read(argc, argv, &usage, &o, &e))
		return fail(&e);
	if (o.n_files != 1)
		error_set(&e, ERROR_INPUT, "repeat", "say which algorithm, one");
	else if (!o.runs)
		error_set(&e, ERROR_INPUT, "--runs", "say how many runs");
	status = e.kind == ERROR_NONE ? repeat(&o) : fail(&e);
	free(o.files);
	return status;
}
