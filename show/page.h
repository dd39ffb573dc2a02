#ifndef SCCL_SHOW_PAGE_H
#define SCCL_SHOW_PAGE_H

/*
 * Pages: one HTML file each, with its data, style and script in it, that asks the network for nothing. A page is begun, gets
 * its sections in order, and is written.
 */

#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct algorithm;
struct error;
struct frontier;
struct topology;

struct page {
	struct text json;
	size_t n_sections, n_rows, n_cells; /* of the table that was begun, of its row */
};

struct page page_new(const char *title);
void page_free(struct page *p);

/* Writes it as HTML to the file OUT, or to standard output if that is NULL, and releases it. False with *e set. */
bool page_finish(struct page *p, const char *out, struct error *e);

void page_heading(struct page *p, const char *title);
void page_line(struct page *p, const char *line); /* a paragraph */
void page_machine(struct page *p, const struct topology *t);
/* The steps of A, in full form, to be played. False with *e set: it is too large. */
bool page_algorithm(struct page *p, const struct algorithm *a, struct error *e);
/* A chart of the points, each of which opens; points that are too large open without their steps. */
bool page_frontier(struct page *p, const struct frontier *f, struct error *e);

/* Curves over sizes, on logarithmic axes. VALUES[curve * n_sizes + size]; 0: no point. */
struct page_chart {
	const char *title;
	size_t n_sizes, n_curves;
	const int64_t *sizes;
	const char *const *names;
	const double *values;
};
void page_chart(struct page *p, const struct page_chart *c);

/* A table: begun with the names of its columns, NULL-terminated, then its cells row by row. A column whose name begins with "-" is
 * left out on narrow screens. */
void page_table(struct page *p, const char *title, const char *note, const char *const *head);
void page_row(struct page *p);
void page_cell(struct page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void page_table_end(struct page *p);

#endif
