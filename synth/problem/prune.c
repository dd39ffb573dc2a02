/*
 * Removes one send or reduction at a time and keeps the removal if the algorithm still verifies, in passes until a pass
 * removes nothing. One verification per attempt, hence the limit on the size.
 */

#include "synth/problem/prune.h"

#include "core/schedule/algorithm.h"
#include "core/verify/verify.h"

#include <stdbool.h>
#include <string.h>

/* Removes entry I of the list if the algorithm verifies without it. True: it was removed. */
static bool drop(struct algorithm *a, struct send *list, size_t *n, size_t i)
{
	struct send one = list[i];

	memmove(&list[i], &list[i + 1], (*n - i - 1) * sizeof *list);
	--*n;
	if (algorithm_verify(a).fault == FAULT_NONE)
		return true;
	memmove(&list[i + 1], &list[i], (*n - i) * sizeof *list);
	list[i] = one;
	++*n;
	return false;
}

static bool drop_from(struct algorithm *a, struct send *list, size_t *n)
{
	bool any = false;

	for (size_t i = 0; i < *n;) {
		if (drop(a, list, n, i))
			any = true;
		else
			i++;
	}
	return any;
}

static size_t count(const struct algorithm *a)
{
	size_t n = 0;

	for (size_t s = 0; s < a->n_steps; s++)
		n += a->steps[s].n_sends + a->steps[s].n_reduces;
	return n;
}

void prune_needless(struct algorithm *a)
{
	bool any = count(a) <= PRUNE_SENDS_MAX;

	while (any) {
		any = false;
		for (size_t s = 0; s < a->n_steps; s++) {
			any = drop_from(a, a->steps[s].sends, &a->steps[s].n_sends) || any;
			any = drop_from(a, a->steps[s].reduces, &a->steps[s].n_reduces) || any;
		}
	}
}
