/* The program sccl-synth: the table of commands, help and version, and the exit status. */

#include "cli/output/command.h"

#include "core/base/memory.h"
#include "encode/solve.h"
#include "house.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct command commands[] = {
	{"topology", "list the machines and shapes there are, show one, or read this computer", cmd_topology},
	{"bounds", "what no algorithm can beat on a machine, and the cut that shows it", cmd_bounds},
	{"solve", "find one algorithm of C chunks, S steps and R rounds, or refute it", cmd_solve},
	{"pareto", "walk from the fewest steps to the best bandwidth, with proofs", cmd_pareto},
	{"trees", "trees that use the full rate of a machine with switches, and algorithms of them", cmd_trees},
	{"build", "build an algorithm by another system's method or a classic one", cmd_build},
	{"distribute", "carry an algorithm for one machine over to several copies of it", cmd_distribute},
	{"repeat", "many overlapping runs of an algorithm as one, for large inputs", cmd_repeat},
	{"verify", "judge algorithm and frontier files", cmd_verify},
	{"prove", "make certificates for what was refuted", cmd_prove},
	{"check-proof", "replay certificates", cmd_check_proof},
	{"show", "print an algorithm: its steps, sends, cost and what is proved of it", cmd_show},
	{"lower", "turn algorithms into C programs", cmd_lower},
	{"run", "run algorithms on this machine's CPUs or GPUs, compared with a reference", cmd_run},
	{"tune", "say which algorithm serves what size, by model or measurement", cmd_tune},
	{"explore", "compare machines, collectives and methods; say which change of a link gains most", cmd_explore},
	{"simulate", "play algorithms on their machines: time, rates and link use over sizes", cmd_simulate},
	{"train", "what allreduces cost an iteration of training", cmd_train},
	{"export", "write for other programs: SMT-LIB, DIMACS, MSCCL XML", cmd_export},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_help(void)
{
	puts("Usage: sccl-synth COMMAND [OPTION...]\n\n"
	     "Finds collective communication algorithms (allgather, allreduce, ...) that are provably the best for a\n"
	     "machine's links, and turns them into programs.\n\n"
	     "Commands:");
	for (int i = 0; i < COMMANDS; i++)
		printf("  %-11s %s\n", commands[i].name, commands[i].about);
	puts("\nTo begin:\n"
	     "  sccl-synth topology show dgx1\n"
	     "  sccl-synth pareto -t dgx1 -c allgather\n\n"
	     "`sccl-synth COMMAND --help` tells more of each. Exit status: 0 done; 1 the answer is no; 2 bad usage or\n"
	     "input; 3 a limit was reached; 4 an internal or system failure.");
}

/* The number of letters that remain after the common prefix and suffix are removed: good enough to detect a typo. */
static size_t distance(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	size_t m = strlen(a), n = strlen(b);
	while (m && n && a[m - 1] == b[n - 1])
		m--, n--;
	return m > n ? m : n;
}

static int unknown(const char *name)
{
	struct error e = {0};
	const char *near = NULL;
	size_t best = 3;

	for (int i = 0; i < COMMANDS; i++)
		if (distance(name, commands[i].name) < best) {
			best = distance(name, commands[i].name);
			near = commands[i].name;
		}
	if (near)
		error_set(&e, ERROR_INPUT, name, "there is no such command; did you mean \"%s\"?", near);
	else
		error_set(&e, ERROR_INPUT, name, "there is no such command; `sccl-synth --help` lists them");
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

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	if (!*name) {
		fputs("sccl-synth: a command is missing; `sccl-synth --help` lists them\n", stderr);
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
	for (int i = 0; i < COMMANDS; i++)
		if (strcmp(name, commands[i].name) == 0) {
			memory_used_by(name);
			return finish(commands[i].run(argc - 1, argv + 1));
		}
	return unknown(name);
}
