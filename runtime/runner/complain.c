/* Error messages on standard error, one plain line each. */

#include "runtime/runner/run.h"

#include "runtime/core/utf8.h"

#include <stdarg.h>
#include <stdio.h>

void complain(const char *where, const char *format, ...)
{
	char line[2048], name[512];
	va_list ap;
	va_start(ap, format);
	vsnprintf(line, sizeof line, format, ap);
	va_end(ap);
	snprintf(name, sizeof name, "%s", where);
	sccli_letters_plain(line);
	sccli_letters_plain(name);
	fflush(stdout);
	fprintf(stderr, "sccl-run: %s: %s\n", name, line); /* a single write, so that lines of different ranks are not
	                                                    * mixed */
}
