#ifndef SCCL_SYNTH_TIMED_LIST_SCHEDULE_H
#define SCCL_SYNTH_TIMED_LIST_SCHEDULE_H

/*
 * Schedules in time: for inputs of a given size, which route each chunk takes, and in which order each pair of nodes
 * sends. They are algorithms like all others, but made to be played by dataflow. docs/concepts/schedules-in-time.md.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct algorithm;
struct error;
struct problem;
struct simulation;

/* For which inputs, on links of which speed. Everything is borrowed. */
struct timed_question {
	size_t n;
	const int64_t *sizes; /* bytes of one rank's input, ascending */
	double share;         /* the input is this part of them: of the allgather of an allreduce, 1 / P */
	const struct simulation *how; /* with START_DATAFLOW */
	const double *floor;  /* [n]: no algorithm takes fewer µs: one that is as fast ends the search. NULL: not known */
};

/*
 * The fastest algorithm for P that is found for size number I, with at most MAX_CHUNKS chunks (0: any number), verified;
 * the caller frees it. Tries ascending numbers of chunks as long as they help and core/base/stop.h leaves time; where more
 * of it might find a faster one, sets *IS_CUT, which otherwise stays as it is. NULL with *e set: the collective is not served (ERROR_INPUT), nothing was found in time or it is too large (ERROR_LIMIT).
 */
struct algorithm *timed_schedule(const struct problem *p, const struct timed_question *q, size_t i, int max_chunks,
				 bool *is_cut, struct error *e);

/*
 * A, scheduled for the asked collective of P, as an algorithm of P, verified; A is freed. NULL with *e set: nothing is sent, or a
 * fault. NULL stays NULL.
 */
struct algorithm *timed_judged(const struct problem *p, struct algorithm *a, struct error *e);

#endif
