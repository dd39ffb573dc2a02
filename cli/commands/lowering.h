#ifndef SCCL_CLI_COMMANDS_LOWERING_H
#define SCCL_CLI_COMMANDS_LOWERING_H

/* Lowering an algorithm file to source files, for `lower`, `run` and `tune`. */

#include "cli/arguments/options.h"

#include "lower/lower.h"

/* Which kernels a program gets; NULL: not given. */
struct kernel_options {
	const char *types, *ops, *accumulate;
};
extern const struct option_row target_rows[1]; /* --target: const char * */
extern const struct option_row kernel_rows[3]; /* struct kernel_options */

/* All borrowed. */
struct lower_request {
	const struct target *target;
	const struct kernels *kernels; /* the kernels of the program; NULL: all */
	const char *dir; /* created if missing */
	bool same_order; /* refuse programs that do not add every element in the same order */
	bool scratch;    /* overwrite files freely; otherwise the program of another schedule is not replaced */
};

/* Verifies the algorithm file at PATH and writes its program to DIR: NAME.h, NAME with the target's suffix, and the
 * units. Returns an exit status after reporting errors. *out is the program, empty unless the status is STATUS_DONE; the
 * caller releases it with lowered_free. */
int lower_file(const char *path, const struct lower_request *to, struct lowered *out);

#endif
