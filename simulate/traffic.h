#ifndef SCCL_SIMULATE_TRAFFIC_H
#define SCCL_SIMULATE_TRAFFIC_H

/*
 * An algorithm's sends as messages, numbered in the order of the steps. For dataflow also what each message waits for:
 * everything that arrives at its place (a chunk at a node) in earlier steps, and the messages before it on its pair of
 * nodes.
 */

#include "core/base/csr.h"

#include <stdbool.h>
#include <stddef.h>

struct algorithm;
struct error;
struct fabric;

/* Arrays are owned; those for dataflow are empty unless asked for. */
struct traffic {
	int n;             /* number of messages */
	int *route;        /* [message]: its route in the fabric */
	size_t n_steps;
	int *step_begin;   /* step s: messages step_begin[s] .. step_begin[s + 1] - 1 */
	struct csr queue;  /* [route]: its messages, in order */
	/* What happens at a place, in order. Entry 2 m is the departure of message m, entry 2 m + 1 its arrival. */
	int n_places, *first; /* [place]: its first entry */
	int *next;            /* [entry]: the next entry; -1: none */
	int *place;           /* [entry] */
};

enum { MESSAGES_MAX = 1 << 28 };

/*
 * A must be in full form, not compact. WAITS: also fills queue and places. False with *e set: no route joins a send's
 * nodes, or there are too many sends. Call traffic_close either way.
 */
bool traffic_open(const struct algorithm *a, const struct fabric *f, bool waits, struct traffic *out, struct error *e);
/* Frees the arrays and clears the struct. */
void traffic_close(struct traffic *t);

#endif
