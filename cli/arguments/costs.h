#ifndef SCCL_CLI_ARGUMENTS_COSTS_H
#define SCCL_CLI_ARGUMENTS_COSTS_H

/* Reads microseconds such as "0.7", "4e-5" and "7/10" as exact rationals. */

#include "core/base/rational.h"

#include "core/schedule/step_overhead.h"

#include <stdbool.h>

struct error;
struct option_row;

/* Microseconds that an option gives. */
struct cost_option {
	bool is_given;
	struct rational value;
};
/* A reader of options: struct cost_option, at least 0. */
bool option_cost(const struct option_row *r, const char *s, void *field, struct error *e);
/* --step-cost: struct step_overhead, from microseconds or the name of a target that has defaults. */
bool option_step_cost(const struct option_row *r, const char *s, void *field, struct error *e);

#endif
