#ifndef SCCL_CLI_MADE_H
#define SCCL_CLI_MADE_H

/* For commands that make algorithms out of algorithms: what they read, and what they tell. */

#include <stdbool.h>

struct algorithm;
struct error;
struct options;

/* In full and verified. False with *e set, and *status 1 where it does not verify. */
bool made_open(const char *path, struct algorithm **a, int *status, struct error *e);

/*
 * Writes A where -o says and tells in one line its cost, its gap to the bounds, and where it is; or with --json in an object. A NULL, or
 * what cannot be written: says *e. Takes A. The exit status, which is STATUS where that is not 0.
 */
int made_end(const struct options *o, struct algorithm *a, int status, struct error *e);

#endif
