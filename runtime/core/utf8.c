/*
 * A strict UTF-8 decoder: overlong encodings, surrogates and code points beyond U+10FFFF are rejected.
 */
#include "runtime/core/utf8.h"

#include <stdbool.h>
#include <stdint.h>

/* Decodes the code point at the start of S. Returns the number of bytes it takes; 0 if it is not valid UTF-8. */
static int read_letter(const char *s, uint32_t *letter)
{
	static const uint32_t least[] = {1, 0x80, 0x800, 0x10000};
	const unsigned char *c = (const unsigned char *)s;
	int more = *c < 0x80 ? 0 : *c < 0xc0 ? -1 : *c < 0xe0 ? 1 : *c < 0xf0 ? 2 : *c < 0xf8 ? 3 : -1;

	*letter = more > 0 ? *c & (0x3fu >> more) : *c;
	for (int i = 1; i <= more; i++) {
		if ((c[i] & 0xc0) != 0x80)
			return 0;
		*letter = *letter << 6 | (c[i] & 0x3f);
	}
	bool is_none = more < 0 || *letter < least[more] || *letter > 0x10ffff || (*letter >= 0xd800 && *letter < 0xe000);
	return is_none ? 0 : more + 1;
}

int sccli_letter_bytes(const char *s)
{
	uint32_t letter;
	return read_letter(s, &letter);
}

void sccli_letters_plain(char *s)
{
	uint32_t letter;

	for (int n; *s; s += n ? n : 1) {
		n = read_letter(s, &letter);
		bool is_control = letter < 0x20 || (letter >= 0x7f && letter < 0xa0);
		for (int i = 0; i == 0 || i < n; i++)
			if (!n || is_control)
				s[i] = '?';
	}
}
