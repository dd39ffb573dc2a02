/* In place of yaml_libyaml.c in a build without libyaml. */

#include "interop/input/yaml.h"

#include "core/base/error.h"

bool yaml_table_read(const char *path, const char *bytes, size_t n, struct yaml_table *out, struct error *e)
{
	(void)bytes;
	(void)n;
	(void)out;
	return error_set(e, ERROR_INPUT, path, "is YAML, and this build is without libyaml");
}
