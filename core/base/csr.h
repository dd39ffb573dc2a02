#ifndef SCCL_CORE_BASE_CSR_H
#define SCCL_CORE_BASE_CSR_H

/*
 * Compressed sparse rows (CSR): the values of row r are of[begin[r]] .. of[begin[r + 1] - 1], in the order in which
 * they were added. Built in two passes over the same (row, value) pairs: csr_count for each, then csr_allocate, then
 * csr_put for each. Nothing may be read until the second pass is complete.
 */

#include <stddef.h>

struct csr {
	int rows;
	int *begin; /* [rows + 1] */
	int *of;
};

/* ROWS empty rows; the caller frees them with csr_free. */
struct csr csr_new(int rows);
/* First pass: reserves space for one value in ROW. */
static inline void csr_count(struct csr *c, int row)
{
	c->begin[row + 2]++; /* offset by two: csr_put advances begin[row + 1] from the row's beginning to its end */
}
/* Between the passes: turns the counts into offsets and allocates the values. */
void csr_allocate(struct csr *c);
/* Second pass: appends VALUE to ROW. */
static inline void csr_put(struct csr *c, int row, int value)
{
	c->of[c->begin[row + 1]++] = value;
}
/* The number of values in ROW. */
static inline int csr_size(const struct csr *c, int row)
{
	return c->begin[row + 1] - c->begin[row];
}

/*
 * The values 0 .. N - 1 grouped by row. The row of value i is the int at i * STRIDE bytes from ROW, such as a member of
 * an array of structs. The caller frees the result with csr_free.
 */
struct csr csr_by_row(int rows, const int *row, size_t n, size_t stride);
/*
 * Only the offsets of that grouping ([ROWS + 1]): for an array already sorted by row, or to assign slots to rows. The
 * caller frees them.
 */
int *csr_offsets(int rows, const int *row, size_t n, size_t stride);

void csr_free(struct csr *c);

#endif
