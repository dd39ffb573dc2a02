/*
 * Chunks are sorted by their roles at all nodes; equal ones are one commodity. Generators of automorphisms are kept if
 * they permute the commodities and preserve their demands.
 */

#include "synth/program/commodities.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/schedule/instance.h"

#include <stdlib.h>
#include <string.h>

/* The roles of one chunk, for sorting. */
struct role_row {
	const uint8_t *role;
	int nodes;
};

static int by_roles(const void *va, const void *vb)
{
	const struct role_row *a = va, *b = vb;
	return memcmp(a->role, b->role, (size_t)a->nodes);
}

bool commodity_roles(const struct instance *i, int chunk, uint8_t *role)
{
	bool wanted = false;

	if (i->collective.kind == ALLREDUCE) {
		memset(role, ROLE_WANTS, (size_t)i->network->nodes);
		return true;
	}
	for (int v = 0; v < i->network->nodes; v++) {
		role[v] = instance_pre(i, chunk, v) ? ROLE_HAS : instance_post(i, chunk, v) ? ROLE_WANTS : ROLE_NONE;
		wanted = wanted || role[v] == ROLE_WANTS;
	}
	return wanted;
}

static uint8_t *roles_of(const struct commodities *c, size_t k)
{
	return &c->roles[k * (size_t)c->nodes];
}

/* Lists all commodities; the caller frees their demands. */
static int64_t *list_all(const struct instance *i, struct commodities *c)
{
	size_t nodes = (size_t)c->nodes, n = 0;
	uint8_t *all = new_array(uint8_t, (size_t)i->global_chunks * nodes);
	struct role_row *rows = new_array(struct role_row, (size_t)i->global_chunks);

	for (int chunk = 0; chunk < i->global_chunks; chunk++) {
		rows[n] = (struct role_row){&all[n * nodes], c->nodes};
		n += commodity_roles(i, chunk, &all[n * nodes]);
	}
	if (n)
		qsort(rows, n, sizeof *rows, by_roles);
	int64_t *demand = new_array(int64_t, n);
	c->roles = new_array(uint8_t, n * nodes);
	for (size_t r = 0; r < n; r++) {
		if (!c->n_all || memcmp(rows[r].role, roles_of(c, c->n_all - 1), nodes) != 0)
			memcpy(roles_of(c, c->n_all++), rows[r].role, nodes);
		demand[c->n_all - 1]++;
	}
	free(rows);
	free(all);
	return demand;
}

size_t commodities_find(const struct commodities *c, const uint8_t *role)
{
	size_t low = 0, high = c->n_all;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = memcmp(roles_of(c, middle), role, (size_t)c->nodes);
		if (order == 0)
			return middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return c->n_all;
}

/* Fills MAPPED [commodity] with the images under IMAGE. False: some image is no commodity of the same demand. */
static bool images_under(const struct commodities *c, const int64_t *demand, const int *image, int *mapped)
{
	uint8_t *role = new_array(uint8_t, (size_t)c->nodes);
	bool kept = true;

	for (size_t k = 0; k < c->n_all && kept; k++) {
		for (int v = 0; v < c->nodes; v++)
			role[image[v]] = roles_of(c, k)[v];
		size_t other = commodities_find(c, role);
		kept = other < c->n_all && demand[other] == demand[k];
		mapped[k] = (int)other;
	}
	free(role);
	return kept;
}

/* Keeps the generators that permute the commodities, and joins the orbits of these. */
static void keep_generators(const int64_t *demand, const int *generators, size_t n, struct commodities *c)
{
	size_t nodes = (size_t)c->nodes;
	int *mapped = new_array(int, c->n_all);

	c->generators = new_array(int, n * nodes);
	for (size_t g = 0; g < n; g++) {
		const int *image = &generators[g * nodes];
		if (!images_under(c, demand, image, mapped))
			continue;
		for (size_t k = 0; k < c->n_all; k++)
			orbits_join(c->orbit, (int)k, mapped[k]);
		memcpy(&c->generators[c->n_generators++ * nodes], image, nodes * sizeof *image);
	}
	free(mapped);
}

bool commodities_new(const struct instance *i, const int *generators, size_t n, struct commodities *out, struct error *e)
{
	const struct network *w = i->network;
	struct commodities c = {.nodes = w->nodes};

	if (w->nodes > COMMODITY_NODES_MAX || (int64_t)i->global_chunks * w->nodes > 1 << 24)
		return error_set(e, ERROR_INPUT, "timed-trees", "%d nodes and %d chunks are too many", w->nodes, i->global_chunks);
	int64_t *demand = list_all(i, &c);
	c.orbit = orbits_apart((int)c.n_all);
	keep_generators(demand, generators, n, &c);
	machine_orbits_new(w, c.generators, c.n_generators, &c.orbits);
	c.n = (size_t)orbits_number(c.orbit, (int)c.n_all);
	c.of = new_array(struct commodity, c.n);
	for (size_t k = 0; k < c.n_all; k++) {
		struct commodity *of = &c.of[c.orbit[k]];
		if (of->orbit++)
			continue;
		of->role = roles_of(&c, k);
		of->demand = demand[k];
		of->alone = c.n_all == 1;
		for (int v = 0; v < c.nodes; v++)
			of->wanted += of->role[v] == ROLE_WANTS;
	}
	free(demand);
	*out = c;
	return true;
}

void commodities_free(struct commodities *c)
{
	free(c->roles);
	free(c->orbit);
	free(c->of);
	free(c->generators);
	machine_orbits_free(&c->orbits);
}
