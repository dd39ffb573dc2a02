#ifndef SCCL_INTEROP_HWLOC_ACCELERATORS_H
#define SCCL_INTEROP_HWLOC_ACCELERATORS_H

/* Which objects of hwloc are accelerators, and in which order. For interop/hwloc/read_hwloc.c alone. */

#include <hwloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

struct accelerator {
	hwloc_obj_t object; /* the PCI device; the outermost OS device where there is none */
	hwloc_obj_t teller; /* who knows most of it: the OS device of the best family, or the object itself */
	int family;         /* row of the table in accelerators.c */
	uint64_t number;    /* the family's own, as in cuda3 */
};

struct accelerators {
	const char *where; /* for errors */
	int n;
	size_t capacity;
	struct accelerator *list; /* by rank; the owner frees */
};

/* Fills a->list and marks each object: its userdata is its rank plus 1. Others may mark theirs with larger numbers. */
bool accelerators_find(struct accelerators *a, hwloc_topology_t h, struct error *e);

int accelerators_at(const struct accelerators *a, hwloc_obj_t o);      /* the rank of the one that is O, or -1 */
int accelerators_holding(const struct accelerators *a, hwloc_obj_t o); /* the rank of the one that O is or belongs to, or -1 */

/* What all of them are called, in plain ASCII, or "". The caller frees. */
char *accelerators_model(const struct accelerators *a);

#endif
