#include "lower/lower.h"

#include "lower/build.h"
#include "lower/check.h"
#include "lower/emit.h"

#include "core/algorithm.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/verify.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* "_s3_r7" somewhere in it, as in the names that the project gives: no word of C or of its libraries has that. */
static bool is_ours(const char *name)
{
	for (const char *s = strstr(name, "_s"); s; s = strstr(s + 1, "_s")) {
		size_t digits = strspn(s + 2, "0123456789");
		if (digits && strncmp(s + 2 + digits, "_r", 2) == 0 && isdigit((unsigned char)s[4 + digits]))
			return true;
	}
	return false;
}

static char *program_name(const char *name)
{
	struct text t = {0};
	char *safe = identifier(name);

	text_add(&t, "%s%s", is_ours(safe) ? "" : "algorithm_", safe);
	free(safe);
	return text_take(&t);
}

static bool verified(const struct algorithm *a, struct error *e)
{
	struct verdict v = algorithm_verify(a);

	return v.fault == FAULT_NONE || error_set(e, ERROR_INPUT, a->name, "it does not verify: %.400s", v.why);
}

bool lower(const struct algorithm *a, const struct target *t, struct lowered *out, struct error *e)
{
	struct program *p = verified(a, e) ? program_build(a, e) : NULL;
	bool good = p && program_check(p, e) && program_interpret(p, e);

	*out = (struct lowered){0};
	if (good) {
		out->name = program_name(a->name);
		target_row(t)->emit(p, out->name, &out->source);
		emit_header(p, out->name, &out->header);
	}
	program_free(p);
	return good;
}

void lowered_free(struct lowered *l)
{
	free(l->name);
	text_free(&l->source);
	text_free(&l->header);
	*l = (struct lowered){0};
}
