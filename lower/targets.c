#include "lower/lower.h"

#include "core/error.h"

#include <string.h>

/* To add a target: its row here, and its layer in sccl/device.h. The names are sorted. */
static const struct target rows[] = {
	{"cuda", ".cu", "NVIDIA GPUs, compiled by nvcc"},
	{"hip", ".hip", "AMD GPUs, compiled by hipcc"},
	{"host", ".c", "processes or threads that share memory, one or more a processor"},
};

enum { ROWS = sizeof rows / sizeof *rows };

const struct target *lower_targets(size_t *n)
{
	*n = ROWS;
	return rows;
}

const struct target *lower_target(const char *name, struct error *e)
{
	for (size_t i = 0; i < ROWS; i++)
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	error_set(e, ERROR_INPUT, "--target", "there is no target \"%.100s\"", name);
	return NULL;
}
