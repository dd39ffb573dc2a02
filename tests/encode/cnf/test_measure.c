#include "encode/cnf/measure.h"

#include "core/base/error.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TestSuite(measure, .description = "how many clauses a question has");

/* As encode/cnf/bits.c makes them, one by one; *SIZE gets the outputs. */
static size_t counted(size_t n, size_t most, size_t *size)
{
	size_t left, right, sum = 0;

	*size = n <= most ? n : most + 1;
	if (n == 1) {
		*size = 1;
		return 0;
	}
	sum += counted(n / 2, most, &left);
	sum += counted(n - n / 2, most, &right);
	for (size_t a = 0; a <= left; a++)
		for (size_t b = 0; b <= right; b++)
			sum += a + b > 0 && !(a + b > *size && a && b && a + b - 1 >= *size);
	return sum;
}

Test(measure, a_totalizer_has_as_many_clauses_as_are_made)
{
	for (size_t n = 1; n <= 70; n++)
		for (size_t most = 1; most <= 75; most++) {
			size_t size, made = counted(n, most, &size);
			cr_expect(eq(dbl, measure_totalizer(n, most), (double)made), "%zu inputs, %zu told apart: %zu", n, most, made);
		}
}

static bool too_large(const char *machine, int chunks, int steps, int rounds)
{
	struct error e = {0};
	struct topology *t = topology_open(machine, &e);
	cr_assert(ne(ptr, t, NULL), "%s", e.what);
	struct network *w = network_new(t, &e);
	struct collective k = {.kind = ALLGATHER};
	struct instance i;

	cr_assert(instance_new(w, &k, chunks, steps, rounds, &i, &e), "%s", e.what);
	struct plan *p = plan_new(&i, NULL);
	bool large = measure_is_too_large(p);
	plan_free(p);
	network_free(w);
	topology_free(t);
	return large;
}

Test(measure, what_no_memory_holds_is_not_begun)
{
	cr_expect(not(too_large("dgx1", 6, 7, 7)));
	cr_expect(not(too_large("torus:8x8", 1, 8, 16)));
	cr_expect(too_large("dgx-a100*4", 16, 7, 49));
}
