#ifndef SCCL_CLI_COMMANDS_CHILDREN_H
#define SCCL_CLI_COMMANDS_CHILDREN_H

/*
 * Work in a child process that leads a process group of its own, which the keeper of the temporary folder (scratch.h)
 * ends if this process dies. Whatever the child starts belongs to that group, unless it makes another one.
 */

#include "cli/commands/scratch.h"

/*
 * Calls WORK in a child, whose temporary files are in the folder of S, and returns the status that WORK returns.
 * STATUS_FAILED: it could not be started (after reporting the error), or a signal ended it. STATUS_INTERRUPTED: this
 * process was interrupted, and the group has been killed.
 */
int child_call(const struct scratch *s, int (*work)(const void *what), const void *what);

/* In a child: becomes the program ARGV[0], searched for in PATH, or reports why not and returns STATUS_FAILED. ARGV ends
 * with NULL. */
int child_become(const char *const *argv);

#endif
