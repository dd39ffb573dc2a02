#ifndef SCCL_CLI_ARGUMENTS_OPTION_ROWS_H
#define SCCL_CLI_ARGUMENTS_OPTION_ROWS_H

/* The table of all options, for cli/arguments/options.c. */

#include "cli/arguments/options.h"

/* One row an option: how it is written, what --help says, and how it is read. */
struct option_row {
	char letter;        /* in struct usage; the short option too where it is ASCII a user would type (SHORT) */
	bool is_short;
	const char *name, *argument, *about;
	bool (*read)(struct options *o, const char *s, struct error *e);
};

const struct option_row *option_rows(size_t *n);

/* A whole number in that range; NAME is the option's, for *e. */
bool option_whole(const char *name, const char *s, int64_t low, int64_t high, int *out, struct error *e);
/* One more of -t or -c. */
bool option_word(struct options *o, struct words *list, const char *s, struct error *e);

#endif
