#ifndef SCCL_CLI_COMMANDS_PROGRAMS_H
#define SCCL_CLI_COMMANDS_PROGRAMS_H

/* Compiles and runs generated programs in children of this process, without a shell. */

#include "cli/arguments/options.h"
#include "cli/commands/scratch.h"

#include <stdbool.h>

struct lowered;
struct target;

/* Is it worth compiling the kernels for T in parallel? */
bool program_splits(const struct target *t);

/* Compiles the program L, which lower_file has written to the folder of S, to a shared object there: a program of
 * several files on JOBS processors (0: all that this process may use), with its progress on a terminal. *so is its path,
 * which the caller frees in either case. Returns an exit status after reporting errors. */
int program_compile(const struct target *t, const struct scratch *s, const struct lowered *l, int jobs, char **so);

/* The arguments of a program, without its name. Strings are borrowed; arguments beyond ARGUMENTS_MAX are dropped. */
enum { ARGUMENTS_MAX = 64 };
struct arguments {
	const char *list[ARGUMENTS_MAX + 1]; /* ends with NULL if zeroed at first */
	int n;
};
void arguments_add(struct arguments *a, const char *name, const char *value); /* no effect if VALUE is NULL */
/* Appends NAME if GIVEN. */
void arguments_flag(struct arguments *a, const char *name, bool given);

/* Options of sccl-run, which checks them; NULL: not given. */
struct run_settings {
	const char *calls, *mode, *timeout;
	int jobs; /* for program_compile */
};
extern const struct option_row run_setting_rows[4];

/* Runs sccl-run SO --symbol NAME ARGUMENTS, with standard output redirected to the file OUT unless that is NULL.
 * Returns its exit status. */
int program_run(const struct scratch *s, const char *so, const char *name, const struct arguments *a, const char *out);

#endif
