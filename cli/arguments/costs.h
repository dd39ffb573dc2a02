#ifndef SCCL_CLI_ARGUMENTS_COSTS_H
#define SCCL_CLI_ARGUMENTS_COSTS_H

/* Microseconds as people write them, exactly: "0.7", "4e-5" and "7/10". */

#include "core/base/rational.h"

#include <stdbool.h>

struct error;

/* TEXT NULL: not given, *HAS is false and *OUT as it was. */
bool cost_read(const char *option, const char *text, bool *has, struct rational *out, struct error *e);

#endif
