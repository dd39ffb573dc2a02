/*
 * The order in which halves of an allreduce are joined. A compact pair takes moments, one of fine chunks seconds, and there
 * may be hundreds, so the quick ones come first.
 */

#include "synth/methods/half_pairs.h"

#include "core/base/memory.h"
#include "core/machine/topology.h"
#include "synth/methods/attempts.h"

#include <stdlib.h>

/* The chunks of each block once those of both halves are cut so finely that they are the same. */
static int64_t common_chunks(const struct attempt_subject *s, const struct algorithm *x, const struct algorithm *y)
{
	int64_t scattered = x->chunks / s->topology->nodes;

	return scattered / common_divisor(scattered, y->chunks) * y->chunks;
}

/* Are the common chunks few enough to be written? */
static bool is_coarse(const struct attempt_subject *s, const struct algorithm *x, const struct algorithm *y)
{
	enum { COMMON_MAX = 1 << 16 };
	int64_t common = common_chunks(s, x, y);

	return common <= COMMON_MAX && (!s->max_chunks || common * s->topology->nodes <= s->max_chunks);
}

static int by_sends(const void *va, const void *vb)
{
	const struct half_pair *a = va, *b = vb;

	if (a->sends != b->sends)
		return a->sends < b->sends ? -1 : 1;
	return a->scattered != b->scattered ? (a->scattered > b->scattered) - (a->scattered < b->scattered)
					    : (a->gathered > b->gathered) - (a->gathered < b->gathered);
}

/* Puts the pair of the least R/C first: what is best for large inputs must not wait for all that is coarser. */
static void put_first(const struct attempt_subject *s, struct half_pair *all, size_t n)
{
	enum { SENDS_MOST = 1 << 20 }; /* so many are joined in a moment */
	const struct attempt_halves *of = s->halves;
	struct rational least = {1, 0};
	size_t best = 0;

	for (size_t i = 0; i < n && all[i].sends <= SENDS_MOST; i++) {
		struct rational gathered = rational_div(algorithm_bandwidth(of[1].of[all[i].gathered]), rational(s->topology->nodes, 1));
		struct rational both = rational_add(algorithm_bandwidth(of[0].of[all[i].scattered]), gathered);
		if (!rational_ok(both) || (least.den && rational_compare(both, least) >= 0))
			continue;
		least = both;
		best = i;
	}
	for (struct half_pair moved; best > 0; best--) {
		moved = all[best];
		all[best] = all[best - 1];
		all[best - 1] = moved;
	}
}

struct half_pair *half_pairs(const struct attempt_subject *s, size_t *n)
{
	const struct attempt_halves *of = s->halves;
	struct half_pair *all = new_array(struct half_pair, of[0].n * of[1].n);

	*n = 0;
	for (size_t i = 0; i < of[0].n; i++)
		for (size_t k = 0; k < of[1].n; k++) {
			const struct algorithm *x = of[0].of[i], *y = of[1].of[k];
			double common = (double)common_chunks(s, x, y), scattered = (double)x->chunks / s->topology->nodes;
			if (!is_coarse(s, x, y))
				continue;
			double sends = (double)algorithm_listed(x) * common / scattered + (double)algorithm_listed(y) * common / y->chunks;
			all[(*n)++] = (struct half_pair){i, k, sends};
		}
	if (*n)
		qsort(all, *n, sizeof *all, by_sends);
	put_first(s, all, *n);
	return all;
}
