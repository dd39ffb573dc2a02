#include "core/base/csr.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>

TestSuite(csr, .description = "compressed rows");

Test(csr, a_row_keeps_the_order_in_which_its_values_were_put)
{
	static const int row[] = {2, 0, 2, 4, 0, 2};
	struct csr c = csr_by_row(5, row, sizeof row / sizeof *row, sizeof *row);
	static const int begin[] = {0, 2, 2, 5, 5, 6}, of[] = {1, 4, 0, 2, 5, 3};

	for (int r = 0; r <= 5; r++)
		cr_expect(eq(int, c.begin[r], begin[r]));
	for (int i = 0; i < 6; i++)
		cr_expect(eq(int, c.of[i], of[i]));
	cr_expect(eq(int, csr_size(&c, 2), 3));
	cr_expect(eq(int, csr_size(&c, 3), 0));
	csr_free(&c);
}

Test(csr, offsets_of_a_member_are_those_of_the_rows)
{
	static const struct {
		int other, row;
	} all[] = {{9, 0}, {9, 0}, {9, 3}, {9, 1}};
	static const int begin[] = {0, 2, 3, 3, 4};
	int *offsets = csr_offsets(4, &all->row, 4, sizeof *all);
	struct csr c = csr_by_row(4, &all->row, 4, sizeof *all);

	for (int r = 0; r <= 4; r++) {
		cr_expect(eq(int, offsets[r], begin[r]));
		cr_expect(eq(int, c.begin[r], begin[r]));
	}
	cr_expect(eq(int, c.of[2], 3));
	free(offsets);
	csr_free(&c);
}

Test(csr, without_rows_or_values_is_empty)
{
	struct csr none = csr_by_row(0, NULL, 0, sizeof(int)), empty = csr_by_row(3, NULL, 0, sizeof(int));

	cr_expect(eq(int, none.begin[0], 0));
	for (int r = 0; r <= 3; r++)
		cr_expect(eq(int, empty.begin[r], 0));
	csr_free(&none);
	csr_free(&empty);
}
