/* The eight colours that every terminal has. */

#include "cli/output/colour.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_coloured(FILE *stream)
{
	const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");

	return !(no && *no) && terminal && strcmp(terminal, "dumb") != 0 && isatty(fileno(stream));
}

const char *colour_begin(FILE *stream, enum colour c)
{
	static const char *const sequences[COLOURS] = {[COLOUR_BAD] = "\033[1;31m", [COLOUR_GOOD] = "\033[32m"};

	return is_coloured(stream) ? sequences[c] : "";
}

const char *colour_end(FILE *stream)
{
	return is_coloured(stream) ? "\033[0m" : "";
}
