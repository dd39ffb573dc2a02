#include "mutation.h"

#include "core/base/text.h"
#include "tests/support/random.h"

#include <ctype.h>
#include <string.h>

static uint64_t state = 1;

void mutation_seed(uint64_t seed)
{
	state = random_start(seed);
}

uint64_t mutation_state(void)
{
	return state;
}

size_t mutation_below(size_t n)
{
	return n ? (size_t)(random_bits(&state) % n) : 0;
}

static const char *const words[] = {
	"-1", "0", "1", "2", "3", "7", "1e9", "2147483648", "9223372036854775808", "1.5", "null", "true", "[]", "{}", "\"\"",
	"\"7/0\"", "\"-1/2\"", "[[[[", "\"x\":", "\\u0000", "\\n", "\xff", "\"kind\"", "\"custom\"", "\"symmetry\"", "\"limits\"",
	",", "]", "}", "16777216", "4096", "1000000", "..", "/",
};

/* The bytes from AT on, N of them, become WORD's. */
static void splice(struct text *t, size_t at, size_t n, const char *word, size_t length)
{
	struct text out = {0};

	text_add_bytes(&out, t->bytes, at);
	text_add_bytes(&out, word, length);
	text_add_bytes(&out, t->bytes + at + n, t->length - at - n);
	text_free(t);
	*t = out;
}

static bool in_word(unsigned char c)
{
	return isalnum(c) || strchr("_-+.", c);
}

/* The whole word or number that AT is in: what is written by people stays in its shape, and is read further. */
static void swap_word(struct text *t, size_t at, const char *word)
{
	size_t end = at;

	while (end < t->length && in_word((unsigned char)t->bytes[end]))
		end++;
	while (at > 0 && in_word((unsigned char)t->bytes[at - 1]))
		at--;
	splice(t, at, end - at, word, strlen(word));
}

static void change(struct text *t)
{
	size_t at = mutation_below(t->length + 1), left = t->length - at;
	size_t n = mutation_below(12) < 9 ? mutation_below(4) : mutation_below(left + 1);
	const char *word = words[mutation_below(sizeof words / sizeof *words)];
	char byte = (char)(mutation_below(95) + 32);

	n = n < left ? n : left;
	switch (mutation_below(6)) {
	case 0:
		splice(t, at, n, "", 0);
		break;
	case 1:
		splice(t, at, left ? 1 : 0, &byte, 1);
		break;
	case 2:
		splice(t, at, 0, t->bytes + at, n);
		break;
	case 3:
		splice(t, at, n, word, strlen(word));
		break;
	default:
		swap_word(t, at, word);
	}
}

void mutate(struct text *t)
{
	for (size_t k = 1 + mutation_below(3); k > 0; k--)
		change(t);
}
