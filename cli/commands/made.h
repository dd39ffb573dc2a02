#ifndef SCCL_CLI_COMMANDS_MADE_H
#define SCCL_CLI_COMMANDS_MADE_H

/* For commands that derive algorithms from others: opening the inputs, and saving and reporting the result. */

#include <stdbool.h>

struct algorithm;
struct error;
struct options;

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
int made_end(const struct options *o, struct algorithm *a, int status, struct error *e);

#endif
