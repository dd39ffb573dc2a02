#ifndef SCCL_CLI_COMMANDS_REPLAY_H
#define SCCL_CLI_COMMANDS_REPLAY_H

/* The proofs beside a frontier of the catalog, for atlas_question.shown: nothing that it says was refuted is believed without them. */

#include <stdbool.h>
#include <stddef.h>

struct frontier;

/*
 * Checks the proofs of the frontier F, which was read from PATH, as `verify --proofs` does, unless a command of this user has done
 * so before (cli/commands/vouched.h): traces that are kept are replayed, what has none is asked of a solver again, for up to TIMEOUT seconds
 * each (0: no limit) and half of what is left until the deadline (core/base/stop.h). LINE says what was done, or what is wrong.
 */
bool replay_proofs(const char *path, const struct frontier *f, double timeout, char *line, size_t size);

/* For atlas_question.doubt: one line on standard error. */
void replay_doubt(const char *path, const char *why);

#endif
