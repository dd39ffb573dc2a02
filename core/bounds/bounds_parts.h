#ifndef SCCL_CORE_BOUNDS_BOUNDS_PARTS_H
#define SCCL_CORE_BOUNDS_BOUNDS_PARTS_H

/* The kinds of bandwidth bounds, each in a file of its own. For core/bounds/. */

#include "core/bounds/bounds.h"
#include "core/bounds/timed_cuts.h"

#include <stdbool.h>
#include <stdint.h>

struct edge;
struct instance;
struct network;

/* Takes a cut into *b if its demand / capacity beats what is there: does it? PART is copied. */
bool bounds_take(struct bounds *b, const int *part, int parts, struct rational demand, int64_t capacity, bool inward);

/*
 * Were so many steps of work counted that no more cuts are tried? Of large machines there are too many, and any of them gives a sound
 * bound. Asked between cuts, the likeliest first.
 */
bool bounds_tried_enough(const struct bounds *b);

/* core/bounds/flow_bounds.c: exact, by maximum flows on the physical graph. */
void bounds_gathering(const struct topology *t, const struct network *w, int root, struct bounds *b); /* root -1: to each */
void bounds_broadcasting(const struct topology *t, const struct network *w, int root, struct bounds *b);

/* core/bounds/price_bounds.c: by prices of links and limits, where these show more than *b does. STATED NULL: they are looked for. */
void bounds_pricing(const struct network *w, const struct collective *k, const struct stated_prices *stated, struct bounds *b);

/*
 * core/bounds/swaps.c: nodes of which any two may be swapped, as those behind one switch. Whatever an algorithm carries, the mean of all
 * its relabellings carries the same over edges of one class, and keeps every cut and limit.
 */
struct swaps {
	int *node;            /* [node]: the first of its class; owned, as all */
	int n_classes, *edge; /* [edge]: its class */
	int *first;           /* [class]: an edge of it */
	bool *repeats;        /* [limit]: one before it says the same of classes */
};
struct swaps swaps_new(const struct instance *i);
struct swaps swaps_none(const struct network *w); /* each for itself */
void swaps_free(struct swaps *a);

/* core/bounds/priced_cuts.c: takes the place of *OUT where limits show more. For core/bounds/timed_cuts.c. */
void bounds_priced(const struct instance *i, enum timed_effort effort, struct timed_bound *out);
/* The same in parts, for many ways to share the rounds: ROUNDS of each step, where *OUT is to show the fewest chunks; NULL: any. */
struct priced *priced_new(const struct instance *i, const struct swaps *alike, enum timed_effort effort); /* NULL: not tried. Borrows */
double priced_bound(struct priced *k, const int *rounds, struct timed_bound *out); /* how large the program became */
void priced_free(struct priced *k); /* NULL is fine */
/* core/bounds/timed_cuts.c: the cut that shows the fewest chunks for so many rounds of each step. False: nothing is wanted. */
bool bounds_timed_at(const struct topology *t, const struct instance *i, const int *rounds, struct timed_bound *out);

/*
 * core/bounds/growth.c: no node sends before a chunk came to it, so in each step at most so many send as hold one, the widest first; and no
 * more come to hold one than are sent.
 */
struct growth {
	int nodes, holders; /* that begin with a chunk: the first in out */
	int64_t *out;       /* what each sends in a round, the other nodes' widest first; owned */
	int64_t in;         /* of all together that want something */
	int64_t deliveries; /* that the instance wants */
};
struct growth growth_new(const struct instance *i);
int64_t growth_most(const struct growth *g, const int *rounds, int steps); /* times the instance's chunks */
void growth_free(struct growth *g);

/* core/bounds/cut_widths.c: what crosses a cut of expanded time; of a round of step S, by limits of each vertex and links. */
#define WIDTH_UNLIMITED ((int64_t)1 << 60)
struct widths {
	const struct topology *t; /* borrowed */
	int64_t *into, *out_of;   /* [vertex] */
};
bool timed_crosses(const int *until, const struct edge *e, int s);
int64_t timed_demand(const struct instance *i, const int *until); /* chunks that begin outside and are wanted inside at the end */
/* What a round of step S carries of the cuts' crossings, by weight, at PRICES [limit] of that step. */
int64_t timed_priced_room(const struct network *w, const struct swaps *alike, const struct timed_cut *cuts, size_t n_cuts,
			  const int64_t *prices, int s);
struct widths widths_new(const struct topology *t);
int64_t widths_crossing(const struct widths *k, const int *until, int s);
void widths_free(struct widths *k);

/* core/bounds/set_bounds.c: over sets of nodes, all of them where they are few. */
void bounds_exchanging(const struct network *w, struct bounds *b);                                     /* alltoall */
void bounds_listed(const struct network *w, const struct custom *c, struct bounds *b);                 /* custom */
void bounds_reducing_all(const struct network *w, struct bounds *b);                                   /* allreduce */
void bounds_scanning(const struct network *w, struct bounds *b);                                       /* scan */

#endif
