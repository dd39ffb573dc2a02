#ifndef SCCL_SIMULATE_TRAFFIC_H
#define SCCL_SIMULATE_TRAFFIC_H

/*
 * An algorithm's sends as messages, numbered in the order of the steps. For a run by dataflow also what each waits for: all
 * that arrives in its place (a chunk at a node) in earlier steps, and the messages before it on its pair of nodes.
 */

#include "core/base/csr.h"

#include <stdbool.h>
#include <stddef.h>

struct algorithm;
struct error;
struct fabric;

struct traffic {
	int n;             /* messages */
	int *route;        /* of each, in the fabric */
	size_t n_steps;
	int *step_begin;   /* step s: messages step_begin[s] .. step_begin[s + 1] - 1 */
	struct csr queue;  /* by route: its messages, in order */
	/* By place: what happens there, in order. Entry 2 m is the departure of message m, 2 m + 1 its arrival. */
	int n_places, *first; /* of a place, its first entry */
	int *next;            /* of an entry, the next; -1: none */
	int *place;           /* of an entry */
};

enum { MESSAGES_MAX = 1 << 28 };

/* A in full. WAITS: with pairs and places. False with *e set: a send that no link carries, or too many. Free it either way. */
bool traffic_open(const struct algorithm *a, const struct fabric *f, bool waits, struct traffic *out, struct error *e);
void traffic_close(struct traffic *t);

#endif
