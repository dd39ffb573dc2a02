#ifndef SCCL_SYNTH_FRONTIER_SIGNATURE_H
#define SCCL_SYNTH_FRONTIER_SIGNATURE_H

/*
 * Signatures of results that would take as long to check as to find: text with a valid one was written by a command of
 * the same user and version. The key is in a file that only this user can read: signing.key in the state folder,
 * $XDG_STATE_HOME/sccl-synth or ~/.local/state/sccl-synth.
 */

#include <stdbool.h>
#include <stddef.h>

struct text;

struct signing_key {
	bool known; /* if not, nothing can be signed, and no signature is valid */
	unsigned char bytes[32];
};

/* Appends the state folder's path to an empty PATH; false, and nothing appended: this user has none. */
bool signing_folder(struct text *path);

/* Reads the key, and creates it if there is none. Not known: there is no place for it, or others could have read it. */
struct signing_key signing_key_open(void);

/* Signs the N bytes of TEXT. ABOUT identifies the kind of text and what it belongs to, and is signed with it. HEX
 * gets 64 hexadecimal digits and a NUL. False, and an empty HEX: the key is not known. */
bool signature_of(const struct signing_key *key, const char *about, const char *text, size_t n, char hex[65]);

#endif
