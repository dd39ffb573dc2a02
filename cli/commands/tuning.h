#ifndef SCCL_CLI_COMMANDS_TUNING_H
#define SCCL_CLI_COMMANDS_TUNING_H

/*
 * Which program a call should have, by its size: a table of times, from the model or from measurement, and the choice that
 * the table comes to. docs/reference/formats.md has the form of what is written.
 */

#include "core/base/rational.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct algorithm;
struct error;
struct options;

/* How a program can be run; the words are those of sccl-run. */
struct run_variant {
	const char *protocol, *kernels;
	bool overlap;       /* blocks in turns */
	bool only_moves;    /* not where something is reduced */
	double latency, data; /* of the model's α and β, how much; 0: the model has nothing to say of it */
};
extern const struct run_variant ways[];
enum { WAYS = 5 };

/* One of the algorithms to choose between. */
struct contender {
	const char *path;
	struct algorithm *algorithm; /* owned */
	char *program;               /* name, owned */
};

/* Microseconds of contender c, done way w, at sizes[s] bytes of L, at (c * WAYS + w) * n_sizes + s; below 0: not so. */
struct times {
	size_t n_sizes;
	int64_t *sizes; /* ascending; owned */
	double *at;     /* owned */
};
/* SIZES as in "64:16M": powers of two. False with *e set. */
bool times_new(const char *sizes, size_t n_contenders, struct times *t, struct error *e);
void times_free(struct times *t);

/* Both fill in OUT's times of the sizes that it has, return the exit status, and have complained. */
/* By S α + R/C L β, from --alpha and --beta, else from the machine of each. */
int tune_model(const struct options *o, const struct contender *all, size_t n, struct times *out);
/* By running them with sccl-run. */
int tune_measure(const struct options *o, const struct contender *all, size_t n, struct times *out);

/* The table. For each machine, collective and root the fastest of each size; between two sizes times are straight lines. */
void tune_rows(const struct contender *all, size_t n, const struct times *t, struct text *into);

#endif
