#include "tests/support/by_hand.h"
#include "core/schedule/cost.h"
#include "core/schedule/step_overhead.h"
#include "core/schedule/symmetry.h"

TestSuite(cost, .description = "S·α + (R/C)·L·β");

static struct topology *with_kinds(const char *kinds, const char *of)
{
	struct error e = {0};
	char json[1024];
	snprintf(json, sizeof json, "{\"format\": \"sccl-topology\", \"version\": 1, \"name\": \"t\", \"nodes\": 2, \"duplex\": true, "
		 "\"links\": [{\"src\": 0, \"dst\": 1, \"bandwidth\": 1%s}], \"kinds\": {%s}}", of, kinds);
	struct json_document *d = json_document_parse(json, "t.json", &e);
	cr_assert(ne(ptr, d, NULL), "%s", e.what);
	struct json_place top = json_top(d);
	struct topology *t = topology_read(&top, &e);
	cr_assert(ne(ptr, t, NULL), "%s: %s", e.where, e.what);
	json_document_close(d);
	return t;
}

Test(cost, is_steps_and_rounds_per_chunk)
{
	struct algorithm *a = HAND("line:2", KIND(BROADCAST, 0), 6, "2: 0 0 1, 1 0 1", "5: 2 0 1, 3 0 1, 4 0 1, 5 0 1");
	struct cost c = algorithm_cost(a);
	cr_expect(eq(int, c.steps, 2));
	cr_expect(eq(int, c.rounds, 7));
	cr_expect(eq(int, rational_compare(c.bandwidth, rational(7, 6)), 0));
	algorithm_free(a);
}

Test(cost, a_time_is_exact)
{
	struct rational alpha, beta;
	struct topology *t = with_kinds("\"nvlink2\": {\"latency_us\": \"7/10\", \"gigabytes_per_second\": 25}", ", \"kind\": \"nvlink2\"");
	struct cost c = {3, 7, {7, 6}};
	cr_assert(topology_alpha_beta(t, &alpha, &beta));
	cr_expect(eq(int, rational_compare(beta, rational(1, 25000)), 0), "25 GB/s are 25000 bytes a microsecond");
	/* 3 * 0.7 + 7/6 * 150000 / 25000 */
	cr_expect(eq(int, rational_compare(cost_time(&c, alpha, beta, 150000), rational(91, 10)), 0));
	cr_expect(not(rational_ok(cost_time(&(struct cost){3, 7, {INT64_MAX, 1}}, alpha, beta, INT64_MAX))), "too large to say");
	topology_free(t);
}

Test(cost, a_speed_beyond_64_bits_has_no_beta)
{
	struct rational alpha, beta;
	struct topology *t = with_kinds("\"fast\": {\"latency_us\": 1, \"gigabytes_per_second\": 25}", ", \"kind\": \"fast\"");
	t->kinds[0].gigabytes_per_second = rational(INT64_MAX, 1);
	cr_expect(not(topology_alpha_beta(t, &alpha, &beta)));
	topology_free(t);
}

Test(cost, only_kinds_that_links_have_count)
{
	struct rational alpha, beta;
	struct topology *t = machine("ring:4");
	cr_expect(not(topology_alpha_beta(t, &alpha, &beta)));
	topology_free(t);
	t = with_kinds("\"slow\": {\"latency_us\": 9, \"gigabytes_per_second\": 1}", "");
	cr_expect(not(topology_alpha_beta(t, &alpha, &beta)), "no link is of that kind");
	topology_free(t);
	t = with_kinds("\"fast\": {\"latency_us\": 1, \"gigabytes_per_second\": 50}, \"slow\": {\"latency_us\": 9, "
		       "\"gigabytes_per_second\": 1}", ", \"kind\": \"fast\"");
	cr_assert(topology_alpha_beta(t, &alpha, &beta));
	cr_expect(eq(int, rational_compare(alpha, rational(1, 1)), 0));
	topology_free(t);
}

/* ---- the latency of steps ---- */

/* A ring whose link 0-1 is slow: 9 us, the others 1. */
static const char *const uneven = "\"nodes\": 4, \"duplex\": true, \"links\": [{\"src\": 0, \"dst\": 1, \"bandwidth\": 1, \"kind\": \"ib\"}, "
	"{\"src\": 1, \"dst\": 2, \"bandwidth\": 1, \"kind\": \"nvlink\"}, {\"src\": 2, \"dst\": 3, \"bandwidth\": 1, \"kind\": \"nvlink\"}, "
	"{\"src\": 3, \"dst\": 0, \"bandwidth\": 1, \"kind\": \"nvlink\"}], \"kinds\": {\"ib\": {\"latency_us\": 9, \"gigabytes_per_second\": 1}, "
	"\"nvlink\": {\"latency_us\": 1, \"gigabytes_per_second\": 1}}";

