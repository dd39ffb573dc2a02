/* Names and messages of faults. */

#include "core/verify/verify_parts.h"

#include <stdarg.h>
#include <stdio.h>

const char *const fault_names[FAULTS] = {
	"none", "range", "no-link", "overload", "not-held", "twice", "overlap", "reduces", "not-delivered", "memory", "cost", "limit",
};

struct verdict fault_at(enum fault what, int step, const struct send *s, const char *format, ...)
{
	struct verdict v = {what, step, s ? s->chunk : -1, s ? s->src : -1, s ? s->dst : -1, ""};
	va_list ap;
	va_start(ap, format);
	vsnprintf(v.why, sizeof v.why, format, ap);
	va_end(ap);
	return v;
}
