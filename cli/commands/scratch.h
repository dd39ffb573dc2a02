#ifndef SCCL_CLI_COMMANDS_SCRATCH_H
#define SCCL_CLI_COMMANDS_SCRATCH_H

/*
 * A private temporary folder that is removed when this process ends, in whatever way. It belongs to a keeper, a process
 * in a session of its own that survives even a SIGKILL of this process and of its whole process group. The keeper also
 * kills the command that was running.
 */

#include "core/base/error.h"

#include <stdbool.h>
#include <sys/types.h>

struct scratch {
	char *dir; /* path of the folder; owned */
	int line;  /* socket to the keeper; it closes when this process ends */
	pid_t keeper;
};

/* Creates the folder and its keeper. False with *e set and nothing to remove. The caller removes it with
 * scratch_remove. */
bool scratch_make(struct scratch *s, struct error *e);
void scratch_remove(struct scratch *s);

/* In a child, before it starts anything: makes it the leader of a process group that ends with this process. False:
 * errno is set. */
bool scratch_enter(const struct scratch *s);
/* That group has ended. Must be called before the leader is reaped, so that its number cannot have been reused. */
void scratch_left(const struct scratch *s);

#endif
