#include "core/cost.h"

#include "core/algorithm.h"
#include "core/topology.h"

struct cost algorithm_cost(const struct algorithm *a)
{
	return (struct cost){(int)a->n_steps, algorithm_rounds(a), algorithm_bandwidth(a)};
}

bool topology_alpha_beta(const struct topology *t, struct rational *alpha, struct rational *beta)
{
	if (!t->n_kinds)
		return false;
	*alpha = rational(0, 1);
	*beta = rational(0, 1);
	for (size_t i = 0; i < t->n_kinds; i++) {
		/* 1 GB/s is 1000 bytes a microsecond. */
		struct rational per_byte = rational_div(rational(1, 1000), t->kinds[i].gigabytes_per_second);
		if (!rational_ok(per_byte))
			return false;
		if (rational_compare(t->kinds[i].latency_us, *alpha) > 0)
			*alpha = t->kinds[i].latency_us;
		if (rational_compare(per_byte, *beta) > 0)
			*beta = per_byte;
	}
	return true;
}

struct rational cost_time(const struct cost *c, struct rational alpha, struct rational beta, int64_t bytes)
{
	struct rational volume = rational_mul(c->bandwidth, rational(bytes, 1));
	return rational_add(rational_mul(rational(c->steps, 1), alpha), rational_mul(volume, beta));
}
