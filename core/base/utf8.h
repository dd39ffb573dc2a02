#ifndef SCCL_CORE_BASE_UTF8_H
#define SCCL_CORE_BASE_UTF8_H

/* UTF-8 decoding. File names may be arbitrary bytes, but what is printed of them must be text. */

#include <stdbool.h>
#include <stdint.h>

/*
 * Decodes the character at the start of S: returns its length in bytes, with its code point in *LETTER. 0: S starts
 * with invalid UTF-8 (overlong forms and surrogates included), or is empty; *LETTER is then meaningless.
 */
int utf8_read(const char *s, uint32_t *letter);

/* Is the code point a control character (C0, DEL or C1), such as a line end or the start of a terminal command? */
bool utf8_is_control(uint32_t letter);

/*
 * Turns S, in place, into one line that any terminal prints as is: every byte of a control character or of invalid
 * UTF-8 becomes '?'.
 */
void utf8_make_plain(char *s);

#endif
