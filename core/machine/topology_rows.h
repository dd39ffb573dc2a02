#ifndef SCCL_CORE_MACHINE_TOPOLOGY_ROWS_H
#define SCCL_CORE_MACHINE_TOPOLOGY_ROWS_H

/* Shared by all that build topologies (files, shapes, copies, edits). Internal to core/machine/. */

#include "core/machine/topology.h"

/* Appends a link without a kind to an array of *CAPACITY. Call topology_sort_links after the last one. */
void topology_add_link(struct topology *t, size_t *capacity, int src, int dst, int bandwidth);
void topology_sort_links(struct topology *t);
/* For qsort and bsearch, by source, then destination: of struct link, and of struct edge_ends. */
int link_order(const void *a, const void *b);
int edge_ends_order(const void *a, const void *b);

/*
 * The index of a kind for links with a speed or latency of their own, which is added if it is new. Call
 * topology_sort_kinds after the last link. -1: there are too many kinds.
 */
int topology_own_kind(struct topology *t, size_t *capacity, struct rational gigabytes_per_second, struct rational latency_us);
void topology_sort_kinds(struct topology *t);
/*
 * Completes a machine that was read from the object AT, with LIMIT_SPEEDS [limit], den 0 where the file gives none. If
 * all links and limits have bandwidths, checks that one unit has about the same speed in all kinds. Otherwise (a link
 * without a bandwidth has 0, and its kind the speed of the link) the unit is the greatest common divisor of all speeds:
 * fills in all bandwidths, and the unit as the speed of all kinds. False with *e set.
 */
bool topology_derive_units(const struct json_place *at, struct topology *t, const struct rational *limit_speeds, struct error *e);

/* The shape that NAME describes, or NULL: with *e set, or with e->kind ERROR_NONE if NAME is not that of a shape. */
struct topology *topology_from_shape(const char *name, struct error *e);
/* TIMES ("4" or "4x2") copies of ONE, named NAME: node n of box b is b * nodes + n. NULL with *e set. Frees ONE. */
struct topology *topology_boxes(struct topology *one, const char *times, const char *name, struct error *e);
/*
 * Applies EDITS, such as "@gpus=1,4@drop=0-1", to T, renames it NAME and returns it. NULL with *e set, after freeing T.
 */
struct topology *topology_edited(struct topology *t, const char *edits, const char *name, struct error *e);

#endif
