#include "tests/synth/methods/built.h"

#include "core/base/text.h"
#include "core/machine/topology.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

struct algorithm *built(const char *method, const char *machine, enum collective_kind kind, int chunks, struct error *e)
{
	const struct collective k = {.kind = kind};
	const struct method_options o = {.chunks = chunks};
	struct text report = {0};
	struct topology *t = topology_open(machine, e);
	const struct method *m = method_find(method, e);
	struct algorithm *a = t && m ? method_build(m, t, &k, &o, &report, e) : NULL;

	text_free(&report);
	topology_free(t);
	return a;
}

struct algorithm *built_well(const char *method, const char *machine, enum collective_kind kind, int chunks)
{
	struct error e = {0};
	struct algorithm *a = built(method, machine, kind, chunks, &e);

	cr_assert(ne(ptr, a, NULL), "%s of %s: %s: %s", method, machine, e.where, e.what);
	return a;
}

void expect_refused(const char *method, const char *machine, enum collective_kind kind, int chunks, const char *why)
{
	struct error e = {0};
	struct algorithm *a = built(method, machine, kind, chunks, &e);

	cr_expect(eq(ptr, a, NULL), "%s serves %s", method, machine);
	cr_expect(eq(int, e.kind, ERROR_INPUT));
	cr_expect(ne(ptr, strstr(e.what, why), NULL), "\"%s\" is not in \"%s\"", why, e.what);
	algorithm_free(a);
}

void expect_cost(const char *method, const char *machine, enum collective_kind kind, struct candidate wanted)
{
	struct algorithm *a = built_well(method, machine, kind, wanted.chunks);
	struct candidate is = {a->chunks, (int)a->n_steps, algorithm_rounds(a)};

	cr_expect(is.chunks == wanted.chunks && is.steps == wanted.steps && is.rounds == wanted.rounds,
		  "%s on %s: (%d,%d,%d), not (%d,%d,%d)", method, machine, is.chunks, is.steps, is.rounds, wanted.chunks, wanted.steps,
		  wanted.rounds);
	algorithm_free(a);
}
