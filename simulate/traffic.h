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
	bool *reduces;     /* [message]: is it added to what its destination has? */
	/*
	 * [message * fabric->longest + h]: what it counts at the h-th resource of its route: 1, or 1/k where k copies, or reduces,
	 * of one chunk count once together. NULL: 1 everywhere.
	 */
	double *part;
	int *weight; /* [message]: how many messages it stands for (simulate/stepwise.c); NULL: for itself */
	/* Messages that count once together make a bundle, which starts and is sent as one. NULL: there are no bundles. */
	int *bundle;         /* [message]: its bundle; -1: none */
	struct csr bundles;  /* [bundle]: its messages */
	int n_bundles;
	size_t bundle_room;
	int *bundle_line;    /* [bundle]: the node that sends its copies, or nodes + that which gets its reduces */
	size_t n_steps;
	int *step_begin;   /* step s: messages step_begin[s] .. step_begin[s + 1] - 1 */
	/*
	 * Queues of messages that go one after another: for each pair, numbered as the first of its routes, those in no bundle; then for each node the bundles of
	 * copies from it; then for each node the bundles of reduces into it. A bundle is represented by its first message.
	 */
	struct csr queue;
	int *line;         /* [message]: its queue */
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

/* What MESSAGE, with all that it stands for, counts at the h-th resource of its route, of at most LONGEST. */
static inline double traffic_part(const struct traffic *t, int longest, int message, int h)
{
	double part = t->part ? t->part[(size_t)message * (size_t)longest + (size_t)h] : 1;

	return t->weight ? part * t->weight[message] : part;
}

#endif
