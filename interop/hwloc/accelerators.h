#ifndef SCCL_INTEROP_HWLOC_ACCELERATORS_H
#define SCCL_INTEROP_HWLOC_ACCELERATORS_H

/* Which hwloc objects are accelerators, and in which order. Only for interop/hwloc/read_hwloc.c. */

#include <hwloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

/* One accelerator as hwloc shows it. */
struct accelerator {
	hwloc_obj_t object; /* the PCI device; the outermost OS device if there is none */
	hwloc_obj_t teller; /* the OS device of the preferred family, or the object itself: knows the model */
	int family;         /* row of the table in accelerators.c */
	uint64_t number;    /* the family's own, as in cuda3 */
};

/* All accelerators of a machine. Zero it, except `where`, before accelerators_find. */
struct accelerators {
	const char *where; /* for error messages */
	int n;
	size_t capacity;
	struct accelerator *list; /* by rank; the owner frees it */
};

/*
 * Fills a->list and marks each object: its userdata is its rank plus 1. The caller may mark other objects with larger
 * numbers. False with *e set: more than NODES_MAX, or two with the same number.
 */
bool accelerators_find(struct accelerators *a, hwloc_topology_t h, struct error *e);

int accelerators_at(const struct accelerators *a, hwloc_obj_t o);      /* rank of the accelerator O, or -1 */
int accelerators_holding(const struct accelerators *a, hwloc_obj_t o); /* rank of the one O is or belongs to, or -1 */

/* The model name that all of them have, in printable ASCII, or "". The caller frees it. */
char *accelerators_model(const struct accelerators *a);

#endif
