#ifndef SCCL_CLI_COMMANDS_REPLAY_H
#define SCCL_CLI_COMMANDS_REPLAY_H

/* Checks the proofs of a frontier of the catalog, for atlas_question.shown: without them, its refutations are not
 * trusted. */

#include <stdbool.h>
#include <stddef.h>

struct frontier;

/*
 * Checks the proofs of frontier F, which was read from PATH, as `verify --proofs` does, unless a command of this user
 * has done so before (cli/commands/checked_proofs.h). Stored traces are replayed. Refutations without one are solved again,
 * for up to TIMEOUT seconds each (0: no limit) and up to half of the time until the deadline (core/base/stop.h). LINE
 * reports how they were checked, or what is wrong.
 */
bool replay_proofs(const char *path, const struct frontier *f, double timeout, char *line, size_t size);

/* For atlas_question.doubt: reports a file that is not used, in one line on standard error. */
void replay_doubt(const char *path, const char *why);

#endif
