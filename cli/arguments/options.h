#ifndef SCCL_CLI_ARGUMENTS_OPTIONS_H
#define SCCL_CLI_ARGUMENTS_OPTIONS_H

/*
 * Command lines as tables. A command has a struct with a field for each of its options. It lists groups of rows: its
 * own, and those that it shares with other commands (cli/arguments/shared.h), each at its place in that struct.
 */

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* An option: its line in --help, and how its value is read into a field. */
struct option_row {
	const char *name;     /* after "--"; NULL: it has only a letter */
	char letter;          /* after "-"; 0: it has only a name */
	const char *argument; /* its value in --help; NULL: a flag */
	const char *help;
	/* Stores the value S, NULL for a flag, in FIELD. False with *e set, which option_refuse does. */
	bool (*read)(const struct option_row *r, const char *s, void *field, struct error *e);
	size_t field;         /* offset in the struct of the group */
	double low, high;     /* the range of a number */
	const char *unit;     /* option_decimal: what must be given, for its error message */
	const char *const *choices; /* option_choice: the words, NULL-terminated */
};

/* Readers. The strings that they store are borrowed from argv. */
bool option_text(const struct option_row *r, const char *s, void *field, struct error *e);    /* const char * */
bool option_path(const struct option_row *r, const char *s, void *field, struct error *e);    /* likewise, not empty */
bool option_flag(const struct option_row *r, const char *s, void *field, struct error *e);    /* bool */
bool option_whole(const struct option_row *r, const char *s, void *field, struct error *e);   /* int, low to high */
bool option_decimal(const struct option_row *r, const char *s, void *field, struct error *e); /* double, low to high */
bool option_seconds(const struct option_row *r, const char *s, void *field, struct error *e); /* double, positive */
bool option_choice(const struct option_row *r, const char *s, void *field, struct error *e);  /* int or enum: index of a word */

/* The end of a row: its reader, the field of the struct of its group, and what the reader needs. */
#define OPTION(reader, group, member) reader, .field = offsetof(struct group, member)
#define OPTION_WHOLE(group, member, least, most) OPTION(option_whole, group, member), .low = least, .high = most
#define OPTION_DECIMAL(group, member, least, most, words) \
	OPTION(option_decimal, group, member), .low = least, .high = most, .unit = words
#define OPTION_CHOICE(group, member, words) OPTION(option_choice, group, member), .choices = words

/* The values of an option that may be repeated or followed by several: struct words. */
bool option_words(const struct option_row *r, const char *s, void *field, struct error *e);
enum { WORDS_MOST = 256 };
struct words {
	size_t n;
	const char *at[WORDS_MOST];
};

/* Reads an integer from LOW to HIGH, as a value of the option of this row. False with *e set. */
bool option_integer(const struct option_row *r, const char *s, int *out, struct error *e);
/* Reports a bad value: "-C: must be ...". False. */
bool option_refuse(const struct option_row *r, struct error *e, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Rows, and the offset of the struct with their fields in the struct of the command. */
struct option_group {
	const struct option_row *rows;
	size_t n;
	size_t at;
};
/* The rows of TABLE, an array, for the field FIELD of struct COMMAND; or for the struct itself. */
#define OPTION_GROUP(table, command, field) {table, sizeof table / sizeof *table, offsetof(struct command, field)}
#define OPTION_GROUP_OWN(table) {table, sizeof table / sizeof *table, 0}

/* The arguments that are not options, in order; borrowed from argv. */
struct operands {
	char **at;
	size_t n;
};

/* What a command takes, and its help. */
struct usage {
	const char *about; /* the text of --help: what stands before the options, '\v', what stands after */
	const struct option_group *groups;
	size_t n_groups;
	const char *operands;       /* "FILE..." in --help; NULL: none are taken */
	size_t operands_at;         /* offset of the struct operands in the struct of the command */
	size_t least, most;         /* how many operands there must be; most = 0: any number */
	const char *operands_wrong; /* the error if there are fewer or more */
	bool extends; /* instead of operands, words after an option that is read by option_words are more values of it */
};
/* The operands of struct usage: one or more files. */
#define USAGE_FILES(command, field) \
	.operands = "FILE...", .operands_at = offsetof(struct command, field), .least = 1, .operands_wrong = "no files are given"
/* The groups of struct usage from an array. */
#define USAGE_GROUPS(array) .groups = array, .n_groups = sizeof array / sizeof *array

/*
 * Reads the command line of a command into *OPTIONS, its struct, which holds the defaults. Nothing needs to be freed.
 * False with *e set. With --help, which every command takes, prints the help and ends the process.
 */
bool options_read(int argc, char **argv, const struct usage *u, void *options, struct error *e);

/* Calls RUN with each file until an interrupt, and returns the worst exit status. */
int operands_each(const struct operands *files, int (*run)(void *context, const char *path), void *context);

#endif
