#ifndef SCCL_PROVE_TIMED_H
#define SCCL_PROVE_TIMED_H

/* Bounds for a given number of steps: recomputed from their cuts, and as JSON. */

#include "prove/proof.h"
#include "prove/question.h"

struct json_place;

/* The R/C that the cuts force in t->steps steps. 0: no bound. */
struct rational timed_bandwidth(const struct question *q, const struct timed *t);

/* The bound of a side for STEPS steps; NULL: none. */
const struct timed *timed_of(const struct side *s, int steps);

/* Frees the list and everything in it. */
void timed_free(struct timed *list, size_t n);

/*
 * Member "in_steps" of a side's bounds; omitted if there are none. What has been read belongs to the side, even on
 * failure.
 */
void timed_write(struct text *into, const char *margin, const struct side *s, int nodes);
bool timed_read(const struct json_place *bounds, int nodes, struct side *s, struct error *e);

#endif
