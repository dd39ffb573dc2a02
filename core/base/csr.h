#ifndef SCCL_CORE_BASE_CSR_H
#define SCCL_CORE_BASE_CSR_H

/*
 * Compressed rows: the values of row r are of[begin[r]] .. of[begin[r + 1] - 1], in the order in which they were put. Made in two
 * passes over the same values in the same order: csr_count of each, csr_allocate, csr_put of each. Nothing may be read in between.
 */

#include <stddef.h>

struct csr {
	int rows;
	int *begin; /* [rows + 1] */
	int *of;
};

struct csr csr_new(int rows);
static inline void csr_count(struct csr *c, int row)
{
	c->begin[row + 2]++; /* two off, as csr_put moves the beginning of the next row up to its own end */
}
void csr_allocate(struct csr *c);
static inline void csr_put(struct csr *c, int row, int value)
{
	c->of[c->begin[row + 1]++] = value;
}
static inline int csr_size(const struct csr *c, int row)
{
	return c->begin[row + 1] - c->begin[row];
}

/* The values 0 .. N - 1. Value i is in the row that stands STRIDE bytes times i behind ROW: a member of an array of structs, say. */
struct csr csr_by_row(int rows, const int *row, size_t n, size_t stride);
/* Their begin alone: for an array that is sorted by row, or slots. The caller frees it. */
int *csr_offsets(int rows, const int *row, size_t n, size_t stride);

void csr_free(struct csr *c);

#endif
