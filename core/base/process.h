#ifndef SCCL_CORE_BASE_PROCESS_H
#define SCCL_CORE_BASE_PROCESS_H

/*
 * A worker: a fork of this process that does one piece of work and sends bytes back through a pipe. A crash or an
 * exceeded limit ends only the worker; when its parent ends, so does the worker. Its standard output and error are
 * discarded: only the parent prints.
 */

#include "core/base/text.h"

#include <sys/types.h>

struct error;

struct process_limits {
	double seconds;   /* wall time; 0: unlimited */
	double cpu;       /* seconds of CPU time, of the worker alone; 0: unlimited */
	size_t mebibytes; /* address space beyond that in use at the start; 0: unlimited */
	size_t bytes;     /* that it may send; 0: unlimited */
};

struct worker {
	pid_t id;
	int pipe;          /* -1: closed; the worker has ended or was killed */
	struct text bytes; /* received so far; owned */
	double deadline;   /* in clock_seconds; 0: none */
	double cpu;        /* seconds of CPU time; 0: unlimited */
	size_t most;       /* bytes; 0: unlimited */
	bool late, wordy;  /* killed at its deadline or for its CPU time; killed because it sent too much */
};

/* How a worker ended. */
struct process_end {
	int status;      /* as returned by wait(2) */
	double seconds;  /* CPU time */
	size_t peak_kib; /* maximum resident set size */
};

/*
 * Starts a worker that runs WORK on a snapshot of WHAT. WORK sends its result to FILE with process_send and returns the
 * exit status. False with *e set (ERROR_SYSTEM) if that fails; otherwise the caller must call process_finish or
 * process_kill.
 */
bool process_start(struct worker *p, int (*work)(const void *what, int file), const void *what, struct process_limits limits,
		   struct error *e);
/* In a worker: sends N bytes to the parent; ends the worker if no one reads them. */
void process_send(int file, const void *bytes, size_t n);

/*
 * Receives what the N workers send and enforces their limits until one of them has ended or was killed; returns its
 * index. -1 after MILLISECONDS (negative: no timeout), on a signal (EINTR), or if N is 0.
 */
int process_wait(struct worker *const *all, size_t n, int milliseconds);

/* Waits for the worker to end. The received bytes remain, for the caller to free. */
struct process_end process_finish(struct worker *p);
void process_kill(struct worker *p); /* kills it, waits for it, and frees the received bytes */

int process_processors(void); /* how many processors this process may use */
/* An integer, 0, that this process shares with the workers that it starts from now on. NULL with *e set: the system has no page for it. */
volatile int *process_share(struct error *e);
void process_unshare(volatile int *shared); /* NULL is fine */

#endif
