/* Records the first error and ignores the ones that follow from it. */

#include "core/base/error.h"

#include "core/base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

void error_note(struct error *e, enum error_kind kind, const char *where, const char *format, ...)
{
	if (e->kind != ERROR_NONE)
		return;

	va_list ap;
	va_start(ap, format);
	vsnprintf(e->what, sizeof e->what, format, ap);
	va_end(ap);
	snprintf(e->where, sizeof e->where, "%s", *where ? where : "\"\"");
	utf8_make_plain(e->what);
	utf8_make_plain(e->where);
	e->kind = kind;
}
