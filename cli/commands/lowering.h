#ifndef SCCL_CLI_COMMANDS_LOWERING_H
#define SCCL_CLI_COMMANDS_LOWERING_H

#include "lower/lower.h"

struct lower_request {
	const struct target *target;
	const struct kernels *kernels; /* that the program has; NULL: all */
	const char *dir;
	bool scratch; /* what is there already is of no use; else the program of another schedule is not replaced */
};

/* From an algorithm file, verified, to DIR/NAME.c and DIR/NAME.h: the exit status. *name (may be NULL) is the program's, owned
 * by the caller. */
int lower_file(const char *path, const struct lower_request *to, char **name);

#endif
