#ifndef SCCL_SYNTH_METHODS_CONSTRUCTION_RUN_H
#define SCCL_SYNTH_METHODS_CONSTRUCTION_RUN_H

/*
 * The attempts of constructions.c while they run, several at once. What they send is taken in the order in which they were
 * begun, and that of an attempt which would not have been begun, had all before it ended, is dropped: so the result does not
 * depend on how many run at once, but for the time that each gets.
 */

#include "core/base/process.h"
#include "synth/methods/attempts.h"
#include "synth/methods/constructions.h"
#include "synth/methods/kept.h"

/*
 * The order: attempts that are to be first, with few chunks; then all others, and these with more chunks; and then again
 * those of the first that were late. With a measure the others have two turns before, of little time, the first of which is
 * not for more and more chunks, and all that were late have another one afterwards.
 */
enum construction_turn { TURN_FIRST, TURN_SHORT, TURN_LONGER, TURN_OTHERS, TURN_LAST, TURN_AGAIN };

/* What became of an attempt. */
struct attempt_end {
	bool ended;      /* it was begun, and as far as is known had enough time */
	bool has_found;  /* an algorithm, at any time */
	double seconds;  /* the most that it had, or took */
	const char *why; /* it did not end; NULL: it did, or was not begun */
};

/* A worker that runs, or has ended and waits for those before it to be taken. */
struct attempt_in_flight {
	size_t at; /* the attempt */
	double begin, seconds, took; /* clock_seconds when it was begun; what it may take; what it took, once it has ended */
	bool has_ended;
	struct worker worker;
};

struct construction_run {
	const struct constructions_options *options;
	struct attempt_subject subject;
	double least_share;     /* seconds that each attempt may take, however many there are */
	size_t memory;          /* MiB of each worker; 0: no limit */
	struct kept kept;
	size_t n_late;
	enum construction_turn turn;
	struct attempt *all; /* owned, as are the ends */
	struct attempt_end *ends; /* [attempt] */
	size_t n_attempts;
	struct attempt_in_flight *in_flight; /* in the order in which they were begun; owned */
	size_t n_in_flight, in_flight_capacity;
};

void construction_report(const struct construction_run *r, struct construction_try what);
/* Is it one of those that are to be first? */
bool construction_is_first(const struct construction_run *r, const struct attempt *a);
/* How many attempts may run at once now. */
size_t construction_at_once(const struct construction_run *r);
/* Is there nothing left for it to do? What was asked for is there; or it is slow, or there is a measure, and nothing is to be gained. */
bool construction_is_needless(const struct construction_run *r, const struct attempt *a);

/* Begins an attempt, for so many seconds. False with *e set: a fault; nothing runs any more. */
bool construction_begin(struct construction_run *r, size_t at, double seconds, struct error *e);
/* Notes that it got no or not enough time, which is reported in the end unless another turn is enough. */
void construction_note_late(struct construction_run *r, size_t at, const char *why);
size_t construction_running(const struct construction_run *r); /* how many run now */
/* Waits until fewer than FEWER run, and takes what those sent that have ended, and all before them. False as above. */
bool construction_wait(struct construction_run *r, size_t fewer, struct error *e);
void construction_stop(struct construction_run *r); /* ends all that run */

#endif
