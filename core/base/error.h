#ifndef SCCL_CORE_BASE_ERROR_H
#define SCCL_CORE_BASE_ERROR_H

/* What went wrong, told once, where it was found. */

#include <stdbool.h>

enum error_kind {
	ERROR_NONE,
	ERROR_INPUT,  /* exit 2: the user can mend it */
	ERROR_LIMIT,  /* exit 3: out of time or memory allowed */
	ERROR_SYSTEM, /* exit 4: ours, or the machine's */
};

struct error {
	enum error_kind kind;
	char where[512]; /* FILE:LINE:COLUMN, or FILE: and a JSON path, or an option */
	char what[512];
};

/* A message is one line: names from files and the command line bring no line ends and no terminal controls. The first error
 * stands. */
void error_note(struct error *e, enum error_kind kind, const char *where, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The same, and false, so that a caller can say "return error_set(...)". Inline, so that a compiler that looks for variables
 * without a value sees that the caller has failed. */
#define error_set(...) (error_note(__VA_ARGS__), error_is_set())
static inline bool error_is_set(void)
{
	return false;
}

#endif
