#ifndef SCCL_RUNTIME_CORE_UTF8_H
#define SCCL_RUNTIME_CORE_UTF8_H

/* Texts from outside: names of files and programs, the environment, other ranks. A counterpart of core/base/utf8.h, on
 * which the runtime does not depend. */

/* Number of bytes of the UTF-8 code point at the start of S; 0 if S starts with an invalid sequence. */
int sccli_letter_bytes(const char *s);

/* Sanitizes S in place so that it is one line safe to print on any terminal: bytes of control characters and of invalid
 * UTF-8 become '?'. Every text that the runtime prints or returns passes through here. */
void sccli_letters_plain(char *s);

#endif
