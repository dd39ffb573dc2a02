#include "core/base/error.h"
#include "core/machine/network.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "../encode/random_instance.h"
#include "encode/solve.h"
#include "prove/cnf.h"
#include "prove/rup.h"
#include "prove/trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

TestSuite(cnf, .description = "formulas of certificates", .timeout = 3000);

struct subject {
	struct topology *topology;
	struct network *network;
	struct collective collective;
};

static struct subject subject(const char *machine, const char *kind)
{
	struct error e = {0};
	struct subject s = {.topology = topology_open(machine, &e)};

	cr_assert(s.topology != NULL, "%s", e.what);
	s.network = network_new(s.topology, &e);
	cr_assert(collective_open(kind, s.topology->nodes, 0, &s.collective, &e), "%s", e.what);
	return s;
}

static void subject_free(struct subject *s)
{
	collective_free(&s->collective);
	network_free(s->network);
	topology_free(s->topology);
}

static struct instance instance_of(const struct subject *s, int chunks, int steps, int rounds)
{
	struct error e = {0};
	struct instance i;
	cr_assert(instance_new(s->network, &s->collective, chunks, steps, rounds, &i, &e), "%s", e.what);
	return i;
}

static enum trace_answer solved(const struct instance *i, const struct orders *o)
{
	struct error e = {0};
	struct cnf f;
	struct trace t;

	cr_assert(cnf_write(i, o, &f, &e), "%s", e.what);
	cr_assert(trace_solve(&f, &(struct trace_limits){.timeout = 100}, &t, &e), "%s", e.what);
	if (t.answer == TRACE_REFUTED) {
		struct replay got = rup_check(&f, t.bytes.bytes, t.bytes.length, NULL);
		cr_expect(got.refuted, "byte %zu: %s", got.byte, got.why);
	}
	text_free(&t.bytes);
	cnf_free(&f);
	return t.answer;
}

/* Plain and ordered formulas say what the encodings say. True: found. */
static bool expect_agreement(const struct instance *i, const char *what)
{
	struct error e = {0};
	struct solution got;
	struct orders o = orders_of(i, SIZE_MAX);

	cr_assert(solve(i, &(struct solve_options){.engine = "bits", .timeout = 100}, &got, &e), "%s", e.what);
	enum trace_answer wanted = got.answer == ANSWER_FOUND ? TRACE_FOUND : TRACE_REFUTED;
	cr_expect(orders_hold(i, &o, &e), "%s: %s", what, e.what);
	cr_expect(eq(int, (int)solved(i, NULL), (int)wanted), "%s (%d,%d,%d), plain", what, i->chunks, i->steps, i->rounds);
	cr_expect(eq(int, (int)solved(i, &o), (int)wanted), "%s (%d,%d,%d), ordered", what, i->chunks, i->steps, i->rounds);
	orders_free(&o);
	steps_free(got.steps, got.n_steps);
	return got.answer == ANSWER_FOUND;
}

static void need_solver(void)
{
	if (!*trace_solver())
		cr_skip_test("this build has no solver that writes traces");
}

Test(cnf, of_two_generators_agree_on_all_small_instances)
{
	static const char *const machines[] = {"ring:3", "ring:4", "ring:5", "line:3", "complete:4", "switch:4", "dgx1"};
	static const char *const kinds[] = {"allgather", "broadcast", "gather", "scatter", "alltoall"};
	int found = 0, refuted = 0;

	need_solver();
	for (size_t m = 0; m < sizeof machines / sizeof *machines; m++)
		for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
			struct subject s = subject(machines[m], kinds[k]);
			bool large = s.topology->nodes > 5, blocks = collective_row(&s.collective)->chunks_in_blocks;
			int unit = blocks ? s.topology->nodes : 1, steps = large ? 2 : 3;
			for (int c = 1; c <= (large ? 2 : 3) && (!large || !blocks || c < 2); c++)
				for (int st = 1; st <= steps; st++)
					for (int r = st; r <= st + 1; r++) {
						struct instance i = instance_of(&s, c * unit, st, r);
						*(expect_agreement(&i, machines[m]) ? &found : &refuted) += 1;
					}
			subject_free(&s);
		}
	cr_expect(gt(int, found, 50));
	cr_expect(gt(int, refuted, 50));
}

Test(cnf, of_random_machines_agree_with_the_encodings_and_with_trying_everything)
{
	const char *cases = getenv("FORMULA_CASES");
	int tried = 0;

	need_solver();
	random_seed(11);
	for (int nth = 0; nth < (cases ? atoi(cases) : 120); nth++) {
		struct random_question q = random_question();
		bool found = expect_agreement(&q.instance, "random");
		enum tried all = try_everything(&q.instance);
		cr_expect(all == TRIED_TOO_LARGE || found == (all == TRIED_FOUND), "question %d", nth);
		tried += all != TRIED_TOO_LARGE;
		question_free(&q);
	}
	cr_expect(gt(int, tried, 10));
}

