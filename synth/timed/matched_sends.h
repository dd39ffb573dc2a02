#ifndef SCCL_SYNTH_TIMED_MATCHED_SENDS_H
#define SCCL_SYNTH_TIMED_MATCHED_SENDS_H

/*
 * Schedules in time of collectives in which every node wants every chunk: what is sent next, and from where, is decided
 * when links are free, by matching receivers to senders. docs/concepts/schedules-in-time.md.
 */

#include "synth/timed/timed_sends.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Contrasts of different regions for struct matched_style, at most N: where the rates of routes have gaps, the least first; and
 * 0. Returns how many.
 */
int matched_contrasts(const struct fabric *f, double *into, int n);

/* What the decisions go by. */
struct matched_style {
	/*
	 * Routes that are slower than the fastest by more than this factor divide the machine into regions: a chunk enters
	 * each once. 0: there are none.
	 */
	double contrast;
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
