#ifndef SCCL_CLI_COMMANDS_PROGRAMS_H
#define SCCL_CLI_COMMANDS_PROGRAMS_H

/* Compiles and runs generated programs as children of this process, without a shell. */

#include "cli/commands/scratch.h"

#include <stdbool.h>

struct target;

/* Compiles NAME with the target's suffix in the folder of S to NAME.so there. *so is its path, which the caller frees
 * in either case. Returns an exit status after reporting errors. */
int program_compile(const struct target *t, const struct scratch *s, const char *name, char **so);

/* The arguments of sccl-run except for the program. Strings are borrowed; arguments beyond ARGUMENTS_MAX are
 * dropped. */
enum { ARGUMENTS_MAX = 48 };
struct arguments {
	const char *list[ARGUMENTS_MAX];
	int n;
};
void arguments_add(struct arguments *a, const char *name, const char *value); /* no effect if VALUE is NULL */
/* Appends NAME if GIVEN. */
void arguments_flag(struct arguments *a, const char *name, bool given);

/* Runs sccl-run SO --symbol NAME ARGUMENTS, with standard output redirected to the file OUT unless that is NULL.
 * Returns its exit status. */
int program_run(const struct scratch *s, const char *so, const char *name, const struct arguments *a, const char *out);

#endif
