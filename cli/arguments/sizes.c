/* Reads sizes in bytes: single values, ranges of powers of two, and lists. */

#include "cli/arguments/sizes.h"

#include "cli/arguments/options.h"

#include "core/base/memory.h"
#include "core/base/text.h"

#include <string.h>

enum { MOST = 40 }; /* the largest size is 2^MOST bytes */

/* Reads the first N characters of TEXT, such as "16M". False: not a size, or out of range. */
static bool read_bytes(const char *text, size_t n, int64_t *out)
{
	static const char letters[] = "KMG";
	char digits[16] = "";
	const char *letter = n > 1 ? strchr(letters, text[n - 1]) : NULL;

	n -= letter != NULL;
	if (n >= sizeof digits)
		return false;
	memcpy(digits, text, n);
	if (!parse_integer(digits, 1, 1 << 30, out))
		return false;
	*out <<= letter ? 10 * (letter - letters + 1) : 0;
	return *out <= (int64_t)1 << MOST;
}

bool option_bytes(const struct option_row *r, const char *s, void *field, struct error *e)
{
	return read_bytes(s, strlen(s), field) || option_refuse(r, e, "must be bytes as in 64K, not \"%.64s\"", s);
}

bool sizes_range(const char *text, int64_t **sizes, size_t *n, struct error *e)
{
	const char *colon = strchr(text, ':');
	int64_t from = 0, to = 0;

	if (!colon || !read_bytes(text, (size_t)(colon - text), &from) || !read_bytes(colon + 1, strlen(colon + 1), &to))
		return error_set(e, ERROR_INPUT, "--sizes", "must be a range of bytes as in 64:16M, not \"%.64s\"", text);
	*sizes = new_array(int64_t, MOST + 1);
	*n = 0;
	for (int64_t size = 1; size <= to; size *= 2)
		if (size >= from)
			(*sizes)[(*n)++] = size;
	return *n > 0 || error_set(e, ERROR_INPUT, "--sizes", "\"%.64s\" contains no power of two", text);
}

bool sizes_read(const char *text, int64_t **sizes, size_t *n, struct error *e)
{
	size_t capacity = 0;

	if (strchr(text, ':'))
		return sizes_range(text, sizes, n, e);
	*n = 0;
	for (const char *s = text;; s++) {
		size_t length = strcspn(s, ",");
		*sizes = grown(*sizes, &capacity, *n + 1, sizeof **sizes);
		if (!read_bytes(s, length, &(*sizes)[*n]) || (*n && (*sizes)[*n] <= (*sizes)[*n - 1]))
			return error_set(e, ERROR_INPUT, "--sizes", "must be a range of bytes as in 64:16M, or an ascending list as in 1K,96000K, not \"%.64s\"", text);
		++*n;
		s += length;
		if (!*s)
			return true;
	}
}
