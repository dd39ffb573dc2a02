#ifndef SCCL_CLI_ARGUMENTS_MANUAL_H
#define SCCL_CLI_ARGUMENTS_MANUAL_H

/* Manual pages and what shells complete, from the tables of options, so that they cannot differ from what is read. */

#include "cli/arguments/options.h"

struct text;

/* Appends the manual page of COMMAND in man(7) macros. */
void manual_write(const char *command, const struct usage *u, struct text *into);
/* Appends a line for each option: its long and short form, the name of its value, the words it may be, what it does; between tabs,
 * with "" for what it lacks. */
void manual_options(const struct usage *u, struct text *into);
/* Appends WORDS in a form in which troff prints them as they are. */
void manual_escape(const char *words, struct text *into);

#endif
