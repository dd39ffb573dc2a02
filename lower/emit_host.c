#include "lower/emit.h"

void emit_host(const struct program *p, const char *name, struct text *into)
{
	text_title(p, name, "host", into);
	text_add(into, "#include <sccl/device.h>\n"
		       "#include <sccl/program.h>\n"
		       "\n");
	text_tables(p, into);
	text_program(p, name, "host", into);
}