Test(cnf, of_allreduce_agree_too)
{
	static const char *const machines[] = {"ring:3", "ring:4", "ring:5", "line:3", "star:4", "complete:4", "switch:4"};
	int found = 0, refuted = 0;

	need_solver();
	for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
		struct subject s = subject(machines[m], "allreduce");
		for (int c = 1; c <= 3; c++)
			for (int st = 1; st <= 3; st++)
				for (int r = st; r <= st + 2; r++) {
					struct instance i = instance_of(&s, c, st, r);
					*(expect_agreement(&i, machines[m]) ? &found : &refuted) += 1;
				}
		subject_free(&s);
	}
	cr_expect(gt(int, found, 20));
	cr_expect(gt(int, refuted, 20));
}

Test(cnf, are_the_published_answers)
{
	static const struct {
		const char *kind;
		int chunks, steps, rounds;
		bool found;
	} rows[] = {
		{"allgather", 2, 2, 3, true}, {"allgather", 3, 2, 4, false}, {"allgather", 5, 2, 7, false},
		{"allgather", 6, 2, 8, false}, {"broadcast", 6, 3, 3, true}, {"broadcast", 7, 3, 3, false},
		{"broadcast", 13, 4, 4, false}, {"alltoall", 8, 2, 3, true}, {"gather", 6, 2, 7, false},
	};

	need_solver();
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct subject s = subject("dgx1", rows[i].kind);
		struct instance in = instance_of(&s, rows[i].chunks, rows[i].steps, rows[i].rounds);
		struct orders o = orders_of(&in, 1);
		cr_expect(eq(int, (int)solved(&in, &o), (int)(rows[i].found ? TRACE_FOUND : TRACE_REFUTED)), "row %zu", i);
		orders_free(&o);
		subject_free(&s);
	}
}

/* Certificates of years ago must be read: these digests change with CNF_VERSION alone. */
Test(cnf, are_the_same_bytes_everywhere)
{
	struct error e = {0};
	struct subject s = subject("ring:3", "broadcast");
	struct instance i = instance_of(&s, 2, 1, 2);
	struct text text = {0};
	struct cnf f;
	char hex[65];

	cr_assert(cnf_write(&i, NULL, &f, &e));
	cnf_dimacs(&f, &text);
	cr_expect(eq(str, text.bytes, (char *)
		"p cnf 9 12\n1 0\n2 0\n3 0\n4 0\n-3 6 0\n-1 6 0\n-1 -3 7 0\n-7 5 0\n-4 8 0\n-2 8 0\n-2 -4 9 0\n-9 5 0\n"), "%s", text.bytes);
	cnf_digest(&f, hex);
	cr_expect(eq(str, hex, (char *)"8e768f0edd1e69b4ed19821a7a347b9bf25f99edf9d5fc24b45279dc0b78301a"), "%s", hex);
	text_free(&text);
	cnf_free(&f);
	subject_free(&s);
}

static void expect_refused(const struct instance *i, const struct orders *o, const char *why)
{
	struct error e = {0};
	cr_expect(not(orders_hold(i, o, &e)), "%s", why);
	cr_expect(eq(str, e.what, (char *)why));
}

Test(cnf, orders_need_chunks_that_are_alike)
{
	struct error e = {0};
	struct subject s = subject("ring:3", "allgather");
	struct instance i = instance_of(&s, 2, 2, 2);
	int first[] = {1, 2}, none[] = {1, 3};
	struct chunk_order one = {2, 2, (int[]){0, 3}, first}, again = one, other = {2, 2, (int[]){0, 1}, first};
	struct chunk_order beyond = {2, 2, (int[]){0, 6}, first}, back = {2, 2, (int[]){3, 0}, first}, nowhere = {2, 2, (int[]){0, 3}, none};

	cr_expect(orders_hold(&i, &(struct orders){1, &one}, &e), "%s", e.what);
	expect_refused(&i, &(struct orders){1, &other}, "the swap of chunks 0 and 1 does not map the instance to itself");
	expect_refused(&i, &(struct orders){2, (struct chunk_order[]){one, again}}, "chunk 0 is ordered twice");
	expect_refused(&i, &(struct orders){1, &beyond}, "there is no chunk 6");
	expect_refused(&i, &(struct orders){1, &back}, "chunk 0 does not follow a lower one");
	expect_refused(&i, &(struct orders){1, &nowhere}, "there is no node 3");
	subject_free(&s);
}

Test(cnf, too_large_ones_are_told)
{
	struct error e = {0};
	struct subject s = subject("ring:3", "broadcast");
	struct instance i = instance_of(&s, 1000000, 1000, 1000);
	struct cnf f;

	cr_expect(not(cnf_write(&i, NULL, &f, &e)));
	cr_expect(eq(int, (int)e.kind, (int)ERROR_LIMIT));
	subject_free(&s);
}
