#ifndef SCCL_CLI_COMMANDS_VOUCHED_H
#define SCCL_CLI_COMMANDS_VOUCHED_H

/*
 * Proofs that were checked before: where traces are not kept, checking takes as long as the search did. A proof that holds is
 * noted in the user's folder for state, by a signature (synth/frontier/signature.h) of its content, which nobody else can forge.
 */

#include <stdbool.h>

struct proof;

/* Did a command of this user and version check a proof of just this content, and did it hold? */
bool vouched_before(const struct proof *p);

/* P holds. Where it cannot be noted it is checked again next time. */
void vouched_note(const struct proof *p);

#endif
