#ifndef SCCL_CORE_BASE_WORK_H
#define SCCL_CORE_BASE_WORK_H

/*
 * A limit on work that does not depend on the machine's speed: inner loops count their steps, roughly one for each
 * edge, literal or cell that they examine. There is one count for the process, unlimited by default. Once the limit is
 * exceeded, every function that counts returns early with whatever it has. Nothing computed from then on may be
 * trusted: the caller that set the limit must check work_is_over.
 */

#include <stdbool.h>

struct work {
	double spent, most;
};

/* Starts a new count with the limit MOST; INFINITY: no limit. Returns the previous count, which work_end restores. */
struct work work_begin(double most);
void work_end(struct work before);

/* Adds to the count. False: the limit is exceeded. */
bool work_spend(double steps);

bool work_is_over(void);  /* is the limit exceeded? */
double work_spent(void);  /* steps since work_begin */

#endif
