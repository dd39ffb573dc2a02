#ifndef SCCL_CLI_LOWERING_H
#define SCCL_CLI_LOWERING_H

#include "lower/lower.h"

/* From an algorithm file, verified, to DIR/NAME.c and DIR/NAME.h: the exit status. *name (may be NULL) is the program's, owned
 * by the caller. K: the kernels that it has, NULL: all. */
int lower_file(const char *path, const struct target *t, const struct kernels *k, const char *dir, char **name);

#endif
