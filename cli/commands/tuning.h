#ifndef SCCL_CLI_COMMANDS_TUNING_H
#define SCCL_CLI_COMMANDS_TUNING_H

/*
 * Which program should serve a call, by its size: a table of times, from the model or from measurement, and the choices
 * that result from it. docs/reference/formats.md describes the format of the output.
 */

#include "cli/arguments/shared.h"
#include "cli/commands/lowering.h"
#include "cli/commands/programs.h"

#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct algorithm;
struct error;

struct tune_options {
	bool measure, json;
	const char *target, *sizes, *out;
	struct kernel_options kernels; /* these and the settings: of --measure */
	struct run_settings settings;
	struct cost_options cost;      /* of the model, as is the step cost */
	struct step_overhead step;
	struct operands files;
};

/* A way of running a program, in terms of the options of sccl-run. */
struct run_variant {
	const char *protocol, *kernels;
	bool overlap;       /* blocks go through the steps in turns */
	bool only_moves;    /* only for collectives that do not combine */
	double latency, data; /* factors of α and β in the model; 0: the model does not cover it */
};
extern const struct run_variant run_variants[];
enum { VARIANTS = 5 };

/* One of the algorithms to choose between. */
struct contender {
	const char *path;
	struct algorithm *algorithm; /* owned */
	char *program;               /* its name; owned */
};

/* at[(c * VARIANTS + w) * n_sizes + s]: the microseconds of contender c, run in variant w, at L = sizes[s] bytes; negative: it
 * cannot be run in this variant, or has no time. */
struct times {
	size_t n_sizes;
	int64_t *sizes; /* ascending; owned */
	double *at;     /* owned */
};
/* SIZES as in "64:16M": powers of two. False with *e set. The caller calls times_free in either case. */
bool times_new(const char *sizes, size_t n_contenders, struct times *t, struct error *e);
void times_free(struct times *t);

/* Both fill in the times of OUT and return an exit status after reporting errors. This one uses S α + R/C L β, with α
 * and β from --alpha and --beta, or else the latency of each step and β from the machine of each algorithm; --step-cost
 * is added to every step. */
int tune_model(const struct tune_options *o, const struct contender *all, size_t n, struct times *out);
/* Measures by running the programs with sccl-run. */
int tune_measure(const struct tune_options *o, const struct contender *all, size_t n, struct times *out);

/* Appends the table of choices, or as JSON a line for each: for each machine, collective and root, the fastest program at each size. Times between
 * two sizes are interpolated linearly. */
void tune_rows(const struct contender *all, size_t n, const struct times *t, bool json, struct text *into);

#endif
