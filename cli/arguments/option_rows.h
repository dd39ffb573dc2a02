#ifndef SCCL_CLI_ARGUMENTS_OPTION_ROWS_H
#define SCCL_CLI_ARGUMENTS_OPTION_ROWS_H

/* The table of all options, used by cli/arguments/options.c. */

#include "cli/arguments/options.h"

/* An option: its names, its line in --help, and the function that reads it. */
struct option_row {
	char letter;        /* identifies it in struct usage; also its short option if is_short */
	bool is_short;
	const char *name, *argument, *about;
	bool (*read)(struct options *o, const char *s, struct error *e); /* false with *e set */
};

/* The table, static; *n is its length. */
const struct option_row *option_rows(size_t *n);

/* Reads an integer from LOW to HIGH. NAME is the option's name, for *e. False with *e set. */
bool option_whole(const char *name, const char *s, int64_t low, int64_t high, int *out, struct error *e);
/* Appends S, borrowed, to LIST, the list of -t or -c. False with *e set: the list is full. */
bool option_word(struct options *o, struct words *list, const char *s, struct error *e);

#endif
