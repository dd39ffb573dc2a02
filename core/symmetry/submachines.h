#ifndef SCCL_CORE_SYMMETRY_SUBMACHINES_H
#define SCCL_CORE_SYMMETRY_SUBMACHINES_H

/* Parts of a machine that a job may be given: its connected induced sub-machines, one of each isomorphism class. */

#include "core/symmetry/canonical.h"

#include <stddef.h>

struct error;

/* The first sub-machine found of an isomorphism class. */
struct submachine {
	char *name; /* MACHINE@gpus=0,1,4; MACHINE if it is the whole machine */
	int nodes;
	char digest[CANONICAL_DIGEST + 1];
	int alike;  /* number of choices of nodes isomorphic to it */
	int *orbit; /* [node]: the least node in its orbit under the part's automorphisms */
	char *form; /* canonical form */
};

/* One sub-machine of each class; released by submachines_free. */
struct submachines {
	size_t n, capacity;
	struct submachine *all; /* by number of nodes, then by the first choice of nodes */
};

/*
 * All strongly connected choices of LEAST or more nodes of MACHINE, a name as topology_open takes it. False with *e
 * set: no such machine, or one of more than 16 nodes.
 */
bool submachines_new(const char *machine, int least, struct submachines *out, struct error *e);
void submachines_free(struct submachines *p);

#endif
