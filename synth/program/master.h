#ifndef SCCL_SYNTH_PROGRAM_MASTER_H
#define SCCL_SYNTH_PROGRAM_MASTER_H

/*
 * The linear program restricted to the columns known so far. Its rows are the demand of each commodity, then the
 * capacity of each (step, row); its columns are the rounds of each step, then a tree each.
 */

#include "synth/program/timed_program.h"

#include "core/base/csr.h"

struct linear;
struct network;

/* Released by master_free. */
struct master {
	struct timed_program *p; /* borrowed */
	const struct network *w; /* borrowed */
	struct linear *l;
	struct csr rows_of;   /* edge: the rows that it loads, ascending */
	int64_t *capacity;    /* [row]: chunks that all its members carry in a round; 0: nothing loads it */
	/*
	 * In the linear program, demands and the cost of a round are multiplied by the largest capacity: so rounds and
	 * prices are not small, and the tolerances of the solver, which are absolute, hide nothing.
	 */
	int64_t scale;
	size_t cells, prices; /* lengths: steps * rows, steps * edges */
};

/* For the steps and commodities of P, and the columns that it has. */
void master_new(struct timed_program *p, struct master *out);
void master_free(struct master *m);
/* Adds a column, taking the tree. */
void master_add(struct master *m, int commodity, struct timed_tree tree);
/* PRICES [step * n_edges + edge] at the prices PRICE [step * n_rows + row] of the rows. */
void master_edge_prices(const struct master *m, const double *price, double *prices);
/* The cost of a tree at these prices. */
double master_tree_cost(const struct master *m, const struct timed_tree *t, const double *prices);
/* What a round of the most expensive step costs. */
double master_round_cost(const struct master *m, const double *price);

/* The same with integers: PRICE, scaled so that doubles hold the costs of all trees exactly, and rounded, in WHOLE. */
void master_whole_prices(const struct master *m, const double *price, double *whole);

/*
 * The exact solution of the last basis: fills the columns' amounts, the rounds and what they attain, and PRICE
 * [step * n_rows + row] in a common unit. The amounts stay as they were unless all fit and are a solution. False: they
 * did, or the prices do not fit.
 */
bool master_exact(struct master *m, int64_t *price);
/*
 * A solution near the amounts AMOUNT [column] in floating point: rounded to a grid, so that each commodity is carried
 * whole, with the rounds that these then need. It is exact as a solution, but attains no more than is near the least.
 */
void master_rounded(struct master *m, const double *amount);

#endif
