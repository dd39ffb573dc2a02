#ifndef SCCL_PROVE_TIMED_H
#define SCCL_PROVE_TIMED_H

/* Bounds for a number of steps: counted anew from their cuts, and in the file. */

#include "prove/proof.h"
#include "prove/question.h"

struct json_place;

/* R/C that the cuts force in their number of steps. 0: nothing. */
struct rational timed_bandwidth(const struct question *q, const struct timed *t);

/* The entry of a side for so many steps; NULL: none. */
const struct timed *timed_of(const struct side *s, int steps);

void timed_free(struct timed *list, size_t n);

/* "in_steps" of a side's bounds; nothing where there are none. What is read so far is the side's, also where it is at fault. */
void timed_write(struct text *into, const char *margin, const struct side *s, int nodes);
bool timed_read(const struct json_place *bounds, int nodes, struct side *s, struct error *e);

#endif
