/*
 * Random elements of a machine's automorphism group, by product replacement (Celler, Leedham-Green, Murray, Niemeyer
 * and O'Brien, "Generating random elements of a finite group", 1995) on the generators that nauty finds. For each order
 * the best power met so far is kept.
 */

#include "core/symmetry/automorphism_samples.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/symmetry/automorphisms.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- random elements: a pool member is replaced by its product with another one ---- */

struct pool {
	int nodes;
	size_t n;
	int *all; /* [i * nodes + node] */
	uint64_t state;
};

enum { POOL_LEAST = 10 };

static int *member(const struct pool *p, size_t i)
{
	return p->all + i * (size_t)p->nodes;
}

static struct pool pool_new(const int *generators, size_t n, int nodes)
{
	struct pool p = {nodes, n > POOL_LEAST ? n : POOL_LEAST, NULL, 1};

	p.all = new_array(int, p.n * (size_t)nodes);
	for (size_t i = 0; i < p.n; i++)
		memcpy(member(&p, i), generators + i % n * (size_t)nodes, (size_t)nodes * sizeof(int));
	return p;
}

static size_t chance(struct pool *p, size_t below)
{
	p->state = p->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (size_t)(p->state >> 33) % below;
}

/* Writes to TO the permutation A followed by B. TO may be A. */
static void multiply(const int *a, const int *b, int *to, int nodes)
{
	for (int n = 0; n < nodes; n++)
		to[n] = b[a[n]];
}

static const int *pool_next(struct pool *p)
{
	size_t i = chance(p, p->n), j = chance(p, p->n - 1);

	j += j >= i;
	multiply(member(p, i), member(p, j), member(p, i), p->nodes);
	return member(p, i);
}

/* ---- selection ---- */

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	return b ? common_divisor(b, a % b) : a;
}

/* Length of the cycle of FIRST; 0 if FIRST has been seen, that is, lies on a cycle counted before. */
static uint64_t cycle_length(const int *nodes, int first, bool *seen)
{
	uint64_t length = 0;

	for (int at = first; !seen[at]; at = nodes[at], length++)
		seen[at] = true;
	return length;
}

/* The order of a permutation: the least common multiple of its cycle lengths; 0 if it does not fit into 64 bits. */
static uint64_t order_of(const int *nodes, int n)
{
	bool *seen = new_array(bool, (size_t)n);
	uint64_t order = 1;

	for (int first = 0; first < n && order > 0; first++) {
		uint64_t length = cycle_length(nodes, first, seen);
		if (length == 0)
			continue;
		length /= common_divisor(length, order);
		order = order > UINT64_MAX / length ? 0 : order * length;
	}
	free(seen);
	return order;
}

static struct automorphism measured(int *nodes, int n, int order)
{
	bool *seen = new_array(bool, (size_t)n);
	struct automorphism t = {.order = order, .nodes = nodes};

	for (int first = 0; first < n; first++) {
		uint64_t length = cycle_length(nodes, first, seen);
		t.cycles += length > 0;
		t.left += length < (uint64_t)order ? (int)length : 0;
	}
	free(seen);
	return t;
}

/* Writes to TO the permutation raised to the power TIMES. */
static void repeat(const int *nodes, int n, uint64_t times, int *to)
{
	for (int first = 0; first < n; first++) {
		uint64_t length = 1;
		for (int at = nodes[first]; at != first; at = nodes[at])
			length++;
		to[first] = first;
		for (uint64_t t = times % length; t > 0; t--)
			to[first] = nodes[to[first]];
	}
}

static bool is_better(const struct automorphism *a, const struct automorphism *b)
{
	return a->left < b->left || (a->left == b->left && a->cycles < b->cycles);
}

/* NEW.nodes is borrowed; what is kept is a copy. */
static void keep(struct automorphism_samples *t, struct automorphism new, int n)
{
	size_t i = 0;

	while (i < t->n && t->all[i].order > new.order)
		i++;
	if (i < t->n && t->all[i].order == new.order) {
		if (!is_better(&new, &t->all[i]))
			return;
		free(t->all[i].nodes);
	} else {
		t->all = grown(t->all, &t->capacity, t->n + 1, sizeof *t->all);
		memmove(t->all + i + 1, t->all + i, (t->n - i) * sizeof *t->all);
		t->n++;
	}
	t->all[i] = new;
	t->all[i].nodes = copy_bytes(new.nodes, (size_t)n * sizeof(int));
}

/* Offers the powers of ELEMENT whose order is at most MOST. */
static void keep_powers(struct automorphism_samples *t, const int *element, int nodes, int most)
{
	int *power = new_array(int, (size_t)nodes);
	uint64_t order = order_of(element, nodes);

	for (int wanted = 2; wanted <= most && order > 0; wanted++) {
		if (order % (uint64_t)wanted != 0)
			continue;
		repeat(element, nodes, order / (uint64_t)wanted, power);
		keep(t, measured(power, nodes, wanted), nodes);
	}
	free(power);
}

struct automorphism_samples automorphism_samples_new(const struct network *w, int root, int most)
{
	enum { DRAWN = 2000 };
	struct automorphism_samples t = {0};
	size_t n;
	int *generators = automorphisms_generators(w, root, &n);

	if (n > 0) {
		struct pool p = pool_new(generators, n, w->nodes);
		for (size_t i = 0; i < n; i++)
			keep_powers(&t, generators + i * (size_t)w->nodes, w->nodes, most);
		for (int i = 0; i < DRAWN; i++)
			keep_powers(&t, pool_next(&p), w->nodes, most);
		free(p.all);
	}
	free(generators);
	return t;
}

void automorphism_samples_free(struct automorphism_samples *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->all[i].nodes);
	free(t->all);
	*t = (struct automorphism_samples){0};
}
