/* Every method, collective and machine: verified and no faster than the bounds, or refused with a reason. on_host.sh runs them. */

#include "tests/synth/methods/built.h"
#include "tests/synth/methods/cells.h"

#include "core/machine/topology.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

TestSuite(matrix, .description = "every method, collective and machine", .timeout = 300);

struct tally {
	int served, refused;
};

static void check_cell(void *context, const struct cell *c)
{
	struct tally *t = context;
	char fault[CELL_FAULT];

	cr_expect(cell_is_well(c, fault), "%s on %s, %s, root %d: %s", c->method->name, c->machine, collective_name(&c->collective),
		  c->collective.root, fault);
	*(c->algorithm ? &t->served : &t->refused) += 1;
}

/* Cells of a method: each collective once, a rooted one twice. */
static int cells_of_a_method(void)
{
	int n = 0;

	for (int kind = 0; kind < CUSTOM; kind++)
		n += 1 + collective_rows()[kind].rooted;
	return n;
}

static void check_machine(const struct cell_machine *m)
{
	size_t n_methods;
	struct tally t = {0};
	struct error e = {0};

	methods_all(&n_methods);
	cr_assert(cells_visit(m->name, (struct sample){1, 0}, check_cell, &t, &e), "%s: %s", e.where, e.what);
	cr_expect(eq(int, t.served + t.refused, (int)n_methods * cells_of_a_method()));
	cr_expect(t.served >= m->served, "%s: %d cells served, not %d", m->name, t.served, m->served);
}

static void check_group(const char *group)
{
	struct error e = {0};
	int n = machines_visit(group, check_machine, &e);

	cr_expect(gt(int, n, 0), "%s: %s", group, e.what);
}

Test(matrix, of_gpu_boxes)
{
	check_group("boxes");
}

Test(matrix, of_shapes)
{
	check_group("shapes");
}

Test(matrix, of_odd_machines)
{
	check_group("odd");
}

Test(matrix, no_method_serves_a_machine_in_two_pieces)
{
	size_t n;
	const struct method *all = methods_all(&n);

	for (size_t m = 0; m < n; m++)
		for (int kind = 0; kind < CUSTOM; kind++) {
			struct error e = {0};
			cr_expect(eq(ptr, built(all[m].name, "line:4@drop=1-2", (enum collective_kind)kind, 0, &e), NULL));
			cr_expect(eq(int, e.kind, ERROR_INPUT));
		}
}

/* An allgather of the ring, in a cell of this method. */
static struct cell cell_of(const char *method)
{
	struct error e = {0};
	struct cell c = {.machine = "ring:4", .method = method_find(method, &e), .collective = {.kind = ALLGATHER}};

	cr_assert(ne(ptr, (void *)c.method, NULL));
	c.algorithm = built_well("ring", c.machine, ALLGATHER, 0);
	return c;
}

static void expect_fault(const struct cell *c, const char *why)
{
	char fault[CELL_FAULT];

	cr_expect(not(cell_is_well(c, fault)));
	cr_expect(ne(ptr, strstr(fault, why), NULL), "\"%s\" is not in \"%s\"", why, fault);
}

Test(matrix, a_cell_with_one_wrong_chunk_is_noticed)
{
	char fault[CELL_FAULT];
	struct cell c = cell_of("ring");
	struct step *s = &c.algorithm->steps[0];

	cr_expect(cell_is_well(&c, fault), "%s", fault);
	for (size_t i = 0; i < s->n_sends; i++) {
		s->sends[i].chunk ^= 1;
		cr_expect(not(cell_is_well(&c, fault)), "send %zu of another chunk", i);
		s->sends[i].chunk ^= 1;
	}
	cr_expect(cell_is_well(&c, fault), "%s", fault);
	algorithm_free(c.algorithm);
}

/* Cut short. */
static void expect_beats_bounds(struct algorithm *a, size_t steps, const char *why)
{
	char fault[CELL_FAULT];
	size_t whole = a->n_steps;

	a->n_steps = steps;
	cr_expect(not(cell_keeps_bounds(a, fault)));
	cr_expect(ne(ptr, strstr(fault, why), NULL), "\"%s\" is not in \"%s\"", why, fault);
	a->n_steps = whole;
}

Test(matrix, a_cell_that_beats_the_bounds_is_noticed)
{
	char fault[CELL_FAULT];
	struct cell c = cell_of("ring");

	cr_expect(cell_keeps_bounds(c.algorithm, fault), "%s", fault);
	expect_beats_bounds(c.algorithm, c.algorithm->n_steps - 1, "fewer rounds");
	expect_beats_bounds(c.algorithm, 1, "fewer steps");
	algorithm_free(c.algorithm);
}

Test(matrix, a_cell_that_its_method_should_refuse_is_noticed)
{
	struct cell c = cell_of("linear-program");

	expect_fault(&c, "does not serve");
	algorithm_free(c.algorithm);
}

Test(matrix, a_refusal_without_a_reason_is_noticed)
{
	struct cell silent = {.refusal = {.kind = ERROR_INPUT}}, broken = {0}, well = {0};
	char fault[CELL_FAULT];

	expect_fault(&silent, "is refused with");
	error_set(&broken.refusal, ERROR_SYSTEM, "", "no memory");
	expect_fault(&broken, "no memory");
	error_set(&well.refusal, ERROR_INPUT, "", "it has no ring");
	cr_expect(cell_is_well(&well, fault), "%s", fault);
}
