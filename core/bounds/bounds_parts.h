#ifndef SCCL_CORE_BOUNDS_BOUNDS_PARTS_H
#define SCCL_CORE_BOUNDS_BOUNDS_PARTS_H

/* The kinds of bandwidth bounds, each in its own file, and what they share. Private to core/bounds/. */

#include "core/bounds/bounds.h"
#include "core/bounds/timed_cuts.h"

#include <stdbool.h>
#include <stdint.h>

struct edge;
struct instance;
struct network;

/* Replaces the bound in *b if DEMAND / CAPACITY is larger; returns whether it was. PART is copied. */
bool bounds_take(struct bounds *b, const int *part, int parts, struct rational demand, int64_t capacity,
		 enum cut_crossing crossing);

/*
 * Has so much work been spent that no more cuts should be tried? Large machines have too many cuts, and any subset of
 * them gives a sound bound. Checked between cuts, the most promising of which come first.
 */
bool bounds_tried_enough(const struct bounds *b);

/* core/bounds/flow_bounds.c: exact, by maximum flows on the physical graph. Gathering with root -1 is an allgather. */
void bounds_gathering(const struct topology *t, const struct network *w, int root, struct bounds *b);
void bounds_broadcasting(const struct topology *t, const struct network *w, int root, struct bounds *b);

/*
 * core/bounds/price_bounds.c: by prices of links and limits, if these prove more than *b. STATED NULL: searches for
 * prices.
 */
void bounds_pricing(const struct network *w, const struct collective *k, const struct stated_prices *stated, struct bounds *b);

/*
 * core/bounds/swaps.c: classes of nodes any two of which may be swapped, such as those behind one switch. The average
 * of a schedule over all such swaps loads all edges of a class equally, and satisfies the same cuts and limits.
 */
struct swaps {
	int *node;            /* [node]: the first of its class; owned, as are all arrays */
	int n_classes, *edge; /* [edge]: its class */
	int *first;           /* [class]: an edge of it */
	bool *repeats;        /* [limit]: an earlier limit states the same about classes */
};
struct swaps swaps_new(const struct instance *i);
struct swaps swaps_none(const struct network *w); /* every node and edge in a class of its own */
void swaps_free(struct swaps *a);

/* core/bounds/priced_cuts.c: replaces *OUT if limits prove more. For core/bounds/timed_cuts.c. */
void bounds_priced(const struct instance *i, enum timed_effort effort, struct timed_bound *out);
/*
 * The same in parts, for many distributions of the rounds. ROUNDS gives the rounds of each step, for which *OUT is to
 * allow the fewest chunks; NULL: any distribution. priced_new borrows its arguments, and returns NULL if the machine is
 * too large to try.
 */
struct priced *priced_new(const struct instance *i, const struct swaps *swaps, enum timed_effort effort);
double priced_bound(struct priced *k, const int *rounds, struct timed_bound *out); /* returns the size of the program */
void priced_free(struct priced *k); /* NULL is allowed */
/*
 * core/bounds/timed_cuts.c: the cut that allows the fewest chunks for the given rounds of each step. False: nothing is
 * wanted.
 */
bool bounds_timed_at(const struct topology *t, const struct instance *i, const int *rounds, struct timed_bound *out);

/*
 * core/bounds/growth.c: a node cannot send before it has received a chunk, so in each step at most the nodes that hold
 * one can send, assumed to be those with the most bandwidth; and no more nodes acquire a chunk than chunks are sent.
 */
struct growth {
	int nodes, holders; /* nodes that hold a chunk initially; first in out */
	int64_t *out;       /* chunks each node can send in a round: holders first, then descending; owned */
	int64_t in;         /* chunks that all nodes that want something can receive in a round, together */
	int64_t deliveries; /* deliveries that the instance requires */
};
struct growth growth_new(const struct instance *i);
int64_t growth_most(const struct growth *g, const int *rounds, int steps); /* in multiples of the instance's chunks */
void growth_free(struct growth *g);

/*
 * core/bounds/cut_widths.c: what can cross a timed cut in a round of step S, by links and by the limits of each vertex.
 */
#define WIDTH_UNLIMITED ((int64_t)1 << 60)
struct widths {
	const struct topology *t; /* borrowed */
	int64_t *into, *out_of;   /* [vertex]: the least limit; WIDTH_UNLIMITED: none */
};
/* Does the edge cross the cut in step S, that is, from outside before the step to inside after it? */
bool timed_crosses(const int *until, const struct edge *e, int s);
int64_t timed_demand(const struct instance *i, const int *until); /* chunks that must enter the cut */
/*
 * The most that the weighted crossings of the cuts can amount to in a round of step S, given PRICES [limit] for that
 * step.
 */
int64_t timed_priced_room(const struct network *w, const struct swaps *swaps, const struct timed_cut *cuts, size_t n_cuts,
			  const int64_t *prices, int s);
/*
 * Per-vertex limits of T, which is borrowed. widths_crossing: the most chunks that can cross UNTIL in a round of step
 * S.
 */
struct widths widths_new(const struct topology *t);
int64_t widths_crossing(const struct widths *k, const int *until, int s);
void widths_free(struct widths *k);

/* core/bounds/set_bounds.c: over sets of nodes; over all of them on small machines. */
void bounds_exchanging(const struct network *w, struct bounds *b);                                     /* alltoall */
void bounds_listed(const struct network *w, const struct custom *c, struct bounds *b);                 /* custom */
void bounds_reducing_all(const struct network *w, struct bounds *b);                                   /* allreduce */
void bounds_scanning(const struct network *w, struct bounds *b);                                       /* scan */

#endif
