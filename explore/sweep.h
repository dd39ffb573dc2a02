#ifndef SCCL_EXPLORE_SWEEP_H
#define SCCL_EXPLORE_SWEEP_H

/* Many names written as one with braces, as in a shell: torus:{4..8}x8, dgx1@drop={0-1,2-3}, ring:{4..64..4}. */

#include <stdbool.h>
#include <stddef.h>

struct error;

/* The names, in the order in which they were added. Zero it before the first. */
struct sweep {
	size_t n, capacity;
	char **names; /* owned */
};

enum { SWEEP_MOST = 1024, SWEEP_CHARACTERS = 4096 };

/*
 * Appends the names that PATTERN stands for, in order. False with *e set: unbalanced braces, a list of one item, a
 * range with increment 0, more than SWEEP_CHARACTERS characters, or more than SWEEP_MOST names.
 */
bool sweep_add(struct sweep *s, const char *pattern, struct error *e);
/* Frees the names and clears the list. */
void sweep_free(struct sweep *s);

#endif
