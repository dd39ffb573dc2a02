/*
 * A core is known by its sets of hubs and by its exchange, of which a hash is taken. Each generator maps these to those of
 * the image, which is looked up; then orbits are joined.
 */

#include "synth/program/hub_orbits.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/symmetry/machine_orbits.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Bits of nodes; those that add up, or have the result, twice: in either order. */
struct core_key {
	uint64_t from[2], to[2], exchange;
	size_t core;
};

/* A step of SplitMix64. */
static uint64_t mixed(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static uint64_t bits_of(const int *hubs, int n, const int *image)
{
	uint64_t bits = 0;

	for (int i = 0; i < n; i++)
		bits |= UINT64_C(1) << (image ? image[hubs[i]] : hubs[i]);
	return bits;
}

static void put_in_order(uint64_t of[2])
{
	if (of[1] && of[1] < of[0]) {
		uint64_t larger = of[0];
		of[0] = of[1];
		of[1] = larger;
	}
}

/* Of the core, or of its image. */
static struct core_key key_of(const struct network *w, const struct hub_core *c, const int *image)
{
	struct core_key k = {.from = {bits_of(c->from, c->n_from, image), bits_of(c->beside, c->n_beside, image)},
			     .to = {bits_of(c->to, c->n_to, image), bits_of(c->beyond, c->n_beyond, image)}};

	put_in_order(k.from);
	put_in_order(k.to);
	for (int i = 0; i < c->exchange.n; i++) {
		const struct edge *e = &w->edges[c->exchange.of[i].edge];
		int edge = image ? network_edge(w, image[e->src], image[e->dst]) : c->exchange.of[i].edge;
		k.exchange += mixed((uint64_t)edge * 64 + (uint64_t)c->exchange.of[i].step);
	}
	return k;
}

static int by_key(const void *va, const void *vb)
{
	const struct core_key *a = va, *b = vb;
	const uint64_t left[] = {a->from[0], a->from[1], a->to[0], a->to[1], a->exchange};
	const uint64_t right[] = {b->from[0], b->from[1], b->to[0], b->to[1], b->exchange};

	for (size_t i = 0; i < sizeof left / sizeof *left; i++)
		if (left[i] != right[i])
			return left[i] < right[i] ? -1 : 1;
	return 0;
}

size_t hub_cores_apart(const struct network *w, const struct hub_cores *cores, const int *generators, size_t n, size_t *which)
{
	struct core_key *keys = new_array(struct core_key, cores->n);
	int *orbit = orbits_apart((int)cores->n);
	size_t found = 0;

	for (size_t c = 0; c < cores->n; c++) {
		keys[c] = key_of(w, &cores->of[c], NULL);
		keys[c].core = c;
	}
	if (cores->n)
		qsort(keys, cores->n, sizeof *keys, by_key);
	for (size_t c = 0; c < cores->n; c++)
		for (size_t g = 0; g < n; g++) {
			struct core_key image = key_of(w, &cores->of[c], &generators[g * (size_t)w->nodes]);
			const struct core_key *same = bsearch(&image, keys, cores->n, sizeof *keys, by_key);
			if (same)
				orbits_join(orbit, (int)c, (int)same->core);
		}
	int orbits = orbits_number(orbit, (int)cores->n);
	bool *seen = new_array(bool, (size_t)orbits);
	for (size_t c = 0; c < cores->n; c++)
		if (!seen[orbit[c]]) {
			seen[orbit[c]] = true;
			which[found++] = c;
		}
	free(seen);
	free(orbit);
	free(keys);
	return found;
}
