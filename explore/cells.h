#ifndef SCCL_EXPLORE_CELLS_H
#define SCCL_EXPLORE_CELLS_H

/* A table of text in rows and columns, printed as columns for people or as CSV (RFC 4180). */

#include <stddef.h>

struct text;

struct cells {
	size_t columns, n, capacity;
	char **at; /* row by row, headings first; owned */
};

void cells_add(struct cells *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cells_columns(const struct cells *c, struct text *into); /* indented and separated by two spaces */
void cells_csv(const struct cells *c, struct text *into);
void cells_free(struct cells *c);

#endif
