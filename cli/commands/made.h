#ifndef SCCL_CLI_COMMANDS_MADE_H
#define SCCL_CLI_COMMANDS_MADE_H

/* For commands that derive algorithms from others: opening the inputs, and saving and reporting the result. */

#include "cli/arguments/shared.h"

#include <stdbool.h>

struct algorithm;
struct error;

/* Where the result goes. */
struct made_options {
	const char *out; /* -o; NULL: it is only reported */
	bool json;
};
#define MADE_GROUPS(command, field) OPTION_GROUP(output_rows, command, field.out), OPTION_GROUP(json_rows, command, field.json)

/* Opens the algorithm at PATH with all sends, and verifies it. The caller releases *a in either case. False with *e
 * set, and *status = STATUS_NO if it does not verify. */
bool made_open(const char *path, struct algorithm **a, int *status, struct error *e);

/* Prints a line, or a JSON object, with the cost, the gap to the bounds, and the file written. METHOD and PATH may be
 * NULL. */
void made_report(const struct algorithm *a, const char *method, const char *path, bool json);

/*
 * Writes A to the file of -o and reports it, or, if A is NULL or cannot be written, reports *e. Takes ownership of A.
 * Returns the exit status, which is STATUS if that is not 0.
 */
int made_end(const struct made_options *o, struct algorithm *a, int status, struct error *e);

#endif
