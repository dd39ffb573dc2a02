#ifndef SCCL_SIMULATE_COVER_H
#define SCCL_SIMULATE_COVER_H

/*
 * Resources that carry all that is sent over some routes, and the windows of time in which they can: for the bounds of
 * simulate/time_bound.h.
 */

#include "simulate/fabric.h"

/* µs from when a message has been sent over a route until others may rely on it. */
static inline double route_delay(const struct route *r)
{
	return r->latency + r->step;
}

/* The least delays of routes before and after a resource, and the largest delay of a whole route. */
struct delays {
	double before, after, longest;
};
extern const struct delays no_delays; /* of no route */
void delays_add(struct delays *d, double before, double after);

/* These resources carry at most the sum of their rates. A limit takes the place of the links under it where it is narrower. */
struct cover {
	const struct fabric *fabric;
	double *rate;          /* [resource]: of a limit, the sum over the links of the cover that are under it; owned, as are all */
	bool *taken;           /* [resource]: is this link in the cover? Of limits: see cover_choose */
	int *under;            /* [link]: its narrowest limit, -1: none */
	struct delays *delays; /* [resource] */
};

struct cover cover_new(const struct fabric *f); /* borrows F */
void cover_free(struct cover *c);
/* Adds a route by its first link, or by its last. */
void cover_add(struct cover *c, int route, bool first);
/* Replaces links by limits that are narrower than they are together. Returns the sum of the rates. */
double cover_choose(struct cover *c);
/*
 * The least time by which a window of the cover is shorter than the schedule, for data that begin at least DISTANCE away
 * from where the routes end.
 */
double cover_delay(const struct cover *c, double distance);
/* Lists the resources of the cover; the caller frees the list. */
int *cover_list(const struct cover *c, size_t *n);

#endif
