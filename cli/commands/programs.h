#ifndef SCCL_CLI_COMMANDS_PROGRAMS_H
#define SCCL_CLI_COMMANDS_PROGRAMS_H

/* Generated programs, compiled and run as children of this process; nothing of it goes through a shell. */

#include "cli/commands/scratch.h"

#include <stdbool.h>

struct target;

/* NAME.c (or what the target calls it) in the folder of S to NAME.so there, with the target's compiler: the exit status. *so is the
 * caller's. Complains by itself. */
int program_compile(const struct target *t, const struct scratch *s, const char *name, char **so);

/* What a run of sccl-run is told beside the program. */
enum { ARGUMENTS_MAX = 48 };
struct arguments {
	const char *list[ARGUMENTS_MAX];
	int n;
};
void arguments_add(struct arguments *a, const char *name, const char *value); /* nothing where VALUE is NULL */
void arguments_flag(struct arguments *a, const char *name, bool given);

/* sccl-run SO --symbol NAME ARGUMENTS: its exit status. Its standard output goes to the file OUT where that is not NULL. */
int program_run(const struct scratch *s, const char *so, const char *name, const struct arguments *a, const char *out);

#endif
