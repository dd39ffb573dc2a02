#ifndef SCCL_CORE_SCHEDULE_SEND_ORBITS_H
#define SCCL_CORE_SCHEDULE_SEND_ORBITS_H

/*
 * The orbits of chunks and sends under the group that a symmetry generates, without a list of all sends: of each orbit of
 * chunks the least stands for all, and so do the sends of that chunk.
 */

#include "core/schedule/send_set.h"
#include "core/schedule/symmetry.h"

struct send_orbits {
	const struct symmetry *symmetry;
	struct elements group;
	int chunks;
	int *first;              /* [chunk]: the least of its orbit */
	size_t *by;              /* [chunk]: an element that carries the first there */
	size_t *size;            /* [chunk]: where it is the first, how many its orbit has */
	unsigned char *is_first; /* [chunk] */
	size_t *keepers;         /* the elements that keep chunk kept */
	size_t n_keepers;
	int kept;                /* -1: not known yet */
	uint16_t *inverse;       /* of element inverted, on nodes */
	size_t inverted;
};

/* For so many listed sends. False: the group has more elements, or the orbits take more work, than about a second is enough
 * for; *OUT then holds nothing. Keeps Y. */
bool send_orbits_new(const struct symmetry *y, int chunks, size_t listed, struct send_orbits *out);
void send_orbits_free(struct send_orbits *o);

/* How many sends there are in the orbit of S. Those of them that belong to the first chunk are added to KNOWN, and to the list
 * *TO (of *N, with room for *ROOM) where TO is not NULL. 0: the orbit was known already. */
int64_t send_orbits_add(struct send_orbits *o, struct send s, struct send_set *known, struct send **to, size_t *n, size_t *room);

#endif
