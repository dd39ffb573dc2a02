#ifndef SCCL_RUNTIME_CORE_UTF8_H
#define SCCL_RUNTIME_CORE_UTF8_H

/* Texts that come from elsewhere: names of files and programs, the environment, other ranks. As core/base/utf8.h, which the
 * runtime stands apart from. */

/* Bytes of the letter of UTF-8 that S begins with; 0: it begins with none, or is at its end. */
int sccli_letter_bytes(const char *s);

/* Makes S one line that any terminal prints as it stands: bytes of control characters, and what is no UTF-8, become '?'.
 * Every text that the runtime prints or hands to its caller has gone through here. */
void sccli_letters_plain(char *s);

#endif
