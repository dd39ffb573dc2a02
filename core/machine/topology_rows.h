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
/*
 * Gives T the bandwidths that follow from speeds in GB/s, LINKS [link] of whole links and LIMITS [limit], and their
 * greatest common divisor, the unit, as the speed of all kinds. False: a link would have too many units, or the unit
 * does not fit in 64 bits; T is then not to be used.
 */
bool topology_set_speeds(struct topology *t, const struct rational *links, const struct rational *limits);
/* The speed of a whole link in GB/s; den 0: it has no kind. While a file is read, that of its kind if it has no bandwidth. */
struct rational topology_link_speed(const struct topology *t, const struct link *l);

/* The shape that NAME describes, or NULL: with *e set, or with e->kind ERROR_NONE if NAME is not that of a shape. */
struct topology *topology_from_shape(const char *name, struct error *e);
/*
 * TIMES ("4", "4x2", "4:ib400" or "4:4xib400+rails") copies of ONE, named as ONE, "*" and TIMES: node n of box b is
 * b * nodes + n. NULL with *e set. Frees ONE.
 */
struct topology *topology_boxes(struct topology *one, const char *times, struct error *e);
/*
 * Is S what may follow the "*" of copies where a network is named: digits, a colon, words joined by "+" or "/"? Then its
 * slashes do not make the whole a path.
 */
bool topology_is_network(const char *s);
/*
 * Applies EDITS, such as "@gpus=1,4@drop=0-1", to T, renames it NAME and returns it. NULL with *e set, after freeing T.
 */
struct topology *topology_edited(struct topology *t, const char *edits, const char *name, struct error *e);

#endif
