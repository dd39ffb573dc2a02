#ifndef SCCL_CLI_ARGUMENTS_COSTS_H
#define SCCL_CLI_ARGUMENTS_COSTS_H

/* Reads microseconds such as "0.7", "4e-5" and "7/10" as exact rationals. */

#include "core/base/rational.h"

#include <stdbool.h>

struct error;

/* The value of OPTION, at least 0. If TEXT is NULL, it was not given: *HAS becomes false and *OUT is unchanged. False
 * with *e set: not a number, or one that does not fit. */
bool cost_read(const char *option, const char *text, bool *has, struct rational *out, struct error *e);

#endif
