#ifndef SCCL_EXPLORE_SWEEP_H
#define SCCL_EXPLORE_SWEEP_H

/* Many names written as one, as a shell would: torus:{4..8}x8, dgx1@drop={0-1,2-3}, ring:{4..64..4}. */

#include <stdbool.h>
#include <stddef.h>

struct error;

struct sweep {
	size_t n, capacity;
	char **names; /* owned */
};

enum { SWEEP_MOST = 1024, SWEEP_LETTERS = 4096 };

/* Adds what PATTERN stands for, in order. False with *e set: braces that do not match, a list of one, more than SWEEP_MOST. */
bool sweep_add(struct sweep *s, const char *pattern, struct error *e);
void sweep_free(struct sweep *s);

#endif
