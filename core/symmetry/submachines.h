#ifndef SCCL_CORE_SYMMETRY_SUBMACHINES_H
#define SCCL_CORE_SYMMETRY_SUBMACHINES_H

/* What of a machine a job may be given: its connected induced sub-machines, of those that are alike one. */

#include "core/symmetry/canonical.h"

#include <stddef.h>

struct error;

struct submachine {
	char *name; /* MACHINE@gpus=0,1,4; MACHINE where it is whole */
	int nodes;
	char digest[CANONICAL_DIGEST + 1];
	int alike;  /* so many choices of nodes give it */
	int *orbit; /* [node]: the least node that it is carried to by the part's symmetries */
	char *form; /* canonical */
};

struct submachines {
	size_t n, capacity;
	struct submachine *all; /* by nodes, then by the first choice that gives it */
};

/* Every choice of LEAST or more nodes from which each reaches each, of a machine as topology_open takes it. False with *e
 * set: no such machine, or one of more than 16 nodes. */
bool submachines_new(const char *machine, int least, struct submachines *out, struct error *e);
void submachines_free(struct submachines *p);

#endif
