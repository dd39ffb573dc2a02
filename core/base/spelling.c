/*
 * The distance is the number of letters added, left out, replaced or exchanged with their neighbour (the optimal string
 * alignment distance), regardless of case. Long words may have a few more of these than short ones.
 */

#include "core/base/spelling.h"

#include <ctype.h>
#include <string.h>

enum { LENGTH_MAX = 64, EDITS_MAX = 3, NAMES_MAX = 3 };

static size_t least_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Both have at most LENGTH_MAX letters. Row i of the table: the first i letters of A; only three rows are kept. */
static size_t distance(const char *a, const char *b)
{
	size_t rows[3][LENGTH_MAX + 1], n = strlen(b);

	for (size_t k = 0; k <= n; k++)
		rows[0][k] = k;
	for (size_t i = 1; i <= strlen(a); i++) {
		size_t *now = rows[i % 3], *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
		now[0] = i;
		for (size_t k = 1; k <= n; k++) {
			now[k] = least_of(before[k - 1] + !same_letter(a[i - 1], b[k - 1]), least_of(before[k], now[k - 1]) + 1);
			if (i > 1 && k > 1 && same_letter(a[i - 1], b[k - 2]) && same_letter(a[i - 2], b[k - 1]))
				now[k] = least_of(now[k], earlier[k - 2] + 1);
		}
	}
	return rows[strlen(a) % 3][n];
}

struct spelling spelling_new(const char *word)
{
	size_t allowed = least_of((strlen(word) + 3) / 4, EDITS_MAX);
	return (struct spelling){.word = word, .least = allowed};
}

/* Is NAME among those that are kept? */
static bool is_kept(const struct spelling *s, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = s->n ? strstr(s->names.bytes, name) : NULL; at; at = strstr(at + 1, name))
		if ((at == s->names.bytes || at[-1] == ' ') && (at[length] == '\0' || at[length] == ' '))
			return true;
	return false;
}

void spelling_try(struct spelling *s, const char *name)
{
	if (!*s->word || strlen(s->word) > LENGTH_MAX || strlen(name) > LENGTH_MAX)
		return;
	size_t edits = distance(s->word, name);
	if (edits > s->least || (edits == s->least && (s->n == NAMES_MAX || is_kept(s, name))))
		return;
	if (edits < s->least) {
		s->names.length = 0;
		s->n = 0;
	}
	s->least = edits;
	text_add(&s->names, "%s%s", s->n++ ? " or " : "", name);
}

const char *spelling_hint(struct spelling *s)
{
	if (!s->n)
		return "";
	s->hint.length = 0;
	text_add(&s->hint, "did you mean %s?", s->names.bytes);
	return s->hint.bytes;
}

void spelling_free(struct spelling *s)
{
	text_free(&s->names);
	text_free(&s->hint);
}
