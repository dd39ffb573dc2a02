#ifndef SCCL_CLI_OUTPUT_PROGRESS_H
#define SCCL_CLI_OUTPUT_PROGRESS_H

/* One line on a terminal, drawn over itself; nothing into a pipe or a file. */

#include "synth/frontier/pareto.h"

struct progress {
	bool drawn;
	const char *subject; /* "dgx1 allgather" */
};

/* A pareto_options.tell, with a struct progress for its context; NULL where standard error is no terminal. */
void (*progress_teller(void))(void *context, const struct pareto_news *news);
/* One line for what has no news of its own; nothing where standard error is no terminal. */
void progress_say(struct progress *p, const char *line);
void progress_clear(struct progress *p);

#endif
