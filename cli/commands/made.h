#ifndef SCCL_CLI_COMMANDS_MADE_H
#define SCCL_CLI_COMMANDS_MADE_H

/* For commands that make algorithms: those they make them of, and what they tell. */

#include <stdbool.h>

struct algorithm;
struct error;
struct options;

/* In full and verified. False with *e set, and *status 1 where it does not verify. */
bool made_open(const char *path, struct algorithm **a, int *status, struct error *e);

/* A line with its cost, its gap to the bounds, and the file it was written to; or an object. METHOD and PATH may be NULL. */
void made_report(const struct algorithm *a, const char *method, const char *path, bool json);

/*
 * Writes A where -o says and tells of it. A NULL, or
 * what cannot be written: says *e. Takes A. The exit status, which is STATUS where that is not 0.
 */
int made_end(const struct options *o, struct algorithm *a, int status, struct error *e);

#endif
