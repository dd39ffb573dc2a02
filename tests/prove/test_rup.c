#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "prove/rup.h"
#include "prove/trace.h"
#include "tests/support/random.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

TestSuite(rup, .description = "the replay of traces");

/* Clauses end with 0, and the list with END. */
enum { END = 99999 };

static struct cnf formula(int variables, const int *literals)
{
	struct cnf f = {.variables = variables};

	for (; literals[f.n_literals] != END; f.n_literals++)
		f.n_clauses += literals[f.n_literals] == 0;
	f.literals = copy_bytes(literals, f.n_literals * sizeof *literals);
	return f;
}

/* Lines as 'a' or 'd', literals, 0. */
static struct text trace_of(const int *lines)
{
	struct text t = {0};
	bool begins = true;

	text_add_bytes(&t, "", 0);
	for (; *lines != END; lines++) {
		char byte = begins ? (char)*lines : (char)(*lines > 0 ? 2 * *lines : *lines < 0 ? -2 * *lines + 1 : 0);
		text_add_bytes(&t, &byte, 1);
		begins = !begins && *lines == 0;
	}
	return t;
}

static const int all_four[] = {1, 2, 0, 1, -2, 0, -1, 2, 0, -1, -2, 0, END};

static struct replay replay(int variables, const int *literals, const int *lines)
{
	struct cnf f = formula(variables, literals);
	struct text t = trace_of(lines);
	struct replay got = rup_check(&f, t.bytes, t.length, NULL);
	text_free(&t);
	cnf_free(&f);
	return got;
}

Test(rup, a_trace_that_follows_refutes)
{
	struct replay got = replay(2, all_four, (int[]){'a', 1, 0, 'a', 0, END});
	cr_expect(got.refuted, "%s", got.why);
	cr_expect(replay(2, all_four, (int[]){'a', 2, 0, END}).refuted);
	cr_expect(replay(3, (int[]){1, 2, 3, 0, -1, 0, -2, 0, -3, 0, END}, (int[]){END}).refuted, "unit propagation alone");
	cr_expect(replay(1, (int[]){0, END}, (int[]){END}).refuted, "the empty clause");
}

Test(rup, what_does_not_follow_is_refused_where_it_stands)
{
	struct replay got = replay(3, (int[]){1, 2, 0, 1, -2, 0, END}, (int[]){'a', 1, 0, 'a', 3, 0, 'a', 0, END});
	cr_expect(not(got.refuted));
	cr_expect(eq(sz, got.byte, 3));
	cr_expect(eq(str, got.why, (char *)"added clause 2 does not follow by unit propagation"));
	got = replay(2, all_four, (int[]){'a', 0, END});
	cr_expect(not(got.refuted), "the empty clause follows by no unit");
	got = replay(2, (int[]){1, 2, 0, END}, (int[]){END});
	cr_expect(eq(str, got.why, (char *)"the trace ends without a contradiction"));
	got = replay(2, all_four, (int[]){END});
	cr_expect(not(got.refuted));
}

Test(rup, deletion_forgets_a_clause_and_keeps_what_followed)
{
	struct replay got = replay(2, all_four, (int[]){'d', 2, 1, 0, 'a', 1, 0, END});
	cr_expect(not(got.refuted), "one of the four is needed");
	cr_expect(eq(sz, got.byte, 4));
	got = replay(2, all_four, (int[]){'a', 1, 0, 'd', 1, 2, 0, 'd', 1, 0, END});
	cr_expect(got.refuted, "%s", got.why);
	got = replay(2, all_four, (int[]){'d', 1, 0, 'a', 1, 0, END});
	cr_expect(not(got.refuted));
	cr_expect(eq(str, got.why, (char *)"a clause that does not exist is deleted"));
	got = replay(2, all_four, (int[]){'d', 1, 2, 0, 'd', 1, 2, 0, 'a', 1, 0, END});
	cr_expect(eq(sz, got.byte, 4), "it was there once");
}

/* So many that those that are gone are no longer watched: LAST is what follows. */
static struct replay replay_many(const int *last)
{
	enum { FIRST = 3, VARIABLES = 60, LINE = 5, MOST = 2 * LINE * VARIABLES * VARIABLES };
	int *lines = new_array(int, MOST);
	size_t n = 0;

	for (int kind = 'a'; kind <= 'd'; kind += 'd' - 'a')
		for (int x = FIRST; x <= VARIABLES; x++)
			for (int y = FIRST; y <= VARIABLES; y++) {
				if (x == y)
					continue;
				int line[LINE] = {kind, 1, x, -y, 0};
				memcpy(lines + n, line, sizeof line);
				n += LINE;
			}
	while (*last != END)
		lines[n++] = *last++;
	lines[n] = END;
	struct replay got = replay(VARIABLES, all_four, lines);
	free(lines);
	return got;
}

Test(rup, deletion_of_thousands_of_clauses_forgets_these_alone)
{
	struct replay got = replay_many((int[]){'a', 1, 0, 'a', 0, END});
	cr_expect(got.refuted, "%s", got.why);
	cr_expect_eq(got.deleted, 58 * 57);
	got = replay_many((int[]){'d', 1, 3, -4, 0, END});
	cr_expect_not(got.refuted);
	cr_expect_not_null(strstr(got.why, "does not exist"), "%s", got.why);
	got = replay_many((int[]){'d', 1, 2, 0, 'd', 1, -2, 0, 'a', 1, 0, END});
	cr_expect_not(got.refuted);
	cr_expect_not_null(strstr(got.why, "does not follow"), "%s", got.why);
}

