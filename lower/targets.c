#include "lower/emit.h"

#include "core/error.h"

#include <string.h>

/* To add a target: its emitter, and its row here. The names are sorted. */
static const struct target_row rows[] = {
	{{"host", ".c", "processes or threads that share memory, one or more a processor"}, emit_host},
};

enum { ROWS = sizeof rows / sizeof *rows };

const struct target *lower_targets(size_t *n)
{
	static struct target targets[ROWS];

	for (size_t i = 0; i < ROWS; i++)
		targets[i] = rows[i].target;
	*n = ROWS;
	return targets;
}

const struct target *lower_target(const char *name, struct error *e)
{
	for (size_t i = 0; i < ROWS; i++)
		if (strcmp(rows[i].target.name, name) == 0)
			return &rows[i].target;
	error_set(e, ERROR_INPUT, "--target", "there is no target \"%.100s\"", name);
	return NULL;
}

const struct target_row *target_row(const struct target *t)
{
	for (size_t i = 0; i < ROWS; i++)
		if (strcmp(rows[i].target.name, t->name) == 0)
			return &rows[i];
	return NULL;
}