static struct algorithm *on_uneven(struct collective k, int chunks, size_t n, const char *const *texts)
{
	struct topology *t = machine_of(uneven);
	struct step *steps = new_array(struct step, n);
	for (size_t i = 0; i < n; i++)
		steps[i] = step_of(texts[i]);
	struct algorithm *a = algorithm_new(t, &k, chunks, n, steps, "hand");
	topology_free(t);
	return a;
}

static void expect_latency(const struct algorithm *a, struct step_overhead c, int64_t num, int64_t den)
{
	struct error e = {0};
	struct rational us;
	char text[RATIONAL_TEXT];
	cr_assert(algorithm_latency(a, &c, &us, &e), "%s: %s", e.where, e.what);
	cr_expect(eq(int, rational_compare(us, rational(num, den)), 0), "%s", rational_text(us, text));
}

Test(cost, a_step_has_the_latency_of_its_slowest_route)
{
	/* Over NVLink alone, then over both, then again alone. */
	static const char *const steps[] = {"1: 0 0 3", "1: 0 0 1, 0 3 2", "1: 1 0 3"};
	struct algorithm *a = on_uneven((struct collective){.kind = BROADCAST}, 2, 3, steps);
	expect_latency(a, (struct step_overhead){.target = NULL}, 1 + 9 + 1, 1);
	expect_latency(a, (struct step_overhead){.us = {1, 2}}, 2 * (1 + 9 + 1) + 3, 2);
	expect_latency(a, (struct step_overhead){.target = "cuda"}, 10 * (1 + 9 + 1) + 28 + 113 + 28, 10);
	algorithm_free(a);
}

Test(cost, a_route_through_switches_has_the_latency_of_all_its_links)
{
	struct algorithm *a = HAND("dgx-h100*2:4xib400", KIND(BROADCAST, 0), 1, "1: 0 0 1", "1: 0 0 8", "1: 0 0 9, 0 8 10");
	expect_latency(a, (struct step_overhead){.target = NULL}, 7 + 13 + 13, 10);
	expect_latency(a, (struct step_overhead){.target = "hip"}, 7 + 13 + 13 + 28 + 113 + 113, 10);
	algorithm_free(a);
}

/* The listed sends use fast links only, their images also the slow one. */
Test(cost, a_compact_algorithm_has_the_latency_of_its_full_form)
{
	static const char *const steps[] = {"1: 1 1 2", "1: 1 2 3", "1: 1 3 0"};
	static const int rotated[] = {1, 2, 3, 0};
	struct error e = {0};
	struct collective k = {.kind = ALLGATHER};
	struct algorithm *a = on_uneven(k, 1, 3, steps);
	a->symmetry = symmetry_new(&k, 4, 4);
	symmetry_add(a->symmetry, rotated, NULL);
	expect_latency(a, (struct step_overhead){.target = NULL}, 27, 1);
	cr_assert(algorithm_expand(a, &e), "%s", e.what);
	expect_latency(a, (struct step_overhead){.target = NULL}, 27, 1);
	algorithm_free(a);
}

Test(cost, a_network_without_a_kind_is_not_charged_as_nvlink)
{
	struct error e = {0};
	struct rational us;
	struct algorithm *between = HAND("dgx1*2", KIND(BROADCAST, 0), 1, "1: 0 0 8"), *within = HAND("dgx1*2", KIND(BROADCAST, 0), 1, "1: 0 0 1");
	cr_expect(not(algorithm_latency(between, &(struct step_overhead){.target = NULL}, &us, &e)));
	cr_expect(eq(int, e.kind, ERROR_INPUT));
	expect_latency(within, (struct step_overhead){.target = NULL}, 7, 10);
	algorithm_free(between);
	algorithm_free(within);
}

Test(cost, kinds_that_are_not_known_have_no_default)
{
	struct error e = {0};
	struct rational us;
	struct topology *t = with_kinds("\"wire\": {\"latency_us\": 1, \"gigabytes_per_second\": 1}", ", \"kind\": \"wire\"");
	cr_expect(step_overhead_has("cuda") && step_overhead_has("hip") && !step_overhead_has("host"));
	struct collective k = {.kind = BROADCAST};
	struct step *step = new_array(struct step, 1);
	*step = step_of("1: 0 0 1");
	struct algorithm *a = algorithm_new(t, &k, 1, 1, step, "hand");
	expect_latency(a, (struct step_overhead){.us = {5, 1}}, 6, 1);
	cr_expect(not(algorithm_latency(a, &(struct step_overhead){.target = "cuda"}, &us, &e)));
	cr_expect(eq(str, e.where, "--step-cost"));
	cr_expect(eq(str, e.what, "cuda has no default for links of kind \"wire\": give it in microseconds"));
	algorithm_free(a);
	topology_free(t);
}
