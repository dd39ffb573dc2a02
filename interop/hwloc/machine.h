#ifndef SCCL_INTEROP_HWLOC_MACHINE_H
#define SCCL_INTEROP_HWLOC_MACHINE_H

/* What was found, in numbers of our own, before it is a topology. For probe/ alone. */

#include "interop/hwloc/probe.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

/* In the order of their names, which is that of a topology's kinds. */
enum machine_kind { KIND_NVLINK, KIND_NVSWITCH, KIND_PCIE, KIND_XELINK, KIND_XGMI, KINDS };

/* A directed link. Accelerators come first, then hubs, then the switches of the tree. */
struct machine_link {
	int src, dst;
	uint64_t speed; /* MB/s; 0: not told */
	enum machine_kind kind;
};

/* Where an accelerator hangs: the devices themselves, bridges, packages, up to the whole computer. */
struct machine_place {
	int parent;     /* index, -1: none */
	uint64_t speed; /* of the link to the parent, MB/s; 0: not told */
};

struct machine {
	const char *where; /* for errors */
	struct probe_sights seen;
	char *model;     /* what all accelerators are called, "" where they differ or nothing is told; plain ASCII */
	int n;           /* accelerators, by rank; places[0..n-1] are theirs */
	int n_hubs;      /* what joins fast links: the NVSwitches as one, and processors with NVLinks one each */
	int nvswitch;    /* the hub that stands for NVSwitches, 0: there is none */
	size_t n_links, links_capacity;
	struct machine_link *links; /* the fast ones; a pair may come more than once, and is then as wide as all together */
	size_t n_places, places_capacity;
	struct machine_place *places;
};

/* No link is believed to be faster: 1 PB/s. Sums over all links of a machine fit easily. */
enum { SPEED_MAX = 1000000000 };

/* Reads FROM or this computer with hwloc; true with m->n == 0 where there is no accelerator. read_none.c: always an error. */
bool machine_read(const char *from, struct machine *m, struct error *e);
void machine_free(struct machine *m); /* what it holds */

void machine_add_link(struct machine *m, int src, int dst, uint64_t speed, enum machine_kind kind);
int machine_add_place(struct machine *m, int parent, uint64_t speed); /* its index */

/* Adds the tree of buses to the links; returns how many switches it has. They are numbered from n + n_hubs. */
int machine_add_tree(struct machine *m);

/* True if the fast links join all accelerators, if need be through others. */
bool machine_is_joined(const struct machine *m);

/* m->n >= 1. SOURCE says where the numbers come from. Changes the links of *m. */
struct topology *machine_topology(struct machine *m, const char *name, const char *source, struct error *e);

#endif
