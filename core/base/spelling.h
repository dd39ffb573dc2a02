#ifndef SCCL_CORE_BASE_SPELLING_H
#define SCCL_CORE_BASE_SPELLING_H

/* "Did you mean ...?": of the names that exist, those that differ least from one that does not. */

#include "core/base/text.h"

struct spelling {
	const char *word;   /* borrowed */
	size_t least;       /* edits between it and the nearest names so far; more than are allowed: no name is near */
	size_t n;           /* number of names that are kept */
	struct text names, hint;
};

/* For WORD, which is borrowed. The caller calls spelling_free. */
struct spelling spelling_new(const char *word);
/* Considers NAME, one that exists. Equally near names are all kept, up to a few. */
void spelling_try(struct spelling *s, const char *name);
/* "did you mean ring or line?", owned by S; "" if no name is near. */
const char *spelling_hint(struct spelling *s);
void spelling_free(struct spelling *s);

#endif
