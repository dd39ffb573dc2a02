#ifndef SCCL_CLI_COMMANDS_CHECKED_PROOFS_H
#define SCCL_CLI_COMMANDS_CHECKED_PROOFS_H

/*
 * Remembers proofs that were checked: if traces are not stored, checking takes as long as the search did. A proof that
 * holds is recorded in the user's state folder by a signature of its content (synth/frontier/signature.h), which no
 * other user can forge.
 */

#include <stdbool.h>

struct proof;

/* Has a command of this user and version checked a proof with exactly this content, and did it hold? */
bool checked_proofs_has(const struct proof *p);

/* Records that P holds. If that fails, P will be checked again next time. */
void checked_proofs_add(const struct proof *p);

#endif
