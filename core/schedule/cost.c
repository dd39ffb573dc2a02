/* The machine's α and β are pessimistic: those of its slowest kinds of links. */

#include "core/schedule/cost.h"

#include "core/schedule/algorithm.h"
#include "core/machine/topology.h"

struct cost algorithm_cost(const struct algorithm *a)
{
	return (struct cost){(int)a->n_steps, algorithm_rounds(a), algorithm_bandwidth(a)};
}

/* A kind that no link has does not count. */
static bool in_use(const struct topology *t, int kind)
{
	for (size_t i = 0; i < t->n_links; i++)
		if (t->links[i].kind == kind)
			return true;
	return false;
}

bool topology_alpha_beta(const struct topology *t, struct rational *alpha, struct rational *beta)
{
	bool any = false;

	for (size_t i = 0; i < t->n_kinds; i++) {
		if (!in_use(t, (int)i))
			continue;
		struct rational a = t->kinds[i].latency_us;
		/* 1 GB/s is 1000 bytes per µs. */
		struct rational b = rational_div(rational(1, 1000), t->kinds[i].gigabytes_per_second);
		if (!rational_ok(a) || !rational_ok(b))
			return false;
		if (!any || rational_compare(a, *alpha) > 0)
			*alpha = a;
		if (!any || rational_compare(b, *beta) > 0)
			*beta = b;
		any = true;
	}
	return any;
}

struct rational cost_time(const struct cost *c, struct rational alpha, struct rational beta, int64_t bytes)
{
	struct rational latency = rational_mul(rational(c->steps, 1), alpha);
	struct rational transfer = rational_mul(rational_mul(c->bandwidth, rational(bytes, 1)), beta);
	return rational_add(latency, transfer);
}
