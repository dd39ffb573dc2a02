#ifndef SCCL_NCCL_CATALOG_H
#define SCCL_NCCL_CATALOG_H

/* The programs that a process may run in place of NCCL: all in one folder, loaded once. */

#include <sccl/sccl.h>

#include <stdbool.h>

/* Loaded programs and how to choose among them; alpha is in microseconds per step, beta in microseconds per byte. */
struct catalog {
	const char *target;
	const sccl_program_t **programs;
	size_t n;
	const char *table; /* of choices; NULL: choose by cost */
	double alpha, beta;
};

/*
 * SCCL_NCCL_PROGRAMS is the folder of compiled programs (NAME.so exports NAME), SCCL_NCCL_TARGET the target they were
 * generated for (default cuda), SCCL_NCCL_CHOICES a table of choices. NULL if there is no folder, it contains no usable
 * program, or the target is unknown.
 */
const struct catalog *catalog_open(void);

/* The choices that fit a call; *n is 0 if there are none. The caller frees them with sccl_choices_free. */
sccl_choice_t *catalog_choices(const struct catalog *c, uint32_t ranks, const char *collective, int32_t root, size_t *n);

/* The value of the variable NAME of the environment; OTHERWISE if it is not set or is no number from 0. */
double catalog_number(const char *name, double otherwise);

/* Prints a line on standard error if SCCL_LOG is set in the environment. */
void catalog_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
