#ifndef SCCL_SYNTH_TREES_PACKING_H
#define SCCL_SYNTH_TREES_PACKING_H

/*
 * Spanning trees that share links: how much weight they can have so that no link carries more than its bandwidth, and
 * which few of them reach it. Either arborescences out of a root (Blink: Wang et al., MLSys 2020) or undirected trees,
 * whose edges carry both directions (a reduce up and a broadcast down). Trees are found in floating point; weights and
 * rates are recomputed in integers.
 */

#include "core/base/csr.h"
#include "core/base/rational.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct network;

/* A candidate. Undirected trees are rooted at node 0. */
struct packed {
	int *parent;       /* [node], -1 at the root; owned */
	int n_loads;
	int *row, *load;   /* owned: load per unit of weight on each (L, b) */
	double most;       /* the most weight that fits on the machine by itself */
	int links;         /* links on the routes of its edges, as counted by limits */
	double weight;
	size_t number;     /* for packing_keep */
};

struct packing {
	const struct network *network; /* borrowed */
	int root;                      /* root of arborescences; -1: undirected trees */
	size_t n_rows;                 /* (L, b): edges, then limits */
	int64_t *width;                /* b */
	/* Rows by edge (core/machine/limit_index.h); the edge's own row only where no limit fills up first. */
	struct csr loaded;
	int *place;                    /* [row]: its number in linear programs; -1: nothing loads it */
	int n_places;
	int *back;                     /* [edge]: the reverse edge; -1: none */
	bool narrowed;                 /* widths were reduced: some may be zero */
	int least_links;               /* the least `links` of any tree; `frugal`: trees may have no more */
	bool frugal;
	size_t n, capacity;
	struct packed *of;             /* candidates, each once */
	/* Of packing_best, kept as the next answer is near the last. Columns: the first N_COLUMNS candidates. */
	struct linear *program;
	size_t n_columns;
};

enum { PACKING_NODES_MAX = 1024 };

/*
 * W is borrowed; all trees that are asked for must exist on it. False with *e set: too many nodes. Release with
 * packing_free in either case.
 */
bool packing_new(const struct network *w, int root, const char *name, struct packing *out, struct error *e);
void packing_free(struct packing *p);
void packing_forget(struct packing *p); /* drops the candidates */

/*
 * A shortest tree over edges at least WIDTH wide, by LENGTHS [row]; *LENGTH is its length. PARENT [node] is the
 * caller's. False: there is none.
 */
bool packing_tree(const struct packing *p, const double *lengths, int width, int *parent, double *length);
/* The tree's index among the candidates, to which it is added if new. */
size_t packing_add(struct packing *p, const int *parent);

/*
 * packing_columns.c. Adds candidates as columns of a linear program that has a row for each numbered (L, b), in order,
 * and, if SUM, then one for the sum of weights. The N candidates are those listed in TAKEN or, if that is NULL, those
 * from FIRST on; COSTS and RANGES are indexed by position in that list.
 */
struct linear;
struct packing_range {
	double low, high;
};
void packing_columns(const struct packing *p, struct linear *l, const size_t *taken, size_t first, size_t n, const double *costs,
		     const struct packing_range *ranges, bool sum);

/*
 * packing_weights.c. Multiplicative weights (Garg and Könemann 1998) until the rate is within EPSILON of the upper
 * bound that lengths give, *MOST. Returns the rate, 0 if there is no tree, and sets weights that fit.
 */
double packing_approximate(struct packing *p, double epsilon, double *most);

/*
 * packing_exact.c. The most weight that any trees can have, by column generation; adds candidates and sets weights.
 * Negative: no answer. LENGTHS [row], unless NULL, get the prices that prove it: every tree has length 1 or more.
 */
double packing_best(struct packing *p, double *lengths);
/*
 * Keeps only candidates of the fewest links, if these reach RATE too: traffic through switches then stays on short
 * routes.
 */
void packing_spare(struct packing *p, double rate);

/* Keeps the N candidates of most weight. */
void packing_keep(struct packing *p, size_t n);

/*
 * packing_few.c. The most trees of weight 1 among the candidates, by branch and bound. Sets weights, returns the
 * number.
 */
int packing_ones(struct packing *p, double most);
/*
 * The fewest trees of RATE: adds candidates, wide ones above all, then branches and bounds. Sets weights. False: none
 * found.
 */
bool packing_fewest(struct packing *p, double rate);

/*
 * packing_whole.c. Weights of RATE that are integers over few rounds, by taking one tree after the other. False: not
 * found.
 */
bool packing_whole(struct packing *p, struct rational rate);
/*
 * Weights that are multiples of 1 / PARTS, for the least PARTS from 2 on with which they reach (1 - THRESHOLD) times
 * the rate BEST. Returns PARTS; 0: none was found.
 */
int packing_parts(struct packing *p, double best, double threshold);

#endif
