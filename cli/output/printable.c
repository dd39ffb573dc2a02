/* Names from input files in printable form, kept in a small ring of buffers. */

#include "cli/output/command.h"

#include "core/base/utf8.h"
#include "core/base/memory.h"

#include <stdlib.h>

const char *printable(const char *name)
{
	enum { AT_ONCE = 4 };
	static char *kept[AT_ONCE];
	static unsigned calls;
	char **at = &kept[calls++ % AT_ONCE];

	free(*at);
	*at = copy_string(name);
	utf8_make_plain(*at);
	return *at;
}
