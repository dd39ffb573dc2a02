#ifndef SCCL_EXPLORE_CELLS_H
#define SCCL_EXPLORE_CELLS_H

/* A table of text in rows and columns, printed as columns for people or as CSV (RFC 4180). */

#include <stddef.h>

struct text;

/* Set `columns` and zero the rest before the first cell is added. */
struct cells {
	size_t columns, n, capacity;
	char **at; /* row by row, headings first; owned */
};

/* Appends a formatted cell. Control characters and invalid UTF-8 are replaced. */
void cells_add(struct cells *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cells_columns(const struct cells *c, struct text *into); /* aligned, indented and separated by two spaces */
/* Appends the table as CSV with CRLF line ends. */
void cells_csv(const struct cells *c, struct text *into);
/* Frees the cells and clears the table. */
void cells_free(struct cells *c);

#endif
