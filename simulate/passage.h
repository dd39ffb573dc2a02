#ifndef SCCL_SIMULATE_PASSAGE_H
#define SCCL_SIMULATE_PASSAGE_H

/*
 * Links and limits of which every route into a set of nodes crosses one, for the bounds of simulate/time_bound.h. A set
 * is a part of a partition, PART [node] == NUMBER.
 */

#include "simulate/fabric.h"

/* The first, or the last, that a route crosses counts. */
struct set_passage {
	bool *listed; /* [resource]; owned */
	double rate;  /* of all of them together */
	bool last;
};

/* Several choices, of which the first ENDS are at the ends of the routes. */
enum { ENDS = 2, PASSAGES = 3 };
/* The first N choices; released by passages_close. */
void passages_open(const struct fabric *f, const int *part, int number, int n, struct set_passage *out);
void passages_close(struct set_passage *p, int n);

/*
 * By how much the window in which any of them can carry what is counted is shorter than the schedule: FROM [node] is when it
 * can be at a node, TO [node] how long it still has to go from there. NULL: 0.
 */
double passage_delay(const struct fabric *f, const int *part, int number, const struct set_passage *p, const double *from,
		     const double *to);
/* The list of its resources; the caller frees it. */
int *passage_list(const struct fabric *f, const struct set_passage *p, size_t *n);

#endif
