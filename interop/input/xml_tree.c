/* What readers ask of a tree of XML, however it was parsed. */

#include "interop/input/xml.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void xml_free(struct xml_element *root)
{
	struct xml_element *at = root;

	while (at) {
		if (at->first) { /* its elements come first; then nothing is left in it */
			struct xml_element *inner = at->first;
			at->first = NULL;
			at = inner;
			continue;
		}
		struct xml_element *after = at->next ? at->next : at->parent;
		for (size_t i = 0; i < at->n_attributes; i++) {
			free(at->attributes[i].name);
			free(at->attributes[i].value);
		}
		free(at->attributes);
		free(at->name);
		free(at);
		at = after;
	}
}

static const struct xml_element *named(const struct xml_element *at, const char *name)
{
	while (at && name && strcmp(at->name, name) != 0)
		at = at->next;
	return at;
}

const struct xml_element *xml_first(const struct xml_element *at, const char *name)
{
	return named(at->first, name);
}

const struct xml_element *xml_next(const struct xml_element *it, const char *name)
{
	return named(it->next, name);
}

const char *xml_get(const struct xml_element *at, const char *attribute)
{
	for (size_t i = 0; i < at->n_attributes; i++)
		if (strcmp(at->attributes[i].name, attribute) == 0)
			return at->attributes[i].value;
	return NULL;
}

bool xml_fault(const char *path, const struct xml_element *at, struct error *e, const char *format, ...)
{
	char where[sizeof e->where], what[sizeof e->what];
	va_list ap;

	va_start(ap, format);
	vsnprintf(what, sizeof what, format, ap);
	va_end(ap);
	snprintf(where, sizeof where, "%.400s:%d: <%.60s>", path, at->line, at->name);
	return error_set(e, ERROR_INPUT, where, "%s", what);
}

static bool get_int(const char *path, const struct xml_element *at, const char *attribute, int low, int high, const int *otherwise,
		    int *out, struct error *e)
{
	const char *s = xml_get(at, attribute);
	int64_t v;

	*out = otherwise ? *otherwise : 0;
	if (!s)
		return otherwise || xml_fault(path, at, e, "lacks the attribute \"%s\"", attribute);
	if (!parse_integer(s, low, high, &v))
		return xml_fault(path, at, e, "%s must be an integer from %d to %d, not \"%.40s\"", attribute, low, high, s);
	*out = (int)v;
	return true;
}

bool xml_get_int(const char *path, const struct xml_element *at, const char *attribute, int low, int high, int *out, struct error *e)
{
	return get_int(path, at, attribute, low, high, NULL, out, e);
}

bool xml_get_int_or(const char *path, const struct xml_element *at, const char *attribute, int low, int high, int otherwise,
		    int *out, struct error *e)
{
	return get_int(path, at, attribute, low, high, &otherwise, out, e);
}
