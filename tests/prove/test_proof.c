#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "prove/make.h"
#include "prove/question.h"
#include "prove/trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(proof, .description = "certificates");

static char folder[] = "/tmp/proof-XXXXXX";

static struct proof *made(const char *machine, const char *kind, const struct candidate *list, size_t n, size_t longest)
{
	struct error e = {0};
	struct collective k = {0};
	struct topology *t = topology_open(machine, &e);
	struct make_report r;
	struct text path = {0};

	if (!*trace_solver())
		cr_skip_test("this build has no solver that writes traces");
	cr_assert(t != NULL && mkdtemp(folder) != NULL, "%s", e.what);
	cr_assert(collective_open(kind, t->nodes, 0, &k, &e), "%s", e.what);
	struct proof *p = proof_new(t, &k);
	text_add(&path, "%s/p.json", folder);
	struct make_lists lists = {list, list, k.kind == ALLREDUCE ? 0 : n, k.kind == ALLREDUCE ? n : 0};
	cr_assert(proof_make(p, &lists, &(struct make_options){.traces = true, .path = path.bytes, .folder = "proofs", .longest = longest}, &r, &e), "%s",
		  e.what);
	cr_assert(eq(int, r.found.chunks, 0));
	text_free(&path);
	collective_free(&k);
	topology_free(t);
	return p;
}

static struct check_report checked(const struct proof *p, bool solve_again)
{
	struct error e = {0};
	struct check_report r;
	char path[64];

	strcpy(path, folder);
	strcat(path, "/p.json");
	cr_assert(proof_check(p, path, &(struct check_options){.solve_again = solve_again}, &r, &e), "%s", e.what);
	return r;
}

static void clean(struct proof *p)
{
	char command[64] = "rm -rf ";
	proof_free(p);
	cr_assert(eq(int, system(strcat(command, folder)), 0));
}

static const struct candidate dgx1_list[] = {{6, 2, 7}, {5, 2, 6}, {4, 2, 5}, {3, 2, 4}, {6, 2, 8}, {5, 2, 7}};

Test(proof, each_refusal_is_shown_and_the_file_says_the_same)
{
	struct error e = {0};
	struct proof *p = made("dgx1", "allgather", dgx1_list, 6, 1 << 20);
	struct check_report r = checked(p, false);
	struct text a = {0}, b = {0};
	size_t n;

	cr_expect(r.holds, "%s", r.fault);
	cr_expect(eq(sz, r.replayed + r.implied, 6));
	const struct refusal *list = proof_refusals(p, WITHIN_ALL, &n);
	cr_assert(eq(sz, n, 6));
	for (size_t i = 0; i < n; i++)
		cr_expect(candidate_same(list[i].candidate, dgx1_list[i]), "in the order of the list");
	proof_write(p, &a);
	struct json_document *d = json_document_parse(a.bytes, "p", &e);
	struct proof *again = d ? proof_read(d, &e) : NULL;
	cr_assert(again != NULL, "%s: %s", e.where, e.what);
	proof_write(again, &b);
	cr_expect(eq(str, a.bytes, b.bytes));
	json_document_close(d);
	proof_free(again);
	text_free(&a);
	text_free(&b);
	clean(p);
}

Test(proof, a_trace_that_is_not_kept_is_made_again)
{
	struct proof *p = made("dgx1", "allgather", dgx1_list, 6, 0);
	struct check_report r = checked(p, false);

	cr_expect(not(r.holds));
	cr_expect(eq(str, r.fault, (char *)""));
	cr_expect(gt(sz, r.left_out, 0));
	r = checked(p, true);
	cr_expect(r.holds, "%s", r.fault);
	cr_expect(gt(sz, r.solved, 0));
	clean(p);
}

static struct refusal *refusal_by(struct proof *p, enum refused_by by, size_t nth)
{
	for (size_t i = 0; i < p->sides[0].n_refused; i++)
		if (p->sides[0].refused[i].by == by && nth-- == 0)
			return &p->sides[0].refused[i];
	cr_assert(false, "there is none");
	return NULL;
}

static void expect_fault(const struct proof *p, const char *part)
{
	struct check_report r = checked(p, true);
	cr_expect(not(r.holds));
	cr_expect(strstr(r.fault, part) != NULL, "\"%s\" has no \"%s\"", r.fault, part);
}

Test(proof, what_is_changed_in_it_is_found)
{
	struct proof *p = made("dgx1", "allgather", dgx1_list, 6, 1 << 20);
	struct refusal *traced = refusal_by(p, BY_TRACE, 0), *other = refusal_by(p, BY_TRACE, 1);
	struct refusal *implied = refusal_by(p, BY_IMPLIED, 0), was = *traced;
	struct recipe *recipe = traced->recipe;
	char digest[sizeof recipe->formula];

	memcpy(digest, recipe->formula, sizeof digest);
	traced->recipe = other->recipe; /* another instance's */
	expect_fault(p, "there is no chunk 32");
	traced->recipe = recipe;
	recipe->formula[0] = recipe->formula[0] == '0' ? '1' : '0';
	expect_fault(p, "its formula is a different one");
	memcpy(recipe->formula, digest, sizeof digest);
	struct recipe mixed = *recipe;
	mixed.file = other->recipe->file;
	mixed.bytes = other->recipe->bytes;
	memcpy(mixed.trace, other->recipe->trace, sizeof mixed.trace);
	traced->recipe = &mixed; /* its formula, another's trace */
	expect_fault(p, "its trace does not refute it");
	traced->recipe = recipe;
	traced->candidate = (struct candidate){2, 2, 3};
	expect_fault(p, "(2,2,3)");
	*traced = was;
	recipe->orders.all[0].chunks[0] ^= 1;
	expect_fault(p, "the swap of chunks");
	recipe->orders.all[0].chunks[0] ^= 1;
	struct candidate from = implied->from;
	implied->from = implied->candidate;
	expect_fault(p, "the candidate that it is claimed to follow from is not refuted here");
	implied->from = from;
	struct candidate c = implied->candidate;
	implied->candidate = (struct candidate){2, 2, 3};
	expect_fault(p, "would not give one");
	implied->candidate = c;
	implied->by = BY_STEPS;
	expect_fault(p, "is not below the step bound");
	implied->by = BY_IMPLIED;
	cr_expect(checked(p, false).holds);
	clean(p);
}

