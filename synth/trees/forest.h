#ifndef SCCL_SYNTH_TREES_FOREST_H
#define SCCL_SYNTH_TREES_FOREST_H

/*
 * Throughput-optimal trees for any machine with switches (ForestColl: Zhao et al., 2024), in integers: the rate by maximum
 * flow, switches removed by splitting edges off, and out-trees packed into what is left (Edmonds; Bérczi and Frank).
 * docs/concepts/trees.md.
 */

#include "core/base/rational.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct topology;
struct error;

/* COUNT equal trees, edges away from the root. */
struct forest_tree {
	int root, depth;
	int64_t count;
	int *parent; /* [node], -1 at the root; owned */
};

/* An edge of trees and the switches that it goes through; several of one pair where their ways differ. */
struct forest_route {
	int src, dst;
	int64_t count; /* chunks that trees may send this way in `rounds` */
	int n_via;
	int *via; /* as the topology numbers them; owned */
};

struct forest {
	int nodes, root;           /* root -1: every node is one */
	struct rational bandwidth; /* the least R/C that links and limits of single vertices allow */
	int64_t chunks;            /* k: trees a root */
	struct rational rounds;    /* in which all of them fit together: rounds / chunks is the bandwidth, or more where ABOVE is set */
	bool above;                /* switches could not be split off: the best that a linear program over what they forward found */
	/* What shows that nothing is better: this set's roots, over what leaves it in a round. Vertices are nodes, switches, then
	 * one for each limit that binds what some vertex takes in or sends out. */
	int vertices;
	bool *cut; /* [vertex]; owned */
	int64_t cut_roots, cut_capacity;
	bool one_way;              /* of two ways to spread switches one alone led to trees: the other might have made them shallower */
	int limits_left_out;       /* limits over edges: these trees do not know of them */
	int depth;
	size_t n_trees;
	struct forest_tree *trees; /* by root */
	size_t n_routes;
	struct forest_route *routes; /* sorted by (src, dst) */
};

/* From each node to all others, or from ROOT. False with *e set: some node is not reached, or the machine is too large. */
bool forest_new(const struct topology *t, int root, struct forest *out, struct error *e);
void forest_free(struct forest *f);

/* The same without trees and routes: rate and cut alone. */
bool forest_rate(const struct topology *t, int root, struct forest *out, struct error *e);

/* Judges a forest by itself: every tree spans, as many as `chunks` a root, routes carry their edges, and no link more than
 * its bandwidth times `rounds`; the cut is one and gives `bandwidth`, which the trees use unless `above` is set. WHY is one sentence where not. */
bool forest_check(const struct topology *t, const struct forest *f, char *why, size_t size);

enum { FOREST_VERTICES_MAX = 1024 };

#endif
