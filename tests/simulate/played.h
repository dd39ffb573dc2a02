#ifndef SCCL_TESTS_SIMULATE_PLAYED_H
#define SCCL_TESTS_SIMULATE_PLAYED_H

/* Simulations of schedules by hand, for the tests here. Each test program is one file, so all is inline. */

#include "tests/support/by_hand.h"
#include "simulate/simulator.h"

#include <math.h>

/* Close enough for sums in doubles. */
static inline bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b) + 1e-3);
}

static inline struct simulated played(const struct algorithm *a, struct simulation how, double bytes)
{
	struct error e = {0};
	struct simulated r;
	struct simulator *s = simulator_new(a, &how, &e);
	cr_assert(ne(ptr, s, NULL), "%s: %s", e.where, e.what);
	simulator_run(s, bytes, &r);
	simulator_free(s);
	return r;
}

/* As by_hand, on a machine of one's own, which is freed. */
static inline struct algorithm *hand_on(struct topology *t, struct collective k, int chunks, size_t n_steps, const char *const *steps)
{
	struct step *list = new_array(struct step, n_steps);
	for (size_t i = 0; i < n_steps; i++)
		list[i] = step_of(steps[i]);
	struct algorithm *a = algorithm_new(t, &k, chunks, n_steps, list, "hand");
	topology_free(t);
	return a;
}

#define HAND_ON(t, k, chunks, ...) \
	hand_on(t, k, chunks, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), (const char *[]){__VA_ARGS__})

enum { WAYS = 6 };
/* Both starts and all sharings, with α = 2 µs a link and 1 µs a byte. */
static inline struct simulation way(int i)
{
	return (struct simulation){.start = i & 1 ? START_DATAFLOW : START_STEPS, .sharing = (enum simulation_sharing)(i / 2),
				   .alpha = 2, .beta = 1};
}

#endif
