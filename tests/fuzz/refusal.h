#ifndef SCCL_TESTS_FUZZ_REFUSAL_H
#define SCCL_TESTS_FUZZ_REFUSAL_H

/* What is refused has a message: where, and what is wrong, each on one line. What is accepted has none. */

#include "core/base/error.h"
#include "tests/fuzz/targets.h"

static inline bool refusal_is_line(const char *s)
{
	for (const char *c = s; *c; c++)
		if ((unsigned char)*c < ' ')
			return false;
	return *s != '\0';
}

static inline void refusal_check(bool ok, const struct error *e)
{
	fuzz_need(ok == (e->kind == ERROR_NONE), "refused without an error, or accepted with one");
	fuzz_need(ok || (refusal_is_line(e->where) && refusal_is_line(e->what)), "an error that is not one line");
}

#endif
