/* Sorts the chunks of an instance by their roles and groups equal ones. */

#include "prove/demand.h"

#include "core/base/memory.h"
#include "core/base/work.h"
#include "core/machine/network.h"
#include "core/schedule/instance.h"

#include <stdlib.h>
#include <string.h>

enum { ROLES_MAX = 1 << 27 };

/* A chunk to be sorted. */
struct chunk_roles {
	const uint8_t *role;
	size_t nodes;
	int chunk;
};

static int by_roles(const void *a, const void *b)
{
	const struct chunk_roles *x = a, *y = b;
	int order = memcmp(x->role, y->role, x->nodes);

	return order ? order : (x->chunk > y->chunk) - (x->chunk < y->chunk);
}

static int by_first_chunk(const void *a, const void *b)
{
	const struct demand *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

static int fill_roles(const struct instance *i, int chunk, uint8_t *role)
{
	int receivers = 0;

	for (int v = 0; v < i->network->nodes; v++) {
		bool has = instance_pre(i, chunk, v), wants = !has && instance_post(i, chunk, v);
		role[v] = has ? ROLE_HAS : wants ? ROLE_WANTS : ROLE_NONE;
		receivers += wants;
	}
	return receivers;
}

bool demand_list_new(const struct instance *i, struct demand_list *out)
{
	size_t nodes = (size_t)i->network->nodes, chunks = (size_t)i->global_chunks, n = 0;

	*out = (struct demand_list){0};
	if (chunks > ROLES_MAX / nodes || !work_spend(4 * (double)nodes * (double)chunks))
		return false;
	int *receivers = new_array(int, chunks);
	struct chunk_roles *sorted = new_array(struct chunk_roles, chunks);
	out->roles = new_array(uint8_t, nodes * chunks);
	out->all = new_array(struct demand, chunks);
	for (size_t c = 0; c < chunks; c++) {
		uint8_t *role = out->roles + c * nodes;
		receivers[c] = fill_roles(i, (int)c, role);
		if (receivers[c])
			sorted[n++] = (struct chunk_roles){role, nodes, (int)c};
	}
	qsort(sorted, n, sizeof *sorted, by_roles);
	for (size_t c = 0; c < n; c++) {
		if (c == 0 || memcmp(sorted[c].role, sorted[c - 1].role, nodes) != 0)
			out->all[out->n++] = (struct demand){sorted[c].chunk, 0, receivers[sorted[c].chunk], sorted[c].role};
		out->all[out->n - 1].chunks++;
	}
	qsort(out->all, out->n, sizeof *out->all, by_first_chunk);
	free(receivers);
	free(sorted);
	return true;
}

void demand_list_free(struct demand_list *d)
{
	free(d->all);
	free(d->roles);
}
