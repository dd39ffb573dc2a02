#ifndef SCCL_CORE_BASE_TEXT_H
#define SCCL_CORE_BASE_TEXT_H

/* Text that grows, numbers out of text, and names made safe for generated code. */

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
	char *bytes; /* always ends in NUL once something was added */
	size_t length, capacity;
};

void text_add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_list(struct text *t, const char *format, va_list ap) __attribute__((format(printf, 2, 0)));
void text_add_bytes(struct text *t, const void *bytes, size_t n);
void text_add_plain(struct text *t, const char *s); /* in one line, without controls: utf8_make_plain */
void text_add_json_string(struct text *t, const char *s); /* with quotes, escaped; what is no UTF-8 becomes U+FFFD */
void text_add_xml(struct text *t, const char *s); /* escaped; control characters, and what is no UTF-8, become blanks */
char *text_take(struct text *t);                          /* the caller frees; *t is empty again */
void text_free(struct text *t);

/* What a word takes of so many: "s", and of one nothing. */
const char *plural(int64_t n);
/* And what a verb takes, which has it the other way round. */
const char *plural_verb(int64_t n);

/* The whole of S as a decimal integer in [low, high]; no blanks, no plus sign. */
bool parse_integer(const char *s, int64_t low, int64_t high, int64_t *out);

/*
 * The one way for a name from a file to reach generated code, a file name or a symbol:
 * letters, digits and underscores stay, all else becomes '_', a digit never comes first.
 */
char *identifier(const char *name);

#endif
