/* In place of xml_libxml2.c in a build without libxml2. */

#include "interop/input/xml.h"

#include "core/base/error.h"

struct xml_element *xml_parse(const char *path, const char *bytes, size_t n, struct error *e)
{
	(void)bytes;
	(void)n;
	error_set(e, ERROR_INPUT, path, "is XML, and this build is without libxml2");
	return NULL;
}
