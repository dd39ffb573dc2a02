#include "runtime/runner/run.h"

#include "runtime/core/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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
	fprintf(stderr, "sccl-run: %s: %s\n", name, line); /* at once, so that ranks do not mix their lines */
}

int main(int argc, char **argv)
{
	struct settings s;
	read_settings(argc, argv, &s);
	const sccl_program_t *program = load_program(&s);
	int status = program ? run_ranks(&s, program) : EXIT_INPUT;
	free(s.amounts);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		complain("standard output", "cannot be written");
		status = EXIT_BROKEN;
	}
	return status;
}
