#ifndef SCCL_NCCL_CATALOG_H
#define SCCL_NCCL_CATALOG_H

/* The programs that a process may run in NCCL's place: all in one folder, loaded once. */

#include <sccl/sccl.h>

#include <stdbool.h>

struct catalog {
	const char *target;
	const sccl_program_t **programs;
	size_t n;
	const char *table; /* of choices; NULL: by cost */
	double alpha, beta;
};

/*
 * SCCL_NCCL_PROGRAMS is the folder of compiled programs (NAME.so exports NAME), SCCL_NCCL_TARGET what they were generated
 * for (cuda), SCCL_NCCL_CHOICES a table of choices. NULL: there is no folder, or nothing in it.
 */
const struct catalog *catalog_open(void);

/* What of it fits a call; *n 0: nothing. To be freed with sccl_choices_free. */
sccl_choice_t *catalog_choices(const struct catalog *c, uint32_t ranks, const char *collective, int32_t root, size_t *n);

/* A line on standard error, where SCCL_LOG is in the environment. */
void catalog_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
