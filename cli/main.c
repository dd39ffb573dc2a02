/* The program sccl-synth: the table of commands, help and version, and the exit status. */

#include "cli/output/command.h"
#include "cli/arguments/manual.h"

#include "core/base/memory.h"
#include "core/base/spelling.h"
#include "core/base/text.h"
#include "encode/solve.h"
#include "build_config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct command commands[] = {
	{"topology", "list, show and compare machines; detect this computer's accelerators", cmd_topology},
	{"import", "read a machine from files of other tools: NCCL, hwloc, nvidia-smi, matrices, ...", cmd_import},
	{"lint", "check plans of MSCCL, RCCL and MSCCL++: races, wrong results, deadlocks, limits", cmd_lint},
	{"best", "find the fastest algorithm for each size within a given time, and compare it with NCCL's", cmd_best},
	{"bounds", "print lower bounds on steps and bandwidth, each with a witness", cmd_bounds},
	{"solve", "find an algorithm with C chunks, S steps and R rounds, or show that none exists", cmd_solve},
	{"pareto", "find the Pareto frontier, from fewest steps to best bandwidth, with proofs", cmd_pareto},
	{"trees", "pack trees that achieve the full rate of a machine, and build algorithms from them", cmd_trees},
	{"build", "build an algorithm by a classic method or by that of another system", cmd_build},
	{"distribute", "extend an algorithm for one machine to several copies of it", cmd_distribute},
	{"repeat", "overlap many runs of an algorithm in one schedule, for large inputs", cmd_repeat},
	{"verify", "verify algorithm, frontier and proof files", cmd_verify},
	{"diff", "compare two algorithms or two frontiers", cmd_diff},
	{"prove", "make certificates for refuted candidates", cmd_prove},
	{"check-proof", "check certificates", cmd_check_proof},
	{"show", "print an algorithm: its steps, sends, cost and proven optimality", cmd_show},
	{"report", "write a page about a machine: links, bounds, frontiers, the fastest algorithms", cmd_report},
	{"lower", "turn algorithms into programs in C, CUDA or HIP", cmd_lower},
	{"run", "run algorithms on the CPUs or GPUs of this computer, and check the results", cmd_run},
	{"tune", "choose the best algorithm for each size, by cost model or measurement", cmd_tune},
	{"explore", "compare machines, collectives, methods and changes to single links", cmd_explore},
	{"simulate", "simulate algorithms on their machines: time, rates and link utilization by size", cmd_simulate},
	{"train", "compute what allreduces cost in a training iteration", cmd_train},
	{"export", "export candidates and algorithms as SMT-LIB, DIMACS or MSCCL XML", cmd_export},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static const char about[] =
	"Synthesizes collective communication algorithms (allgather, allreduce, ...) that are provably optimal for the\n"
	"links of a machine, and turns them into programs.\n";
static const char statuses[] =
	"0 done; 1 the answer is no; 2 bad usage or\n"
	"input; 3 a limit was reached; 4 an internal or system failure.\n";

static void print_help(void)
{
	printf("Usage: sccl-synth COMMAND [OPTION...]\n\n%s\nCommands:\n", about);
	for (int i = 0; i < COMMANDS; i++)
		printf("  %-11s %s\n", commands[i].name, commands[i].about);
	printf("\nTo get started:\n"
	       "  sccl-synth topology show dgx1\n"
	       "  sccl-synth pareto -t dgx1 -c allgather\n\n"
	       "`sccl-synth COMMAND --help` describes each command. Exit status: %s", statuses);
}

/* The manual page of the program, and the list of commands for completion. */
static void print_manual(void)
{
	struct text s = {0};

	text_add(&s, ".TH SCCL\\-SYNTH 1 \"\" \"sccl\\-synth %s\" \"User Commands\"\n.SH NAME\nsccl\\-synth \\- synthesize collective communication algorithms\n"
		 ".SH SYNOPSIS\n.B sccl\\-synth\n\\fICOMMAND\\fR [\\fIOPTION\\fR...]\n.SH DESCRIPTION\n", SCCL_VERSION);
	manual_escape(about, &s);
	text_add(&s, ".SH COMMANDS\n");
	for (int i = 0; i < COMMANDS; i++) {
		text_add(&s, ".TP\n.BR sccl\\-synth\\-");
		manual_escape(commands[i].name, &s);
		text_add(&s, " (1)\n");
		manual_escape(commands[i].about, &s);
		text_add(&s, "\n");
	}
	text_add(&s, ".SH EXIT STATUS\n");
	manual_escape(statuses, &s);
	text_add(&s, ".SH ENVIRONMENT\n.TP\n.B SCCL_PATH\nfolders, separated by colons, that are searched for machines, catalogs and workloads given by name\n"
		 ".TP\n.B NO_COLOR\nno colours on a terminal\n.TP\n.BR CC \", \" NVCC \", \" HIPCC\ncompilers of programs\n");
	fputs(s.bytes, stdout);
	text_free(&s);
}

static void print_commands(void)
{
	for (int i = 0; i < COMMANDS; i++)
		printf("%s\t%s\n", commands[i].name, commands[i].about);
}

static int unknown(const char *name)
{
	struct error e = {0};
	struct spelling s = spelling_new(name);

	for (int i = 0; i < COMMANDS; i++)
		spelling_try(&s, commands[i].name);
	const char *hint = spelling_hint(&s);
	error_set(&e, ERROR_INPUT, name, "is not a command; %s", *hint ? hint : "`sccl-synth --help` lists them");
	spelling_free(&s);
	return fail(&e);
}

/* Output must have been written completely: a full disk is a failure. */
static int finish(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	if (status == STATUS_DONE || status == STATUS_NO || status == STATUS_GAVE_UP) {
		fprintf(stderr, "sccl-synth: standard output: %s\n", strerror(errno));
		status = STATUS_FAILED;
	}
	return status;
}

/*
 * A file that is opened must not get the number of a stream that is closed: words would be written into it. A held stream still fails when
 * it is read or written.
 */
static void hold_streams(void)
{
	for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
		if (fcntl(file, F_GETFD) < 0 && open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY) != file)
			_exit(STATUS_FAILED);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	hold_streams();
	if (!*name) {
		fputs("sccl-synth: no command is given; `sccl-synth --help` lists them\n", stderr);
		return STATUS_INPUT;
	}
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
		print_help();
		return finish(STATUS_DONE);
	}
	if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
		printf("sccl-synth %s (%s)\n", SCCL_VERSION, solve_version());
		return finish(STATUS_DONE);
	}
	if (strcmp(name, "--print-manual") == 0 || strcmp(name, "--print-commands") == 0) {
		(name[8] == 'm' ? print_manual : print_commands)();
		return finish(STATUS_DONE);
	}
	for (int i = 0; i < COMMANDS; i++)
		if (strcmp(name, commands[i].name) == 0) {
			memory_used_by(name);
			return finish(commands[i].run(argc - 1, argv + 1));
		}
	return unknown(name);
}
