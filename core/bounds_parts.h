#ifndef SCCL_CORE_BOUNDS_PARTS_H
#define SCCL_CORE_BOUNDS_PARTS_H

/* The kinds of bandwidth bounds, each in a file of its own. For core/bounds*.c. */

#include "core/bounds.h"
#include "core/bounds_timed.h"

struct network;

/* Takes a cut into *b if its demand / capacity beats what is there: does it? PART is copied. */
bool bounds_take(struct bounds *b, const int *part, int parts, struct rational demand, int64_t capacity, bool inward);

/* core/bounds_flow.c: exact, by maximum flows on the physical graph. */
void bounds_gathering(const struct topology *t, const struct network *w, int root, struct bounds *b); /* root -1: to each */
void bounds_broadcasting(const struct topology *t, const struct network *w, int root, struct bounds *b);

/* core/bounds_prices.c: by prices of links and limits, where these show more than *b does. STATED NULL: they are looked for. */
void bounds_pricing(const struct network *w, const struct collective *k, const struct stated_prices *stated, struct bounds *b);

/* core/bounds_priced.c: takes the place of *OUT where limits show more. For core/bounds_timed.c. */
struct instance;
void bounds_priced(const struct instance *i, enum timed_effort effort, struct timed_bound *out);

/* core/bounds_sets.c: over sets of nodes, all of them where they are few. */
void bounds_exchanging(const struct network *w, struct bounds *b);                                     /* alltoall */
void bounds_listed(const struct network *w, const struct custom *c, struct bounds *b);                 /* custom */
void bounds_reducing_all(const struct network *w, struct bounds *b);                                   /* allreduce */
void bounds_scanning(const struct network *w, struct bounds *b);                                       /* scan */

#endif
