#include "core/base/stop.h"

#include "core/base/clock.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <time.h>

TestSuite(stop, .description = "deadlines");

Test(stop, the_sooner_deadline_counts)
{
	double before = stop_within(1000), inner = stop_within(2000);

	cr_expect(stop_left() <= 1000 && stop_left() > 0);
	stop_within(0);
	cr_expect(stop_is_due() && stop_left() <= 0);
	stop_restore(inner);
	cr_expect(not(stop_is_due()));
	stop_restore(before);
	cr_expect(isinf(stop_left()));
}

/* Sleeping takes none of it. */
Test(stop, cpu_time_has_a_deadline_of_its_own)
{
	double before = stop_within_cpu(0.05), start = clock_cpu_seconds();

	nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
	cr_expect(not(stop_is_due()));
	while (clock_cpu_seconds() < start + 0.06)
		;
	cr_expect(stop_is_due());
	double within = stop_within_cpu(1000);
	cr_expect(stop_is_due(), "a later deadline changes nothing");
	stop_restore_cpu(within);
	stop_restore_cpu(before);
	cr_expect(isinf(stop_left()));
}
