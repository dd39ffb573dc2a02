#ifndef SCCL_CORE_BASE_WORK_H
#define SCCL_CORE_BASE_WORK_H

/*
 * A limit on work that is the same on every computer: inner loops count their steps, about as many as they look at edges, literals
 * or cells. One count for the process, without a limit unless one is set. Once it is used up every function that counts returns
 * early, with whatever it has: nothing that is computed from then on may be trusted, and who set the limit looks at work_is_over.
 */

#include <stdbool.h>

struct work {
	double spent, most;
};

/* Counts from 0 up to MOST; INFINITY: no limit. Returns the count so far, which work_end goes back to. */
struct work work_begin(double most);
void work_end(struct work before);

/* Counts; false: that was too many. */
bool work_spend(double steps);

bool work_is_over(void);
double work_spent(void);

#endif
