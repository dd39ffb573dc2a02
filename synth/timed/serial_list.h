#ifndef SCCL_SYNTH_TIMED_SERIAL_LIST_H
#define SCCL_SYNTH_TIMED_SERIAL_LIST_H

/* List scheduling of given messages with the sharing "order": each has its full rate or waits. */

#include <stddef.h>

struct fabric;

/* A message. */
struct listed_send {
	int route, from; /* from: the message that brings the chunk, before it in the list; -1: none */
	double tail;     /* µs from its start until the last chunk that depends on it has arrived: the longest goes first */
	double start;    /* µs: the result */
};

/* Sets the starts of N messages of BYTES each. Returns µs until the last has arrived. */
double serial_list(const struct fabric *f, double bytes, struct listed_send *of, size_t n);

#endif
