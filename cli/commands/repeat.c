/* `repeat`: overlaps several runs of one algorithm into a larger one (synth/replicate/repeat.h). */

#include "cli/output/command.h"
#include "cli/commands/made.h"

#include "core/schedule/algorithm.h"
#include "synth/replicate/repeat.h"

struct repeat_options {
	int runs, every;
	struct made_options made;
	struct operands files;
};

static const struct option_row own_rows[] = {
	{"runs", 0, "N", "number of runs, each of which handles one part of the input",
	 OPTION_WHOLE(repeat_options, runs, 1, CHUNKS_MAX)},
	{"every", 0, "N", "start a run every N steps (the pipeline interval of FILE, or 1)",
	 OPTION_WHOLE(repeat_options, every, 1, STEPS_MAX)},
};

static const struct option_group groups[] = {
	OPTION_GROUP_OWN(own_rows),
	MADE_GROUPS(repeat_options, made),
};

static const struct usage usage = {
	"Overlaps many runs of an algorithm in one schedule: the input is divided into as many parts as there are runs (--runs), "
	"and each run starts before the previous one has ended. N runs of an algorithm with C chunks and S steps make N C chunks "
	"and S + N - 1 steps, and each run adds as many rounds as its busiest link needs in total. Thus a schedule in which each "
	"step uses only some of the links approaches the rate of one that uses all of them.\n\n"
	"If FILE has a pipeline (`solve --pipeline`), runs start at that interval. The result is verified, and reported with its "
	"gap to the bounds.\n\n"
	"Example: sccl-synth repeat p.json --runs 16 -o large.json\v"
	"Exit status: 0 done; 1 FILE does not verify; 2 bad input; 3 too many sends.",
	USAGE_GROUPS(groups), .operands = "FILE", .operands_at = offsetof(struct repeat_options, files), .least = 1, .most = 1,
	.operands_wrong = "takes one algorithm file",
};

static int repeat(const struct repeat_options *o)
{
	struct error e = {0};
	struct algorithm *one = NULL, *a = NULL;
	int status = STATUS_DONE;

	if (made_open(o->files.at[0], &one, &status, &e))
		a = repeated(one, o->runs, o->every, &e);
	status = made_end(&o->made, a, status, &e);
	algorithm_free(one);
	return status;
}

int cmd_repeat(int argc, char **argv)
{
	struct error e = {0};
	struct repeat_options o = {0};

	if (options_read(argc, argv, &usage, &o, &e) && !o.runs)
		error_set(&e, ERROR_INPUT, "--runs", "missing; give the number of runs, as in --runs 16");
	return e.kind == ERROR_NONE ? repeat(&o) : fail(&e);
}
