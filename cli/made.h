#ifndef SCCL_CLI_MADE_H
#define SCCL_CLI_MADE_H

/* For commands that make algorithms out of algorithms: what they read, and what they tell. */

#include <stdbool.h>

struct algorithm;
struct error;
struct options;

/* In full and verified. False with *e set, and *status 1 where it does not verify. */
bool made_open(const char *path, struct algorithm **a, int *status, struct error *e);

/* One line: its cost, its gap to the bounds, and where it was written; or with --json an object. */
void made_tell(const struct options *o, const struct algorithm *a);

#endif
