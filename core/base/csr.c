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

struct csr csr_by_row(int rows, const int *row, size_t n)
{
	struct csr c = csr_new(rows);

	for (size_t i = 0; i < n; i++)
		csr_count(&c, row[i]);
	csr_allocate(&c);
	for (size_t i = 0; i < n; i++)
		csr_put(&c, row[i], (int)i);
	return c;
}

void csr_free(struct csr *c)
{
	free(c->begin);
	free(c->of);
	*c = (struct csr){0};
}
