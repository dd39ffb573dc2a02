#ifndef SCCL_CLI_OUTPUT_COMMAND_H
#define SCCL_CLI_OUTPUT_COMMAND_H

/* Shared by all commands: exit statuses, error messages, interrupts. */

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Exit statuses. The worst of several results is the largest. */
enum status {
	STATUS_DONE = 0,
	STATUS_NO = 1,      /* the answer is no */
	STATUS_INPUT = 2,   /* bad usage or bad input */
	STATUS_GAVE_UP = 3, /* a time or memory limit */
	STATUS_FAILED = 4,  /* an internal or system failure */
	STATUS_INTERRUPTED = 130, /* 128 + SIGINT, as in shells */
};

/* A row of the table of commands. */
struct command {
	const char *name;
	const char *about; /* its line in the list of commands */
	int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns an exit status */
};

/* The commands. Each returns an exit status after printing its output or error. */
int cmd_topology(int argc, char **argv);
int cmd_bounds(int argc, char **argv);
int cmd_solve(int argc, char **argv);
int cmd_pareto(int argc, char **argv);
int cmd_trees(int argc, char **argv);
int cmd_distribute(int argc, char **argv);
int cmd_repeat(int argc, char **argv);
int cmd_build(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_prove(int argc, char **argv);
int cmd_check_proof(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_lower(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_tune(int argc, char **argv);
int cmd_explore(int argc, char **argv);
int cmd_best(int argc, char **argv);
int cmd_simulate(int argc, char **argv);
int cmd_train(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_lint(int argc, char **argv);

/* Prints "sccl-synth: WHERE: WHAT" on standard error and returns the exit status for this kind of error. After an
 * interrupt, prints the line of interrupts_say, if there is one, and returns STATUS_INTERRUPTED. */
int fail(const struct error *e);

/* NAME in printable form: one line without terminal control characters (core/base/utf8.h). The result is valid until
 * the fourth call after this one. */
const char *printable(const char *name);

/* 1 after the first SIGINT, SIGTERM or SIGHUP, once catch_interrupts was called. Commands that search or start children
 * call it and poll this variable; in the others, the signal ends the process. */
extern volatile int interrupted;
void catch_interrupts(void);
/* Sets the line that is printed on standard error if an interrupt ends the command from now on; copied. NULL: none. */
void interrupts_say(const char *line);
/* Prints that line, for a command that ends by itself. */
void interrupts_report(void);

#endif
