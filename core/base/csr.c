/*
 * CSR by counting sort: counts per row, prefix sums, then each value at its row's cursor. The cursors are the offsets
 * themselves, stored one row ahead, so that filling the rows leaves every offset in its final position.
 */

#include "core/base/csr.h"

#include "core/base/memory.h"

#include <stdlib.h>

struct csr csr_new(int rows)
{
	return (struct csr){rows, new_array(int, (size_t)rows + 2), NULL};
}

void csr_allocate(struct csr *c)
{
	for (int r = 0; r < c->rows; r++)
		c->begin[r + 2] += c->begin[r + 1];
	c->of = new_array(int, (size_t)c->begin[c->rows + 1]);
}

static int row_at(const int *row, size_t i, size_t stride)
{
	return *(const int *)(const void *)((const char *)row + i * stride);
}

struct csr csr_by_row(int rows, const int *row, size_t n, size_t stride)
{
	struct csr c = csr_new(rows);

	for (size_t i = 0; i < n; i++)
		csr_count(&c, row_at(row, i, stride));
	csr_allocate(&c);
	for (size_t i = 0; i < n; i++)
		csr_put(&c, row_at(row, i, stride), (int)i);
	return c;
}

int *csr_offsets(int rows, const int *row, size_t n, size_t stride)
{
	int *begin = new_array(int, (size_t)rows + 1);

	for (size_t i = 0; i < n; i++)
		begin[row_at(row, i, stride) + 1]++;
	for (int r = 0; r < rows; r++)
		begin[r + 1] += begin[r];
	return begin;
}

void csr_free(struct csr *c)
{
	free(c->begin);
	free(c->of);
	*c = (struct csr){0};
}
