#ifndef SCCL_CLI_OUTPUT_COMMAND_H
#define SCCL_CLI_OUTPUT_COMMAND_H

/* What the commands share: exit statuses, faults on standard error, interrupts. */

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum status {
	STATUS_DONE = 0,
	STATUS_NO = 1,      /* the honest answer is no */
	STATUS_INPUT = 2,   /* bad usage or bad input */
	STATUS_GAVE_UP = 3, /* a time or memory limit */
	STATUS_FAILED = 4,  /* ours, or the machine's */
	STATUS_INTERRUPTED = 130,
};

struct command {
	const char *name;
	const char *about; /* one line of the list of commands */
	int (*run)(int argc, char **argv); /* argv[0] is the name */
};

int cmd_topology(int argc, char **argv);
int cmd_bounds(int argc, char **argv);
int cmd_solve(int argc, char **argv);
int cmd_pareto(int argc, char **argv);
int cmd_trees(int argc, char **argv);
int cmd_distribute(int argc, char **argv);
int cmd_repeat(int argc, char **argv);
int cmd_build(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_prove(int argc, char **argv);
int cmd_check_proof(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_lower(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_tune(int argc, char **argv);
int cmd_explore(int argc, char **argv);
int cmd_simulate(int argc, char **argv);
int cmd_train(int argc, char **argv);
int cmd_export(int argc, char **argv);

/* Prints "sccl-synth: WHERE: WHAT" and returns the exit status of its kind; an interrupt prints nothing. */
int fail(const struct error *e);

/* A name as people may see it: one line without terminal controls (core/base/utf8.h). Good until the fourth call after this one. */
const char *shown(const char *name);

/* 1 after the first SIGINT, SIGTERM or SIGHUP; the commands that search or start children look at it, for the others the
 * signal ends the process. */
extern volatile int interrupted;
void catch_interrupts(void);

#endif