Test(rup, literals_that_are_there_twice_and_both_ways_do_no_harm)
{
	cr_expect(replay(2, all_four, (int[]){'a', 1, 1, 0, END}).refuted);
	cr_expect(not(replay(2, (int[]){1, 2, 0, END}, (int[]){'a', 1, -1, 0, END}).refuted));
	cr_expect(replay(2, all_four, (int[]){'a', 1, -1, 0, 'a', 2, 0, END}).refuted);
	cr_expect(replay(2, (int[]){1, 1, 0, 1, -1, 0, -1, 2, 0, -1, -2, 0, END}, (int[]){END}).refuted);
}

static void expect_malformed(const char *bytes, size_t n, size_t at, const char *why)
{
	struct cnf f = formula(2, all_four);
	struct replay got = rup_check(&f, bytes, n, NULL);
	cr_expect(not(got.refuted));
	cr_expect(eq(sz, got.byte, at), "%s", why);
	cr_expect(eq(str, got.why, (char *)why));
	cnf_free(&f);
}

Test(rup, malformed_traces_are_refused_with_the_byte)
{
	expect_malformed("b\2\0", 3, 0, "no line begins here: one begins with 'a' or 'd'");
	expect_malformed("a\3\4\0x", 5, 4, "no line begins here: one begins with 'a' or 'd'");
	expect_malformed("a\2", 2, 2, "the trace ends in the middle of a line");
	expect_malformed("a", 1, 1, "the trace ends in the middle of a line");
	expect_malformed("a\202", 2, 1, "the trace ends in the middle of a line");
	expect_malformed("a\6\0", 3, 1, "there is no variable 3; the formula has 2");
	expect_malformed("a\1\0", 3, 1, "there is no variable 0; the formula has 2");
	expect_malformed("a\200\200\200\200\200\1\0", 8, 1, "a number has too many bits");
	/* Behind the contradiction too. */
	expect_malformed("a\2\0a\0z", 6, 5, "no line begins here: one begins with 'a' or 'd'");
}

/* ---- a solver's traces ---- */

static struct cnf question(int chunks, int steps, int rounds)
{
	struct error e = {0};
	struct topology *t = topology_open("ring:4", &e);
	struct network *w = network_new(t, &e);
	struct collective k = {.kind = ALLGATHER};
	struct instance i;
	struct cnf f;

	cr_assert(instance_new(w, &k, chunks, steps, rounds, &i, &e), "%s", e.what);
	cr_assert(cnf_write(&i, NULL, &f, &e));
	network_free(w);
	topology_free(t);
	return f;
}

static struct text solved(const struct cnf *f)
{
	struct error e = {0};
	struct trace t;
	cr_assert(trace_solve(f, &(struct trace_limits){.timeout = 60}, &t, &e), "%s", e.what);
	cr_assert(eq(int, (int)t.answer, (int)TRACE_REFUTED), "%s", t.why);
	return t.bytes;
}

static void need_solver(void)
{
	if (!*trace_solver())
		cr_skip_test("this build has no solver that writes traces");
}

Test(rup, a_solvers_trace_refutes_and_so_does_what_is_needed_of_it)
{
	need_solver();
	struct cnf f = question(3, 3, 4);
	struct text whole = solved(&f), part = {0};
	struct replay got = rup_trim(&f, whole.bytes, whole.length, &part, NULL);

	cr_assert(got.refuted, "%s", got.why);
	cr_expect(rup_check(&f, whole.bytes, whole.length, NULL).refuted);
	cr_expect(lt(sz, part.length, whole.length));
	got = rup_check(&f, part.bytes, part.length, NULL);
	cr_expect(got.refuted, "byte %zu: %s", got.byte, got.why);
	/* Nor does the trace of one refute another that can be fulfilled. */
	struct cnf other = question(2, 2, 3);
	cr_expect(not(rup_check(&other, part.bytes, part.length, NULL).refuted));
	text_free(&whole);
	text_free(&part);
	cnf_free(&f);
	cnf_free(&other);
}

Test(rup, an_interrupt_ends_it_and_refutes_nothing)
{
	struct cnf f = formula(2, all_four);
	struct text t = trace_of((int[]){'a', 1, 0, 'a', 0, END});
	struct replay got = rup_check(&f, t.bytes, t.length, &(volatile int){1});

	cr_expect(not(got.refuted));
	cr_expect(eq(str, got.why, (char *)"interrupted"));
	text_free(&t);
	cnf_free(&f);
}

/* What a replay must never do, whatever the bytes: crash, hang, or refute what can be fulfilled. */
Test(rup, changed_traces_never_crash_it_and_never_refute_what_can_be_fulfilled)
{
	need_solver();
	struct cnf f = question(3, 3, 4), true_one = question(2, 2, 3);
	struct text whole = solved(&f);
	uint64_t state = 88172645463325252u;
	char *bytes = malloc(whole.length);

	for (int nth = 0; nth < 400; nth++) {
		size_t n = whole.length;
		memcpy(bytes, whole.bytes, n);
		for (int changes = 0; changes < 1 + nth % 4; changes++) {
			random_bits(&state);
			size_t at = (size_t)(state >> 20) % n;
			if (state % 3 == 0)
				n = at + 1;
			else if (state % 3 == 1)
				bytes[at] = (char)(state >> 8);
			else
				memmove(bytes + at, bytes + at + 1, --n - at);
		}
		struct replay got = rup_check(&f, bytes, n, NULL);
		cr_expect(got.refuted || got.why[0]);
		got = rup_check(&true_one, bytes, n, NULL);
		cr_expect(not(got.refuted));
		cr_expect(le(sz, got.byte, n));
	}
	free(bytes);
	text_free(&whole);
	cnf_free(&f);
	cnf_free(&true_one);
}
