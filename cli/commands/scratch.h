#ifndef SCCL_CLI_COMMANDS_SCRATCH_H
#define SCCL_CLI_COMMANDS_SCRATCH_H

/*
 * A folder of our own for what is made on the way, which is gone when we are, however we end: it belongs to a keeper, a
 * process in a session of its own that outlives even a SIGKILL of us and of our whole process group. The keeper also ends
 * the command that we were running.
 */

#include "core/base/error.h"

#include <stdbool.h>
#include <sys/types.h>

struct scratch {
	char *dir;
	int line; /* to the keeper; it ends with us */
	pid_t keeper;
};

/* False with *e set. To be given back with scratch_remove. */
bool scratch_make(struct scratch *s, struct error *e);
void scratch_remove(struct scratch *s);

/* In a child, before it starts anything: its process group, whose leader it is, ends with us. */
bool scratch_enter(const struct scratch *s);
/* That group has come to its end. Its number must not be free for others yet: the leader is not waited for before. */
void scratch_left(const struct scratch *s);

#endif
