#ifndef SCCL_SYNTH_PROGRAM_HUB_BRIDGES_H
#define SCCL_SYNTH_PROGRAM_HUB_BRIDGES_H

/*
 * Patterns of an allreduce on a machine of two parts, such as two boxes, that links join one way only. In each part all is
 * added up at one hub; in one step each hub sends its sum to a node of its own part and across to one of the other, and
 * these two then have the result. Some nodes may stand aside: instead of being added up at their hub they send across
 * by a link of their own, ahead of the sum, and are added to the result where it is formed; or, backwards, they get both
 * sums, one of them across by a link of their own, after the result was formed elsewhere.
 */

#include "synth/program/timed_tree.h"

struct network;

/* The hubs of both parts. */
struct hub_bridge {
	int sum[2];    /* where a part is added up */
	int result[2]; /* the node of the part that has the result: sum[i] and sum[1 - i] send to result[i] */
};

/* Released by hub_bridges_free. */
struct hub_bridges {
	size_t n, capacity;
	struct hub_bridge *of; /* owned */
	int *part;             /* [node]: 0 or 1; owned; NULL: the machine has no two such parts */
};

/*
 * All pairs of hubs of a machine whose nodes are in two parts: within a part all are joined directly in both directions,
 * between the parts only in one. At most HUB_NODES_MAX nodes.
 */
void hub_bridges_find(const struct network *w, struct hub_bridges *out);
void hub_bridges_free(struct hub_bridges *b);
/* Fills WHICH [b->n] with one bridge of each orbit under N generators [g * P + v]. Their number. */
size_t hub_bridges_apart(const struct network *w, const struct hub_bridges *b, const int *generators, size_t n, size_t *which);

/* A pattern around a bridge. */
struct bridge_pattern {
	const struct hub_bridge *bridge;
	int at;     /* the step, from 0, in which the result is formed */
	int aside;  /* how many nodes stand aside */
	bool later; /* they get the sums afterwards; else they send ahead */
};

/*
 * A cheap pattern of STEPS steps at PRICES [step * n_edges + edge] (none is negative), and, unless OUT is NULL, its sends,
 * which the caller frees. INFINITY, without sends: there is none. EFFORT as for hub_forest_find.
 */
double hub_bridge_price(const struct network *w, const int *part, const struct bridge_pattern *p, int steps, const double *prices,
			int effort, struct timed_tree *out);

#endif
