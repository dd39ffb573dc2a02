#include "tests/support/by_hand.h"
#include "core/schedule/cost.h"

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
