#ifndef SCCL_SYNTH_SYMMETRIC_CUT_COMPONENTS_H
#define SCCL_SYNTH_SYMMETRIC_CUT_COMPONENTS_H

/*
 * What must pass the narrow gates of a machine: without them it falls into shores, and each part must reach each shore at
 * least once through them. Which gates: each alone, and all up to the bandwidth of each.
 */

#include "synth/symmetric/port_groups.h"

struct cut_components;

struct cut_components *cut_components_new(const struct symmetric_schedule *d, const struct port_groups *g);
void cut_components_free(struct cut_components *s);

void cut_components_pass(struct cut_components *s, int part, int node); /* it is there now */
int64_t cut_components_needed(const struct cut_components *s);           /* rounds, for all that was not anywhere on its shore yet */

/* What passes after the mark is forgotten. One mark at a time. */
void cut_components_mark(struct cut_components *s);
void cut_components_back(struct cut_components *s);

#endif
