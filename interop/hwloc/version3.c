/* XML of hwloc 3 for hwloc 2. Attributes are found as text: what is no XML is then refused by hwloc as before. */

#include "interop/hwloc/version3.h"

#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

/* Bits of version 3, the first that is set decides, and numbers of version 2. */
static const struct {
	unsigned bit;
	const char *type;
} device_types[] = {
	{8, "5"}, {4, "1"}, {32, "3"}, {16, "2"}, {64, "4"}, {3, "0"},
};

static const char *type_of(unsigned bits)
{
	for (size_t i = 0; i < sizeof device_types / sizeof *device_types; i++)
		if (bits & device_types[i].bit)
			return device_types[i].type;
	return "5";
}

bool hwloc_xml_as_version2(struct text *xml)
{
	static const char version[] = "<topology version=\"3.", device[] = "osdev_type=\"";
	const char *at = xml->bytes, *root = at ? strstr(at, version) : NULL;
	struct text out = {0};

	if (!root)
		return false;
	text_add_bytes(&out, at, (size_t)(root - at));
	text_add(&out, "<topology version=\"2.");
	at = root + strlen(version);
	for (const char *next; (next = strstr(at, device)); ) {
		char *end;
		next += strlen(device);
		text_add_bytes(&out, at, (size_t)(next - at));
		text_add(&out, "%s", type_of((unsigned)strtoul(next, &end, 10)));
		at = end;
	}
	text_add(&out, "%s", at);
	text_free(xml);
	*xml = out;
	return true;
}
