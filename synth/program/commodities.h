#ifndef SCCL_SYNTH_PROGRAM_COMMODITIES_H
#define SCCL_SYNTH_PROGRAM_COMMODITIES_H

/*
 * What a non-combining collective has to move, without chunks: a commodity is all data that begins on the same nodes
 * and is wanted on the same nodes. Commodities that a symmetry of the machine maps to each other form an orbit, of
 * which one represents all.
 */

#include "core/symmetry/machine_orbits.h"

#include <stdbool.h>
#include <stdint.h>

struct error;
struct instance;

/* The roles of a node in a commodity. */
enum { ROLE_NONE, ROLE_HAS, ROLE_WANTS };

/* One commodity, the representative of its orbit. */
struct commodity {
	const uint8_t *role; /* [node]; borrowed from the list of all */
	int64_t demand;      /* chunks of the instance that are of this commodity */
	int64_t orbit;       /* commodities in its orbit */
	int wanted;          /* nodes with ROLE_WANTS */
	bool alone;          /* there is no other commodity */
};

/* Released by commodities_free. */
struct commodities {
	int nodes;
	size_t n_all;                 /* all commodities, in the order of their roles */
	uint8_t *roles;               /* [commodity * nodes + node]; owned */
	int *orbit;                   /* [commodity]; owned */
	size_t n;
	struct commodity *of;         /* [orbit]: a representative; owned */
	struct machine_orbits orbits; /* of the machine, under the generators below */
	size_t n_generators;
	int *generators;              /* of symmetries that permute the commodities; [g * nodes + node]; owned */
};

enum { COMMODITY_NODES_MAX = 512 };

/*
 * Of an instance of a non-combining collective, or of an allreduce, whose chunks are one commodity that all nodes want and
 * none has; its S and R are ignored. Chunks that no node wants are left out. Of the
 * N GENERATORS of automorphisms of its machine those are kept that permute the commodities. False with *e set
 * (ERROR_LIMIT): too many nodes or chunks.
 */
bool commodities_new(const struct instance *i, const int *generators, size_t n, struct commodities *out, struct error *e);
void commodities_free(struct commodities *c);

/* The commodity with these roles [node]; n_all: there is none. */
size_t commodities_find(const struct commodities *c, const uint8_t *role);
/* Fills ROLE [node] for a chunk of an instance; false: no node wants it. */
bool commodity_roles(const struct instance *i, int chunk, uint8_t *role);

#endif
