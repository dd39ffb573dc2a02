#ifndef SCCL_CORE_BASE_PROCESS_H
#define SCCL_CORE_BASE_PROCESS_H

/*
 * A worker: a fork of this process that does one piece of work and sends bytes back through a pipe. A crash, a limit or the end
 * of its parent ends it and nothing else. Its standard output and error go nowhere: what is printed is the parent's to say.
 */

#include "core/base/text.h"

#include <sys/types.h>

struct error;

struct process_limits {
	double seconds;   /* of wall time; 0: none */
	size_t mebibytes; /* of address space over that of the start; 0: none */
	size_t bytes;     /* that it may send; 0: none */
};

struct worker {
	pid_t id;
	int pipe;          /* -1: at its end */
	struct text bytes; /* what came so far; owned */
	double deadline;   /* of clock_seconds; 0: none */
	size_t most;       /* bytes; 0: any number */
	bool late, wordy;  /* it was killed at its deadline, or as it sent too much */
};

/* How a worker ended. */
struct process_end {
	int status;      /* as wait gives it */
	double seconds;  /* CPU time */
	size_t peak_kib; /* its largest resident set */
};

/*
 * WORK runs in the worker, with WHAT as it is now, and sends bytes to FILE by process_send; what it returns is the exit status.
 * False with *e set: a fault of the system. Else process_end or process_kill must follow.
 */
bool process_start(struct worker *p, int (*work)(const void *what, int file), const void *what, struct process_limits limits,
		   struct error *e);
/* In a worker. Ends it where nobody listens. */
void process_send(int file, const void *bytes, size_t n);

/* The index of a worker that is at its end or was killed, or -1 after MILLISECONDS (negative: never) or on a signal (EINTR). Takes
 * in what they send, and holds them to their limits. */
int process_wait(struct worker *const *all, size_t n, int milliseconds);

/* Waits for its end. The bytes stay, for the caller to free. */
struct process_end process_finish(struct worker *p);
void process_kill(struct worker *p); /* at once; the bytes go */

#endif
