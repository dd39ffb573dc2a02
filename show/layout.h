#ifndef SCCL_SHOW_LAYOUT_H
#define SCCL_SHOW_LAYOUT_H

/* Where a machine's nodes are drawn: always the same for the same machine, and so that its symmetry shows. */

#include <stddef.h>

struct topology;

/* Switches that are joined to each other, drawn as one. */
struct layout_hub {
	double at[2];
	int n_switches;
	int *nodes; /* joined to one of them, ascending */
	int n_nodes;
};

struct layout {
	double (*at)[2]; /* [node] */
	double radius;   /* of a node */
	double view[4];  /* x, y, width, height of all */
	struct layout_hub *hubs;
	size_t n_hubs;
};

/*
 * A torus or mesh, by whatever name, is a grid; several copies of a machine are circles beside each other; any other
 * machine is a circle, in an order in which its links are short.
 */
struct layout layout_new(const struct topology *t);
void layout_free(struct layout *l);

#endif
