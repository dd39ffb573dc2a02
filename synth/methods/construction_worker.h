#ifndef SCCL_SYNTH_METHODS_CONSTRUCTION_WORKER_H
#define SCCL_SYNTH_METHODS_CONSTRUCTION_WORKER_H

/* The process in which constructions.c runs an attempt, and the records that it sends. */

#include "synth/methods/attempts.h"

struct construction_measure;
struct kept;

/*
 * What precedes the bytes of the method's name, the values of the measure, if there is one, and the bytes of the
 * algorithm's text. The last record ends the attempt, and has a struct error in their place.
 */
enum { RECORD_ALGORITHM, RECORD_END, RECORD_END_FOR_LACK_OF_TIME };
struct record {
	int what;
	struct candidate cost;
	size_t name, text;
};

/* What is to be run. Everything is borrowed. */
struct construction_work {
	const struct attempt *attempt;
	const struct attempt_subject *subject;
	const struct construction_measure *measure; /* NULL: none */
	const struct kept *kept;                    /* by attempts that have ended */
	double seconds;
	double enough; /* more chunks help if they lower a value by this part */
};

/* Runs the attempt WHAT, a struct construction_work, and sends its records to FILE: for process_start. Returns 0. */
int construction_work(const void *what, int file);

#endif
