#ifndef SCCL_SYNTH_JOURNAL_KEY_H
#define SCCL_SYNTH_JOURNAL_KEY_H

/*
 * The signature of a journal's lines. A refusal cannot be checked without searching again, so --resume believes only those
 * that a walk of the same user and version wrote. The key is a file that this user alone can read:
 * $XDG_STATE_HOME/sccl-synth/journal.key, or ~/.local/state/sccl-synth/journal.key.
 */

#include <stdbool.h>
#include <stddef.h>

struct journal_key {
	bool known; /* else nothing can be signed, and no signature is right */
	unsigned char bytes[32];
};

/* Makes the key where there is none. Not known: there is no place for it, or others could have read it. */
struct journal_key journal_key_open(void);

/* HEADER is the journal's first line. False, and an empty HEX: the key is not known. */
bool journal_sign(const struct journal_key *key, const char *header, const char *line, size_t n, char hex[65]);

#endif
