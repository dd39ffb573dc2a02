/* Every method, collective and machine: verified and no faster than the bounds, or refused with a reason. */

#include "tests/methods/built.h"

#include "core/bounds.h"
#include "core/topology.h"
#include "core/verify.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TestSuite(matrix, .description = "every method, collective and machine", .timeout = 100);

static void check_built(const struct algorithm *a, const char *method)
{
	struct verdict v = algorithm_verify(a);
	struct bounds b;
	struct error e = {0};

	cr_expect(v.fault == FAULT_NONE, "%s %s: %s", method, a->name, v.why);
	cr_assert(bounds_compute(a->topology, &a->collective, &b, &e), "%s", e.what);
	cr_expect(b.steps <= (int)a->n_steps, "%s %s has fewer steps than the bound", method, a->name);
	cr_expect(rational_compare(algorithm_bandwidth(a), b.bandwidth) >= 0, "%s %s has fewer rounds than the bound", method, a->name);
	bounds_free(&b);
}

static int try_all(const struct method *m, const char *machine)
{
	int n = 0;

	for (int kind = 0; kind < CUSTOM; kind++) {
		struct error e = {0};
		struct algorithm *a = built(m->name, machine, (enum collective_kind)kind, 0, &e);
		if (a) {
			check_built(a, m->name);
			cr_expect(method_serves(m, (enum collective_kind)kind));
			n++;
		} else
			cr_expect(e.kind == ERROR_INPUT && e.what[0], "%s on %s, kind %d: %d %s", m->name, machine, kind, (int)e.kind, e.what);
		algorithm_free(a);
	}
	return n;
}

static int try_machines(const char *const *machines, int n)
{
	size_t n_methods;
	const struct method *all = methods_all(&n_methods);
	int served = 0;

	for (int i = 0; i < n; i++)
		for (size_t m = 0; m < n_methods; m++)
			served += try_all(&all[m], machines[i]);
	return served;
}

Test(matrix, of_gpu_boxes)
{
	static const char *const machines[] = {"dgx1", "dgx1p", "amd-z52", "dgx-a100", "p3.8xlarge", "p2.16xlarge", "mi250x-frontier"};
	cr_expect(gt(int, try_machines(machines, 7), 250));
}

Test(matrix, of_shapes)
{
	static const char *const machines[] = {"torus:4x4", "mesh:3x3", "hypercube:3", "ring:5", "line:4", "star:5", "complete:6",
					       "switch:6",  "line:2",   "bigraph:2x4", "fat-tree:2x3"};
	cr_expect(gt(int, try_machines(machines, 11), 400));
}

/* Links one way alone, limits, a wide link between narrow ones, all that edits make. */
Test(matrix, of_odd_machines)
{
	static const char *const machines[] = {"dgx1@drop=0-1", "dgx1@gpus=0,1,2,3,4", "ring:6@add=0-3x4", "mi50-two-rings",
					       "dgx2@gpus=0,1,2", "torus:3x3@drop=0-1", "complete:3"};
	cr_expect(gt(int, try_machines(machines, 7), 250));
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
