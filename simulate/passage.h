#ifndef SCCL_SIMULATE_PASSAGE_H
#define SCCL_SIMULATE_PASSAGE_H

/*
 * Links and limits of which every route into a set of nodes crosses one, for the bounds of simulate/time_bound.h. A set
 * is a part of a partition, PART [node] == NUMBER. Routes from nodes of a negative part do not count.
 */

#include "simulate/fabric.h"

struct set_passage {
	bool *listed; /* [resource]; owned */
	double rate;  /* bytes per µs of all of them together */
	bool last;    /* a route is counted at the last of them that it crosses; false: at the first */
};

/* There are several choices, of which the first ENDS are at the ends of the routes. */
enum { ENDS = 2, PASSAGES = 3 };
/* Fills OUT with the first N choices; released by passages_close. */
void passages_open(const struct fabric *f, const int *part, int number, int n, struct set_passage *out);
void passages_close(struct set_passage *p, int n);

/*
 * The least time, in µs, by which the window in which a resource can carry what is counted is shorter than the schedule:
 * FROM [node] is the earliest time at which that can be at a node, TO [node] how long it still has to go from there. NULL: 0.
 */
double passage_delay(const struct fabric *f, const int *part, int number, const struct set_passage *p, const double *from,
		     const double *to);
/* The list of its resources; the caller frees it. */
int *passage_list(const struct fabric *f, const struct set_passage *p, size_t *n);

#endif
