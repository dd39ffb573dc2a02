#ifndef SCCL_CLI_COMMANDS_SO_FAR_H
#define SCCL_CLI_COMMANDS_SO_FAR_H

/* What a frontier search has found so far, for its command to report if the time limit or an interrupt ends it. */

#include "cli/output/command.h"

#include "core/base/text.h"
#include "core/machine/topology.h"
#include "core/schedule/collective.h"

struct frontier;

struct so_far {
	const struct topology *topology;
	const struct collective *collective;
	const char *out;    /* the folder of -o; NULL: none */
	bool json;          /* the output is JSON, not tables */
	bool keeps_journal;
	double seconds;     /* the limit as the user gave it */
	enum status status; /* if the limit ends the command and there are points */
	struct text tables[2]; /* of the composed allreduces, and of all other algorithms; owned */
};

/* Before the search: nothing is found yet. The strings and the machine are borrowed until so_far_end. */
void so_far_begin(struct so_far *s);
/* For pareto_options.found, with the struct as its context: prepares the texts for deadline_answer and
 * interrupts_say. */
void so_far_take(void *so_far, const struct frontier *f);
void so_far_end(struct so_far *s);

#endif
