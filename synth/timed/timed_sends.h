#ifndef SCCL_SYNTH_TIMED_TIMED_SENDS_H
#define SCCL_SYNTH_TIMED_TIMED_SENDS_H

/* Sends with starts, and the algorithm that plays them in this order. docs/concepts/schedules-in-time.md. */

#include <stdbool.h>
#include <stddef.h>

struct algorithm;
struct collective;
struct error;
struct fabric;
struct network;
struct topology;

struct timed_send {
	int chunk, route;
	double start; /* µs */
};

/* By the time at which they were found; empty when zeroed, released by timed_sends_free. */
struct timed_sends {
	size_t n, capacity;
	struct timed_send *of;
};

void timed_sends_add(struct timed_sends *s, struct timed_send x);
void timed_sends_free(struct timed_sends *s);

/* What an order is kept of: each pair of nodes, or each link and limit. */
enum timed_turns { TURNS_OF_PAIRS, TURNS_OF_RESOURCES };

/*
 * Gives each send a step: one after that which brings its chunk, or after that before it on its pair or resources,
 * whichever is later. K is scaled to CHUNKS, and no node gets a chunk twice. Sorts S by start. NULL with *e set: too many
 * sends or rounds. The caller frees the algorithm, which is not verified.
 */
struct algorithm *timed_sends_algorithm(struct timed_sends *s, const struct topology *t, const struct network *w, const struct fabric *f,
					const struct collective *k, int chunks, enum timed_turns turns, const char *method, struct error *e);

#endif
