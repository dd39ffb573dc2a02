#ifndef SCCL_SYNTH_TREES_PACKING_H
#define SCCL_SYNTH_TREES_PACKING_H

/*
 * Spanning trees that share links: how much weight they can have so that no link carries more than its bandwidth, and which few
 * of them have it. Arborescences from a root (Blink: Wang et al., MLSys 2020), or undirected trees, each edge of which carries both
 * ways (a reduce up and a broadcast down). Floating point finds trees; weights and rates are counted again in whole numbers.
 */

#include "core/base/csr.h"
#include "core/base/rational.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct network;

/* One candidate. Undirected trees hang from node 0. */
struct packed {
	int *parent;       /* [node], -1 at the root; owned */
	int n_loads;
	int *row, *load;   /* owned: what a unit of it puts on the (L, b) */
	double most;       /* weight that the machine has room for */
	int links;         /* of the routes of its edges, as far as limits count them: what it uses where ways go through switches */
	double weight;
	size_t number;     /* for packing_keep */
};

struct packing {
	const struct network *network; /* borrowed */
	int root;                      /* of arborescences; -1: undirected trees */
	size_t n_rows;                 /* (L, b): edges, then limits */
	int64_t *width;                /* b */
	struct csr loaded;             /* core/machine/limit_index.h: rows by edge, the edge's own only where no limit is full first */
	int *place;                    /* [row]: its number in linear programs, -1: nothing loads it, and it has none */
	int n_places;
	int *back;                     /* [edge]: the one the other way, -1: none */
	bool narrowed;                 /* widths are less than they were: some may be nothing */
	int least_links;               /* of any tree; more than that only where `frugal` is false */
	bool frugal;
	size_t n, capacity;
	struct packed *of;             /* candidates, each once */
	struct linear *program;        /* of packing_best: kept, as the next answer is near the last; its columns are the first so many */
	size_t n_columns;
};

enum { PACKING_NODES_MAX = 1024 };

/* False with *e set: too many nodes. Free it either way. Needs a network in which all trees asked for exist. */
bool packing_new(const struct network *w, int root, const char *name, struct packing *out, struct error *e);
void packing_free(struct packing *p);
void packing_forget(struct packing *p); /* its candidates */

/* A tree of least length over edges as wide as WIDTH; LENGTHS [row]. PARENT [node] is the caller's. False: there is none. */
bool packing_tree(const struct packing *p, const double *lengths, int width, int *parent, double *length);
/* Its index among the candidates; it is added where it is new. */
size_t packing_add(struct packing *p, const int *parent);

/* packing_columns.c. Candidates as columns of a linear program that has a row for each (L, b), in order, then if SUM one for the sum
 * of weights. Of the N that TAKEN lists (NULL: FIRST and so many after it); COSTS and RANGES [i of these]. */
struct linear;
struct packing_range {
	double low, high;
};
void packing_columns(const struct packing *p, struct linear *l, const size_t *taken, size_t first, size_t n, const double *costs,
		     const struct packing_range *ranges, bool sum);

/* packing_weights.c. Multiplicative weights (Garg and Könemann 1998), until weights are within EPSILON of what lengths show
 * to be the most. The rate; weights are set. The upper bound that lengths showed comes in *MOST. */
double packing_approximate(struct packing *p, double epsilon, double *most);

/* packing_exact.c. The most weight that any trees can have: by column generation, candidates added. Negative: no answer. LENGTHS
 * [row], unless NULL, get the prices that show it: every tree is 1 long or more. */
double packing_best(struct packing *p, double *lengths);
/* Candidates of the least links alone, if they have the RATE too: what goes through switches then keeps to near ways. */
void packing_spare(struct packing *p, double rate);

/* Of the candidates those N that have most weight stay. */
void packing_keep(struct packing *p, size_t n);

/* packing_few.c. The most trees of weight 1 out of the candidates there are, by branch and bound. Weights are set. */
int packing_ones(struct packing *p, double most);
/* The fewest trees that have RATE: more candidates, wide ones above all, then branch and bound. Weights are set. */
bool packing_fewest(struct packing *p, double rate);

/* packing_whole.c. Weights of RATE that are whole numbers over few rounds, by one tree after the other. False: not found. */
bool packing_whole(struct packing *p, struct rational rate);
/* Weights that are multiples of 1 / PARTS, for the least PARTS from 2 on with which they come within THRESHOLD (a share) of the rate
 * BEST. That PARTS; 0: none does, or none was found. */
int packing_parts(struct packing *p, double best, double threshold);

#endif
