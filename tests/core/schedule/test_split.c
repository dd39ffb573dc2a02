/* Equation 8 by hand, and that both shares end at once. */

#include "core/schedule/split.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>

TestSuite(split, .description = "one buffer over two networks", .timeout = 20);

/* 100 and 10 GB/s. */
static const struct pace fast = {0, 1e-5}, slow = {0, 1e-4};

static double equation_8(double bytes, double bw_fast, double bw_slow, double t_dpa)
{
	return bytes * bw_slow / (bw_fast + bw_slow) - t_dpa * bw_fast * bw_slow / (bw_fast + bw_slow);
}

Test(split, shares_are_as_the_rates_where_nothing_is_switched)
{
	struct split s = split_bytes(&fast, &slow, 110 * SPLIT_BYTES);

	cr_expect(s.first == 100 * SPLIT_BYTES && s.second == 10 * SPLIT_BYTES);
	cr_expect(epsilon_eq(dbl, s.alone / s.together, 1.1, 1e-9));
	cr_expect(zero(dbl, split_pays_from(&fast, &slow)));
}

Test(split, is_equation_8_of_blink_with_what_switching_takes)
{
	static const double switching[] = {0, 1, 500, 2000, 4999};
	const int64_t bytes = 500000000;

	for (size_t i = 0; i < sizeof switching / sizeof *switching; i++) {
		const struct pace late = {switching[i], slow.per_byte};
		struct split s = split_bytes(&fast, &late, bytes);
		double wanted = equation_8((double)bytes, 1e5, 1e4, switching[i]);
		cr_expect(s.first + s.second == bytes);
		cr_expect(s.first % SPLIT_BYTES == 0);
		cr_expect(fabs((double)s.second - wanted) <= SPLIT_BYTES, "%g us: %lld, not %g", switching[i], (long long)s.second, wanted);
		double one = fast.per_byte * (double)s.first, other = switching[i] + slow.per_byte * (double)s.second;
		cr_expect(fabs(one - other) <= SPLIT_BYTES * (fast.per_byte + slow.per_byte), "%g and %g us", one, other);
		cr_expect(s.together < s.alone);
	}
}

Test(split, latencies_of_steps_count_as_what_is_switched)
{
	const struct pace a = {100, 1e-5}, b = {350, 1e-4}, late = {250, 1e-4};
	struct split with = split_bytes(&a, &b, 1 << 28), without = split_bytes(&fast, &late, 1 << 28);

	cr_expect(with.first == without.first && with.second == without.second);
	cr_expect(epsilon_eq(dbl, with.together, without.together + 100, 1e-6));
}

Test(split, all_goes_by_the_first_up_to_where_the_second_pays)
{
	const struct pace late = {2000, 1e-4};
	double from = split_pays_from(&fast, &late);

	cr_expect(epsilon_eq(dbl, from, 2e8, 1));
	struct split below = split_bytes(&fast, &late, (int64_t)from - 1000), above = split_bytes(&fast, &late, (int64_t)from + 100000);
	cr_expect(below.second == 0 && below.first == (int64_t)from - 1000);
	cr_expect(epsilon_eq(dbl, below.together, below.alone, 0));
	cr_expect(above.second > 0 && above.together < above.alone);
}

Test(split, all_goes_by_the_second_where_the_first_begins_too_late)
{
	const struct pace late = {1e6, 1e-5};
	struct split s = split_bytes(&late, &slow, 1 << 20);

	cr_expect(s.first == 0 && s.second == 1 << 20);
	cr_expect(epsilon_eq(dbl, s.together, 1e-4 * (1 << 20), 1e-9));
}

Test(split, nothing_and_less_than_one_unit_go_by_the_first)
{
	for (int64_t bytes = 0; bytes < SPLIT_BYTES; bytes++) {
		struct split s = split_bytes(&slow, &slow, bytes);
		cr_expect(s.first == bytes && s.second == 0);
		cr_expect(s.together <= s.alone);
	}
}

Test(split, of_every_size_each_byte_is_somewhere)
{
	for (int64_t bytes = 1; bytes < 3000; bytes += 7) {
		struct split s = split_bytes(&slow, &fast, bytes);
		cr_expect(s.first >= 0 && s.second >= 0 && s.first + s.second == bytes);
		cr_expect(s.second == 0 || s.first % SPLIT_BYTES == 0);
	}
}
