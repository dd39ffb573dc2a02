#include "cli/tune.h"

#include "core/error.h"
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 40 }; /* powers of two, in bytes */

/* "16M", of N letters. False: it is none. */
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

bool times_new(const char *sizes, size_t n_contenders, struct times *t, struct error *e)
{
	const char *colon = strchr(sizes, ':');
	int64_t from = 0, to = 0;

	*t = (struct times){0};
	if (!colon || !read_bytes(sizes, (size_t)(colon - sizes), &from) || !read_bytes(colon + 1, strlen(colon + 1), &to))
		return error_set(e, ERROR_INPUT, "--sizes", "write a range of bytes as in 64:16M, not \"%.64s\"", sizes);
	t->sizes = new_array(int64_t, MOST + 1);
	for (int64_t size = 1; size <= to; size *= 2)
		if (size >= from)
			t->sizes[t->n_sizes++] = size;
	t->at = new_array(double, n_contenders * WAYS * t->n_sizes);
	return t->n_sizes > 0 || error_set(e, ERROR_INPUT, "--sizes", "there is no power of two in \"%.64s\"", sizes);
}

void times_free(struct times *t)
{
	free(t->sizes);
	free(t->at);
	*t = (struct times){0};
}
