#ifndef SCCL_SYNTH_SYMMETRIC_CUT_COMPONENTS_H
#define SCCL_SYNTH_SYMMETRIC_CUT_COMPONENTS_H

/*
 * What must pass the narrow gates of a machine: without them it falls into shores, and each part must reach each shore at
 * least once through them. Which gates: each alone, and all up to the bandwidth of each.
 */

#include "synth/symmetric/port_groups.h"

struct straits;

struct straits *straits_new(const struct sketch *d, const struct gates *g);
void straits_free(struct straits *s);

void straits_pass(struct straits *s, int part, int node); /* it is there now */
int64_t straits_needed(const struct straits *s);           /* rounds, for all that was not anywhere on its shore yet */

/* What passes after the mark is forgotten. One mark at a time. */
void straits_mark(struct straits *s);
void straits_back(struct straits *s);

#endif
