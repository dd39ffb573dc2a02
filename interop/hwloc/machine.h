#ifndef SCCL_INTEROP_HWLOC_MACHINE_H
#define SCCL_INTEROP_HWLOC_MACHINE_H

/* What was found, as plain numbers, before it becomes a topology. Internal to interop/. */

#include "interop/hwloc/probe.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct text;

/* Sorted by name, as a topology's kinds are. */
enum machine_kind { KIND_NVLINK, KIND_NVSWITCH, KIND_PCIE, KIND_XELINK, KIND_XGMI, KINDS };

/* A directed link. Vertices are numbered: accelerators first, then hubs, then the switches of the tree. */
struct machine_link {
	int src, dst;
	uint64_t speed; /* MB/s; 0: unknown */
	enum machine_kind kind;
};

/* A place in the tree that accelerators hang in: the devices themselves, bridges, packages, up to the whole machine. */
struct machine_place {
	int parent;     /* index, -1: none */
	uint64_t speed; /* of the link to the parent, MB/s; 0: unknown */
};

/* A machine as read; zero it before machine_read, and machine_free it. */
struct machine {
	const char *where; /* for error messages */
	struct probe_sights seen;
	char *model;     /* the model of all accelerators, "" if they differ or it is unknown; printable ASCII */
	int n;           /* accelerators, by rank; places[0..n-1] are theirs */
	uint64_t *addresses; /* [n]: machine_pci_address of each, 0: unknown; owned */
	int n_hubs;      /* vertices that join fast links: the NVSwitches as one, each processor with NVLinks as one */
	int nvswitch;    /* the hub that stands for the NVSwitches, 0: there are none */
	size_t n_links, links_capacity;
	struct machine_link *links; /* the fast ones, until machine_add_tree; parallel links of a pair add up */
	size_t n_places, places_capacity;
	struct machine_place *places;
};

/* The fastest plausible link: 1 PB/s. The sum over all links of a machine fits easily. */
enum { SPEED_MAX = 1000000000 };

/*
 * Reads XML, which errors call FROM, or this machine if both are NULL, with hwloc; true with m->n == 0 if there is no accelerator. False with *e set.
 * read_none.c: always an error. Either way machine_free must follow.
 */
bool machine_read(const char *from, const struct text *xml, struct machine *m, struct error *e);
void machine_free(struct machine *m); /* frees its members */

/* A number for a PCI address; never 0. */
static inline uint64_t machine_pci_address(unsigned domain, unsigned bus, unsigned device, unsigned function)
{
	return (uint64_t)1 << 63 | (uint64_t)domain << 16 | (uint64_t)(bus & 0xff) << 8 | (device & 0x1f) << 3 | (function & 7);
}

/* Adds a directed link of SPEED MB/s. */
void machine_add_link(struct machine *m, int src, int dst, uint64_t speed, enum machine_kind kind);
/* Adds a place; SPEED is of the link to PARENT, MB/s. */
int machine_add_place(struct machine *m, int parent, uint64_t speed); /* returns its index */

/* Adds the tree of buses to the links and returns how many switches it has. They are numbered from n + n_hubs. */
int machine_add_tree(struct machine *m);

/* Do the fast links connect all accelerators, possibly through others? */
bool machine_is_joined(const struct machine *m);

/*
 * Needs m->n >= 1. SOURCE says where the numbers come from. Changes the links of *m. NULL with *e set: a link is
 * implausibly fast. The caller frees the topology.
 */
struct topology *machine_topology(struct machine *m, const char *name, const char *source, struct error *e);

#endif
