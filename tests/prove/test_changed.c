/* Proof files changed by chance: whatever comes, it is read or refused, checked or faulted, and shows nothing that is false. */

#include "tests/fuzz/mutation.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "prove/make.h"
#include "prove/program.h"
#include "prove/question.h"
#include "prove/trace.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(changed, .description = "changed proofs", .timeout = 3000);

static char folder[] = "/tmp/changed-XXXXXX";

/* Every link has a price, in place of the cut that was found. */
static void put_prices(struct proof *p)
{
	struct cut *k = &p->sides[WHOLE].cut;

	k->kind = CUT_PRICES;
	k->prices = new_array(struct price, p->topology->n_links);
	for (size_t i = 0; i < p->topology->n_links; i++)
		k->prices[k->n_prices++] = (struct price){p->topology->links[i].src, p->topology->links[i].dst, -1, 1, ""};
}

/* In two steps everything leaves node 0 in the first, and reaches node 2, across the ring, in the second. */
static void put_program(struct proof *p)
{
	struct side *side = &p->sides[WHOLE];
	struct error e = {0};
	struct question q;

	cr_assert(question_open(p->topology, &side->collective, &q, &e), "%s", e.what);
	size_t rows = q.network->n_edges + q.network->n_limits;
	struct rational *prices = new_array(struct rational, 2 * rows);
	for (size_t i = 0; i < 2 * rows; i++)
		prices[i] = rational(0, 1);
	for (size_t i = 0; i < q.network->n_edges; i++) {
		prices[i].num = q.network->edges[i].src == 0;
		prices[rows + i].num = q.network->edges[i].dst == 2;
	}
	cr_assert(step_program_add(side, &q, 2, p->collective.kind == ALLREDUCE ? 0 : -1, prices, &e), "%s", e.what);
	cr_assert(rational_compare(side->programs[0].at_least, rational(1, 1)) == 0);
	question_close(&q);
	free(prices);
}

static struct text written(const char *kind, const struct make_lists *lists, void (*put)(struct proof *p))
{
	struct error e = {0};
	struct collective k = {0};
	struct topology *t = topology_open("ring:4", &e);
	struct make_report r;
	struct text path = {0}, out = {0};

	if (!*trace_solver())
		cr_skip_test("this build has no solver that writes traces");
	cr_assert(mkdtemp(folder) != NULL);
	cr_assert(collective_open(kind, 4, 0, &k, &e));
	struct proof *p = proof_new(t, &k);
	text_add(&path, "%s/p.json", folder);
	const struct make_options o = {.path = path.bytes, .folder = "proofs", .longest = 1 << 20};
	cr_assert(proof_make(p, lists, &o, &r, &e), "%s", e.what);
	cr_assert(eq(int, r.found.chunks, 0));
	if (put)
		put(p);
	proof_write(p, &out);
	proof_free(p);
	text_free(&path);
	collective_free(&k);
	topology_free(t);
	return out;
}

static bool same_subject(const struct proof *p, const char *kind)
{
	struct error e = {0};
	struct text a = {0}, b = {0};
	struct topology *t = topology_open("ring:4", &e);

	topology_write(p->topology, &a, 0);
	topology_write(t, &b, 0);
	const char *name = strstr(a.bytes, "\"nodes\""), *wanted = strstr(b.bytes, "\"nodes\"");
	bool same = name && strcmp(name, wanted) == 0 && strcmp(collective_name(&p->collective), kind) == 0;
	text_free(&a);
	text_free(&b);
	topology_free(t);
	return same;
}

static void expect_true(const struct proof *p, const char *kind, struct candidate possible)
{
	if (same_subject(p, kind))
		cr_expect(proof_refusal(p, WITHIN_ALL, possible) == NULL && proof_refusal(p, WITHIN_COMPOSITION, possible) == NULL &&
			  !step_program_refutes(&p->sides[WHOLE], possible));
}

static int cases(void)
{
	const char *s = getenv("CHANGED_CASES");
	return s ? atoi(s) : 1500;
}

static void change(struct text *original, const char *kind, const struct candidate *possible, size_t n_possible)
{
	struct text path = {0};
	int held = 0;

	text_add(&path, "%s/p.json", folder);
	mutation_seed(5);
	for (int nth = 0; nth < cases(); nth++) {
		struct error e = {0};
		struct check_report r = {0};
		struct text changed = {0};
		text_add_bytes(&changed, original->bytes, original->length);
		mutate(&changed);
		struct json_document *d = json_document_parse(changed.bytes, "p", &e);
		struct proof *p = d ? proof_read(d, &e) : NULL;
		bool ok = p && proof_check(p, path.bytes, &(struct check_options){0}, &r, &e);
		cr_expect(ok == (e.kind == ERROR_NONE));
		cr_expect(ok == false || r.holds || r.fault[0] || r.left_out);
		for (size_t i = 0; ok && r.holds && i < n_possible; i++)
			expect_true(p, kind, possible[i]);
		held += ok && r.holds;
		proof_free(p);
		json_document_close(d);
		text_free(&changed);
	}
	cr_expect(gt(int, held, 0), "some changes do no harm");
	char command[64] = "rm -rf ";
	cr_assert(eq(int, system(strcat(command, folder)), 0));
	text_free(&path);
	text_free(original);
}

Test(changed, proofs_of_an_allgather)
{
	static const struct candidate refuted[] = {{3, 2, 3}, {2, 2, 2}, {3, 2, 4}, {4, 2, 5}, {1, 1, 1}}, possible[] = {{1, 2, 2}, {2, 2, 3}};
	struct text t = written("allgather", &(struct make_lists){refuted, NULL, 5, 0}, NULL);
	change(&t, "allgather", possible, 2);
}

Test(changed, proofs_of_an_allreduce)
{
	static const struct candidate refuted[] = {{3, 2, 2}, {3, 2, 3}, {4, 2, 3}}, composed[] = {{4, 2, 2}, {8, 4, 4}}, possible[] = {{2, 2, 2}, {4, 4, 4}};
	struct text t = written("allreduce", &(struct make_lists){refuted, composed, 3, 2}, NULL);
	change(&t, "allreduce", possible, 2);
}

Test(changed, bounds_by_prices)
{
	static const struct candidate refuted[] = {{8, 2, 3}, {12, 2, 5}, {4, 1, 9}}, possible[] = {{4, 2, 2}, {8, 2, 4}};
	struct text t = written("alltoall", &(struct make_lists){refuted, NULL, 3, 0}, put_prices);
	change(&t, "alltoall", possible, 2);
}

Test(changed, a_program_of_a_broadcast)
{
	static const struct candidate refuted[] = {{3, 2, 2}, {5, 2, 4}, {1, 1, 1}}, possible[] = {{2, 2, 2}, {4, 3, 3}, {6, 4, 4}};
	struct text t = written("broadcast", &(struct make_lists){refuted, NULL, 3, 0}, put_program);
	change(&t, "broadcast", possible, 3);
}

Test(changed, a_program_of_an_allreduce)
{
	static const struct candidate possible[] = {{2, 2, 2}, {4, 3, 3}};
	struct text t = written("allreduce", &(struct make_lists){0}, put_program);
	change(&t, "allreduce", possible, 2);
}