/* With all that names it right, and no trace kept: only solving shows that it is false. */
Test(proof, a_claim_that_can_be_fulfilled_is_found)
{
	static const struct candidate refuted = {3, 2, 4};
	struct proof *p = made("dgx1", "allgather", &refuted, 1, 0);
	struct refusal *r = refusal_by(p, BY_TRACE, 0);
	struct error e = {0};
	struct question q;
	struct instance i;
	struct cnf f;

	r->candidate = (struct candidate){2, 2, 3};
	cr_assert(question_open(p->topology, &p->collective, &q, &e));
	cr_assert(question_instance(&q, r->candidate, &i, &e));
	cr_assert(cnf_write(&i, NULL, &f, &e));
	r->recipe->variables = f.variables;
	r->recipe->clauses = f.n_clauses;
	cnf_digest(&f, r->recipe->formula);
	orders_free(&r->recipe->orders);
	r->recipe->orders = orders_of(&i, 1);
	expect_fault(p, "its formula is satisfiable");
	cnf_free(&f);
	question_done(&i);
	question_close(&q);
	clean(p);
}

Test(proof, a_maker_says_so_where_there_is_an_algorithm)
{
	struct error e = {0};
	struct make_report r;
	struct topology *t = topology_open("ring:4", &e);
	struct proof *p = proof_new(t, &(struct collective){.kind = ALLGATHER});
	struct proof *whole = proof_new(t, &(struct collective){.kind = ALLREDUCE});
	static const struct candidate list[] = {{1, 2, 2}}, composed[] = {{4, 4, 4}};

	if (!*trace_solver())
		cr_skip_test("this build has no solver that writes traces");
	cr_assert(proof_make(p, &(struct make_lists){list, NULL, 1, 0}, &(struct make_options){.traces = true, .path = "/dev/null", .folder = "proofs"}, &r, &e), "%s",
		  e.what);
	cr_expect(eq(int, r.found.chunks, 1));
	cr_assert(proof_make(whole, &(struct make_lists){NULL, composed, 0, 1}, &(struct make_options){.traces = true, .path = "/dev/null", .folder = "proofs"}, &r, &e),
		  "%s", e.what);
	cr_expect(eq(int, r.found.chunks, 4));
	proof_free(p);
	proof_free(whole);
	topology_free(t);
}

Test(proof, compositions_are_refused_by_their_halves)
{
	static const struct candidate list[] = {{24, 4, 7}, {16, 4, 5}, {24, 4, 8}, {32, 5, 10}};
	struct proof *p = made("dgx1", "allreduce", list, 4, 1 << 20);

	cr_expect(checked(p, false).holds);
	p->sides[SCATTERS].n_refused = 0;
	expect_fault(p, "neither reducescatter");
	clean(p);
}

/* The ring of five has none in two steps, though that is its diameter. */
Test(proof, allreduces_are_refused_directly_too)
{
	static const struct candidate list[] = {{1, 2, 4}, {1, 2, 2}, {1, 1, 1}};
	struct error e = {0};
	struct make_report r;
	struct topology *t = topology_open("ring:5", &e);
	struct proof *p = proof_new(t, &(struct collective){.kind = ALLREDUCE});
	struct text path = {0};

	if (!*trace_solver())
		cr_skip_test("this build has no solver that writes traces");
	cr_assert(mkdtemp(folder) != NULL);
	text_add(&path, "%s/p.json", folder);
	cr_assert(proof_make(p, &(struct make_lists){list, NULL, 3, 0}, &(struct make_options){.traces = true, .path = path.bytes, .folder = "proofs"}, &r,
			     &e), "%s", e.what);
	cr_expect(eq(sz, r.traced, 1));
	cr_expect(eq(sz, r.implied, 1));
	cr_expect(eq(sz, r.below, 1));
	cr_expect(checked(p, true).holds);
	refusal_by(p, BY_TRACE, 0)->candidate.chunks = 2;
	expect_fault(p, "its formula is a different one");
	text_free(&path);
	topology_free(t);
	clean(p);
}

Test(proof, one_follows_from_another_as_the_rules_say)
{
	static const struct {
		struct candidate c, from;
		bool gives;
	} cases[] = {
		{{5, 2, 4}, {3, 2, 4}, true},  {{3, 2, 4}, {5, 2, 4}, false}, {{3, 2, 4}, {3, 3, 5}, true}, {{3, 2, 4}, {3, 3, 4}, false},
		{{3, 2, 4}, {3, 2, 5}, true},  {{3, 2, 2}, {6, 2, 4}, true},  {{3, 2, 2}, {6, 2, 3}, false}, {{3, 2, 2}, {5, 3, 5}, true},
		{{3, 3, 3}, {3, 2, 3}, false}, {{1, 1, 1}, {1 << 24, 1, 1 << 24}, true},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		cr_expect(candidate_gives(cases[i].c, cases[i].from) == cases[i].gives, "case %zu", i);
}
