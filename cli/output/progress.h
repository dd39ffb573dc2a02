#ifndef SCCL_CLI_OUTPUT_PROGRESS_H
#define SCCL_CLI_OUTPUT_PROGRESS_H

/* A progress line on a terminal that overwrites itself. Prints nothing if standard error is a pipe or a file. */

#include "synth/frontier/pareto.h"

/* The state of a progress line. */
struct progress {
	bool drawn;
	const char *subject; /* "dgx1 allgather"; borrowed */
	double begun;        /* of progress_doing, by clock_seconds; 0: not yet */
};

/* A callback for pareto_options.progress, with a struct progress as its context; NULL if standard error is not a
 * terminal. */
void (*progress_callback(void))(void *context, const struct pareto_news *news);
/* Shows "SUBJECT: WHAT, 12 s", with the seconds since the first call, for struct progress as CONTEXT. */
void progress_doing(void *context, const char *what);
/* Shows LINE, for phases that do not report progress themselves. No effect if standard error is not a terminal. */
void progress_show(struct progress *p, const char *line);
/* Prints LINE, which stays, above the progress line; likewise. */
void progress_print(struct progress *p, const char *line);
/* Erases the line, if there is one. */
void progress_clear(struct progress *p);

#endif
