#ifndef SCCL_CORE_BASE_ERROR_H
#define SCCL_CORE_BASE_ERROR_H

/* The first error that was found and its location, for the caller to report once. */

#include <stdbool.h>

enum error_kind {
	ERROR_NONE,
	ERROR_INPUT,  /* exit status 2: the user can correct it */
	ERROR_LIMIT,  /* exit status 3: a limit on time, memory or size was exceeded */
	ERROR_SYSTEM, /* exit status 4: an internal error or a failure of the system */
};

/* No error when zeroed. */
struct error {
	enum error_kind kind;
	char where[512]; /* FILE:LINE:COLUMN, "FILE: JSON path", or an option */
	char what[512];
};

/*
 * Records an error in *E unless it already holds one. The text becomes a single plain line: line ends and control
 * characters in names from files or the command line are replaced (utf8_make_plain).
 */
void error_note(struct error *e, enum error_kind kind, const char *where, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * error_note with the value false, so that a caller can write "return error_set(...)". Inline, so that the compiler's
 * analysis of uninitialized variables can see that the caller fails.
 */
#define error_set(...) (error_note(__VA_ARGS__), error_is_set())
static inline bool error_is_set(void)
{
	return false;
}

#endif
