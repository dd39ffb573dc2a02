/* Expands braces recursively, the first pair first; every choice is substituted and the result expanded again. */

#include "explore/sweep.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

/* A pattern split at its first pair of braces. */
struct braces {
	const char *pattern, *open, *close; /* open at the '{', close at its '}' */
};

static bool add_name(struct sweep *s, const char *name, struct error *e)
{
	if (s->n == SWEEP_MOST)
		return error_set(e, ERROR_INPUT, "-t", "expands to more than %d machines", SWEEP_MOST);
	s->names = grown(s->names, &s->capacity, s->n + 1, sizeof *s->names);
	s->names[s->n++] = copy_string(name);
	return true;
}

/* The '}' that matches the '{' at OPEN; NULL: there is none. */
static const char *matching(const char *open)
{
	int depth = 0;

	for (const char *c = open; *c; c++) {
		depth += (*c == '{') - (*c == '}');
		if (depth == 0)
			return c;
	}
	return NULL;
}

static bool add_choice(struct sweep *s, const struct braces *b, const char *choice, size_t length, struct error *e)
{
	struct text name = {0};

	text_add(&name, "%.*s%.*s%s", (int)(b->open - b->pattern), b->pattern, (int)length, choice, b->close + 1);
	bool ok = sweep_add(s, name.bytes ? name.bytes : "", e);
	text_free(&name);
	return ok;
}

/* The end of the list item that begins at S: a comma at this nesting level, or the closing brace. */
static const char *item_end(const char *s, const char *close)
{
	int depth = 0;

	for (; s < close; s++) {
		if (*s == ',' && depth == 0)
			break;
		depth += (*s == '{') - (*s == '}');
	}
	return s;
}

/* Reads "4..8" or "4..64..4" into NUMBERS and returns how many there are; 0: not a range. */
static size_t read_range(const struct braces *b, int64_t numbers[3])
{
	char inside[64] = "";
	size_t length = (size_t)(b->close - b->open) - 1, n = 0;

	if (length >= sizeof inside)
		return 0;
	memcpy(inside, b->open + 1, length);
	for (char *s = inside, *next; s; s = next) {
		next = strstr(s, "..");
		if (next) {
			*next = '\0';
			next += 2;
		}
		if (n == 3 || !parse_integer(s, 0, INT32_MAX, &numbers[n++]))
			return 0;
	}
	return n > 1 ? n : 0;
}

static bool add_range(struct sweep *s, const struct braces *b, const int64_t numbers[3], size_t n, struct error *e)
{
	int64_t by = n == 3 ? numbers[2] : 1;

	if (by == 0)
		return error_set(e, ERROR_INPUT, "-t", "\"%.*s\" has a step of 0", (int)(b->close - b->open + 1), b->open);
	bool down = numbers[1] < numbers[0];
	for (int64_t i = numbers[0]; down ? i >= numbers[1] : i <= numbers[1]; i += down ? -by : by) {
		struct text number = {0};
		text_add(&number, "%lld", (long long)i);
		bool ok = add_choice(s, b, number.bytes, number.length, e);
		text_free(&number);
		if (!ok)
			return false;
	}
	return true;
}

static bool add_list(struct sweep *s, const struct braces *b, struct error *e)
{
	if (item_end(b->open + 1, b->close) == b->close)
		return error_set(e, ERROR_INPUT, "-t", "\"%.*s\" is neither a range as {4..8} nor a list as {4,6,8}",
				 (int)(b->close - b->open < 64 ? b->close - b->open + 1 : 64), b->open);
	for (const char *item = b->open + 1;; item++) {
		const char *end = item_end(item, b->close);
		if (!add_choice(s, b, item, (size_t)(end - item), e))
			return false;
		if (end == b->close)
			return true;
		item = end;
	}
}

bool sweep_add(struct sweep *s, const char *pattern, struct error *e)
{
	struct braces b = {pattern, strchr(pattern, '{'), NULL};
	int64_t numbers[3] = {0};

	if (strlen(pattern) > SWEEP_CHARACTERS)
		return error_set(e, ERROR_INPUT, "-t", "\"%.64s...\" has more than %d characters", pattern, SWEEP_CHARACTERS);
	if (!b.open && !strchr(pattern, '}'))
		return add_name(s, pattern, e);
	b.close = b.open ? matching(b.open) : NULL;
	if (!b.close)
		return error_set(e, ERROR_INPUT, "-t", "the braces of \"%.64s\" do not match", pattern);
	size_t n = read_range(&b, numbers);
	return n ? add_range(s, &b, numbers, n, e) : add_list(s, &b, e);
}

void sweep_free(struct sweep *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->names[i]);
	free(s->names);
	*s = (struct sweep){0};
}
