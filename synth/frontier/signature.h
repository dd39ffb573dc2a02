#ifndef SCCL_SYNTH_FRONTIER_SIGNATURE_H
#define SCCL_SYNTH_FRONTIER_SIGNATURE_H

/*
 * Signatures of what commands of this user found out and cannot check again in less time: a file that bears one was written by
 * a command of the same user and version. The key is a file that this user alone can read: signing.key in the folder for state,
 * $XDG_STATE_HOME/sccl-synth or ~/.local/state/sccl-synth.
 */

#include <stdbool.h>
#include <stddef.h>

struct text;

struct signing_key {
	bool known; /* else nothing can be signed, and no signature is right */
	unsigned char bytes[32];
};

/* The folder for state; false, and nothing added: this user has none. */
bool signing_folder(struct text *path);

/* Makes the key where there is none. Not known: there is no place for it, or others could have read it. */
struct signing_key signing_key_open(void);

/* ABOUT says what kind of text this is, and what it belongs to. False, and an empty HEX: the key is not known. */
bool signature_of(const struct signing_key *key, const char *about, const char *text, size_t n, char hex[65]);

#endif
