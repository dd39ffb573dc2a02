#ifndef SCCL_CORE_BASE_UTF8_H
#define SCCL_CORE_BASE_UTF8_H

/* Letters of UTF-8. Names of files may be any bytes, and what is printed of them must be text. */

#include <stdbool.h>
#include <stdint.h>

/* How many bytes the letter takes that S begins with; 0: what stands there is none, or S is at its end. */
int utf8_read(const char *s, uint32_t *letter);

/* Line ends, and what terminals take for commands. */
bool utf8_is_control(uint32_t letter);

/* Makes S one line that any terminal prints as it stands: bytes of control characters, and what is no letter, become '?'. */
void utf8_make_plain(char *s);

#endif
