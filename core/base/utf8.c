/*
 * One row per length: the leading byte's mask and pattern, and the least code point of that length, below which the
 * form is overlong (RFC 3629).
 */

#include "core/base/utf8.h"

int utf8_read(const char *s, uint32_t *letter)
{
	static const struct { uint32_t mask, lead, least; } forms[] = {{0x80, 0, 1}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
	const unsigned char *b = (const unsigned char *)s;

	for (int more = 0; more < 4; more++) {
		if ((b[0] & forms[more].mask) != forms[more].lead)
			continue;
		*letter = b[0] & ~forms[more].mask;
		for (int i = 1; i <= more; i++) {
			if ((b[i] & 0xc0) != 0x80)
				return 0;
			*letter = *letter << 6 | (b[i] & 0x3f);
		}
		bool is_none = *letter < forms[more].least || *letter > 0x10ffff || (*letter >= 0xd800 && *letter < 0xe000);
		return is_none ? 0 : more + 1;
	}
	return 0;
}

bool utf8_is_control(uint32_t letter)
{
	return letter < 0x20 || (letter >= 0x7f && letter < 0xa0);
}

void utf8_make_plain(char *s)
{
	uint32_t letter;

	for (int n; *s; s += n ? n : 1) {
		n = utf8_read(s, &letter);
		for (int i = 0; i == 0 || i < n; i++)
			if (!n || utf8_is_control(letter))
				s[i] = '?';
	}
}
