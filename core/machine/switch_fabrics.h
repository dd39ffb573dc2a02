#ifndef SCCL_CORE_MACHINE_SWITCH_FABRICS_H
#define SCCL_CORE_MACHINE_SWITCH_FABRICS_H

/*
 * A fabric is a set of switches that are linked to each other, directly or over further switches: the switch of a box,
 * or the network between boxes. A route over switches only stays in one fabric.
 */

struct topology;

/* [node or switch]: how many nodes the fabric of a switch joins; 0 for a node. The caller frees it. */
int *switch_fabrics_nodes(const struct topology *t);

#endif
