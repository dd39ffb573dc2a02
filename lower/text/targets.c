/* The targets that --target accepts. They share one emitter (emit_source.c) and differ in the layer of
 * sccl/device.h. */

#include "lower/lower.h"

#include "core/base/error.h"
#include "core/base/text.h"

#include <string.h>

/* Sorted by name. */
static const struct target rows[] = {
	{"cuda", ".cu", "NVIDIA GPUs, compiled by nvcc"},
	{"hip", ".hip", "AMD GPUs, compiled by hipcc"},
	{"host", ".c", "processes or threads that share memory, one or more per processor"},
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

	struct text names = {0};
	for (size_t i = 0; i < ROWS; i++)
		text_add(&names, "%s%s", !i ? "" : i + 1 < ROWS ? ", " : " or ", rows[i].name);
	error_set(e, ERROR_INPUT, "--target", "must be %s, not \"%.100s\"", names.bytes, name);
	text_free(&names);
	return NULL;
}
