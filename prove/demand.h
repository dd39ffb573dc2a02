#ifndef SCCL_PROVE_DEMAND_H
#define SCCL_PROVE_DEMAND_H

/* The commodities of an instance: chunks that the same nodes have and want. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct instance;

/* What a node is to a commodity. */
enum role { ROLE_NONE, ROLE_HAS, ROLE_WANTS }; /* wants: and does not have */

/* Chunks with the same roles. */
struct demand {
	int first;           /* the least of these chunks */
	int64_t chunks;      /* how many they are */
	int receivers;       /* nodes that want them; at least one */
	const uint8_t *role; /* [node]; borrowed from the list */
};

/* All demands of an instance, by their first chunks; released by demand_list_free. */
struct demand_list {
	size_t n;
	struct demand *all;
	uint8_t *roles;
};

/* False: the instance is too large. Chunks that no node wants but those that have it are left out. */
bool demand_list_new(const struct instance *i, struct demand_list *out);
void demand_list_free(struct demand_list *d);

#endif
