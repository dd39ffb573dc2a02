#ifndef SCCL_SYNTH_TREES_FOREST_H
#define SCCL_SYNTH_TREES_FOREST_H

/*
 * Throughput-optimal trees for any machine with switches (ForestColl: Zhao et al., 2024, arXiv 2402.06787), in
 * integers: the rate by maximum flow, switches removed by splitting off edges, out-trees packed into the rest (Edmonds;
 * Bérczi and Frank). See docs/concepts/trees.md.
 */

#include "core/base/rational.h"
#include "synth/trees/weighted_trees.h"

struct topology;
struct error;

/* A tree edge and the switches it passes; one pair may have several, over different paths. */
struct forest_route {
	int src, dst;
	int64_t count; /* chunks that trees may send over this path in `rounds` */
	int n_via;
	int *via; /* switches, numbered as in the topology; owned */
};

struct forest {
	int nodes, root;           /* root -1: every node is a root */
	struct rational bandwidth; /* the least R/C that links, and limits of single vertices, allow */
	int64_t chunks;            /* k: trees per root */
	struct rational rounds;    /* of all trees together; rounds / chunks is `bandwidth`; more if `above` is set */
	bool above;                /* switches could not be split off: the best of a linear program on forwarding */
	/*
	 * Why nothing is better: the roots in this set over the capacity out of it per round. Vertices are nodes, then
	 * switches, then one for each limit that binds what a vertex receives or sends.
	 */
	int vertices;
	bool *cut; /* [vertex]; owned */
	int64_t cut_roots, cut_capacity;
	/* Only one of two ways to spread switches led to trees: the other might have given shallower ones. */
	bool one_way;
	int limits_left_out;       /* number of limits over edges, which these trees ignore */
	struct trees trees;        /* by root; edges lead away from it */
	size_t n_routes;
	struct forest_route *routes; /* sorted by (src, dst) */
};

/*
 * Trees from every node to all others where ROOT is -1, otherwise from ROOT alone. Release with forest_free. False with
 * *e set: a node is not reached, the machine is too large, or no trees were found (the message says which).
 */
bool forest_new(const struct topology *t, int root, struct forest *out, struct error *e);
void forest_free(struct forest *f);

/* The same without trees and routes: rate and cut only. */
bool forest_rate(const struct topology *t, int root, struct forest *out, struct error *e);

/*
 * Independent check of a forest: every tree spans, `chunks` trees per root, routes carry the tree edges, no link or
 * limit carries more than its bandwidth times `rounds`; the cut is one and gives `bandwidth`, which the trees reach
 * unless `above` is set. Limits over edges are not checked. On failure WHY gets one sentence.
 */
bool forest_check(const struct topology *t, const struct forest *f, char *why, size_t size);

enum { FOREST_VERTICES_MAX = 1024 };

#endif
