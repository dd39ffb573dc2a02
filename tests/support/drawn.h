#ifndef SCCL_TESTS_SUPPORT_DRAWN_H
#define SCCL_TESTS_SUPPORT_DRAWN_H

/* Machines by chance, the same in each run. Each test program is one file, so all is inline. */

#include "core/base/memory.h"
#include "core/machine/topology.h"
#include "core/base/text.h"
#include "tests/support/random.h"

#include <stdlib.h>

static uint64_t state = 4711; /* a test that wants other numbers sets it first */

static inline int below(int n)
{
	return random_below(&state, n);
}

/* 3 nodes and fewer than MORE besides in a ring, so that all is reached, one in SPARSE of the other links, and fewer than LIMITS limits. */
static inline struct topology *random_machine(int more, int sparse, int limits)
{
	struct topology *t = new(struct topology);
	t->name = copy_string("random");
	t->nodes = 3 + below(more);
	t->links = new_array(struct link, (size_t)(t->nodes * t->nodes));
	for (int a = 0; a < t->nodes; a++)
		for (int b = 0; b < t->nodes; b++)
			if (a != b && (b == (a + 1) % t->nodes || below(sparse) == 0))
				t->links[t->n_links++] = (struct link){a, b, 1 + below(3), -1};
	t->limits = new_array(struct limit, (size_t)limits);
	t->n_limits = (size_t)below(limits);
	for (size_t i = 0; i < t->n_limits; i++)
		t->limits[i] = (struct limit){copy_string("limit"), below(2) ? LIMIT_INTO : LIMIT_OUT_OF, below(t->nodes), 0, NULL,
					      1 + below(3)};
	return t;
}

/* Links of three kinds, the latencies and speeds of which differ by a factor of up to 50, in place of those that T has. */
static inline void draw_kinds(struct topology *t)
{
	enum { KINDS = 3 };
	for (size_t i = 0; i < t->n_kinds; i++)
		free(t->kinds[i].name);
	free(t->kinds);
	t->n_kinds = KINDS;
	t->kinds = new_array(struct link_kind, KINDS);
	for (int i = 0; i < KINDS; i++) {
		char name[] = {(char)('a' + i), 0};
		t->kinds[i] = (struct link_kind){copy_string(name), rational(1 + below(50), 10), rational(1 + below(50), 1)};
	}
	for (size_t i = 0; i < t->n_links; i++)
		t->links[i].kind = below(KINDS);
}

#endif
