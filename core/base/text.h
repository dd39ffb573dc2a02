#ifndef SCCL_CORE_BASE_TEXT_H
#define SCCL_CORE_BASE_TEXT_H

/* A growing string buffer, integer parsing, and names made safe for generated code. */

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Empty when zeroed; owns its bytes (text_free or text_take). */
struct text {
	char *bytes; /* NUL-terminated as soon as anything was added; NULL before */
	size_t length, capacity;
};

/* All of these append to *T. */
void text_add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_list(struct text *t, const char *format, va_list ap) __attribute__((format(printf, 2, 0)));
void text_add_bytes(struct text *t, const void *bytes, size_t n);
void text_add_plain(struct text *t, const char *s); /* as one line without control characters: utf8_make_plain */
void text_add_json_string(struct text *t, const char *s); /* quoted and escaped; invalid UTF-8 becomes U+FFFD */
void text_add_xml(struct text *t, const char *s); /* escaped; control characters and invalid UTF-8 become spaces */
char *text_take(struct text *t); /* the contents, never NULL; the caller frees them, and *t is empty again */
void text_free(struct text *t);

/* The ending of a noun after the number N: "" for 1, else "s". */
const char *plural(int64_t n);
/* The ending of a verb whose subject counts N: "s" for 1, else "". */
const char *plural_verb(int64_t n);

/* Parses all of S as a decimal integer in [low, high], without spaces or a plus sign. False: it is not one. */
bool parse_integer(const char *s, int64_t low, int64_t high, int64_t *out);

/*
 * Turns a name into an identifier. Any name from a file must pass through here before it is used in generated code, a
 * file name or a symbol. ASCII letters, digits and underscores stay; every other byte becomes '_'; '_' is prepended to
 * a leading digit and to the empty name. The caller frees the result.
 */
char *identifier(const char *name);

#endif
