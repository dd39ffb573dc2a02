#ifndef SCCL_INTEROP_MACHINES_CELLS_H
#define SCCL_INTEROP_MACHINES_CELLS_H

/* Text in lines and cells, as tools print tables. */

#include <stdbool.h>
#include <stddef.h>

struct cell_line {
	int number; /* from 1 */
	size_t n, capacity;
	char **cells;
};

struct cell_table {
	size_t n, capacity;
	struct cell_line *lines; /* those that are not empty */
};

/*
 * Cuts the N bytes into lines, and lines at the characters of SEPARATORS; if blanks are among them, runs of blanks are
 * one separator. Cells lose surrounding blanks; terminal escapes (ESC [ ... m) and a byte-order mark are dropped. Zero
 * *OUT first; free it with text_cells_free.
 */
void text_cells_read(const char *bytes, size_t n, const char *separators, struct cell_table *out);
void text_cells_free(struct cell_table *t);

#endif
