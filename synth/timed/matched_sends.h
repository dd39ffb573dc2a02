#ifndef SCCL_SYNTH_TIMED_MATCHED_SENDS_H
#define SCCL_SYNTH_TIMED_MATCHED_SENDS_H

/*
 * Schedules in time for collectives in which every node wants every chunk: what is sent next, and from where, is decided
 * when links become free, by matching receivers to senders. docs/concepts/schedules-in-time.md.
 */

#include "synth/timed/timed_sends.h"

#include <stdbool.h>
#include <stdint.h>

/* Rates for struct matched_style that give different regions, at most N, the last of them 0. Returns how many. */
int matched_rates(const struct fabric *f, double *into, int n);

/* What the decisions go by. */
struct matched_style {
	/* Routes of at least this rate, in bytes per µs, join regions: a chunk enters each once. 0: there is one region. */
	double fast;
	bool is_patient; /* leave routes idle that are slower than waiting for others to bring all that is lacking */
	uint64_t seed; /* equal choices are made at random */
};

/* Is every chunk of K wanted wherever it is not? */
bool matched_sends_serves(const struct collective *k, int nodes, int chunks);

/*
 * Schedules K, scaled to C = CHUNKS, in messages of BYTES each, and sets *MICROSECONDS to how long that takes with the
 * sharing "order". False with *e set, and nothing to free: a node cannot be reached (ERROR_INPUT), or there are too many
 * chunks (ERROR_LIMIT).
 */
bool matched_sends_new(const struct fabric *f, const struct collective *k, int chunks, double bytes, const struct matched_style *style,
		       struct timed_sends *out, double *microseconds, struct error *e);

#endif
