#ifndef SCCL_CLI_OUTPUT_COLOUR_H
#define SCCL_CLI_OUTPUT_COLOUR_H

/* Colours, on a terminal only, and not where NO_COLOR is set (no-color.org) or TERM is dumb. */

#include <stdio.h>

enum colour { COLOUR_BAD, COLOUR_GOOD, COLOURS };

/* The sequences that begin and end a colour on STREAM; "" where there are none. */
const char *colour_begin(FILE *stream, enum colour c);
const char *colour_end(FILE *stream);

#endif
