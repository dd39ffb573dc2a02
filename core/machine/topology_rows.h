#ifndef SCCL_CORE_MACHINE_TOPOLOGY_ROWS_H
#define SCCL_CORE_MACHINE_TOPOLOGY_ROWS_H

/* What the makers of topologies (files, shapes, boxes, edits) share. For core/machine/ alone. */

#include "core/machine/topology.h"

void topology_add_link(struct topology *t, size_t *capacity, int src, int dst, int bandwidth);
void topology_sort_links(struct topology *t);

/* The part of NAME before its edits; the shape or NULL with *e->kind ERROR_NONE where no shape has that name. */
struct topology *topology_from_shape(const char *name, size_t length, struct error *e);
/* "4" or "4x2" boxes of ONE, named NAME: node n of box b is b * nodes + n. NULL with *e set. Frees one. */
struct topology *topology_boxes(struct topology *one, const char *times, const char *name, struct error *e);
/* Applies "@gpus=1,4@drop=0-1": a new topology named NAME, or NULL with *e set. Frees t. */
struct topology *topology_edited(struct topology *t, const char *edits, const char *name, struct error *e);

#endif
