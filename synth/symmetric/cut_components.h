#ifndef SCCL_SYNTH_SYMMETRIC_CUT_COMPONENTS_H
#define SCCL_SYNTH_SYMMETRIC_CUT_COMPONENTS_H

/*
 * A lower bound on the rounds that an allgather still needs, from cuts made of port groups. Removing a set of port
 * groups splits the machine into components, and each part must enter every other component at least once through that
 * set. The sets tried: each port group alone, and all port groups up to the bandwidth of each.
 */

#include "synth/symmetric/port_groups.h"

struct cut_components;

/* D and G are needed during the call only. */
struct cut_components *cut_components_new(const struct symmetric_schedule *d, const struct port_groups *g);
void cut_components_free(struct cut_components *s); /* NULL is fine */

void cut_components_pass(struct cut_components *s, int part, int node); /* PART is at NODE from now on */
int64_t cut_components_needed(const struct cut_components *s);           /* rounds, at least */

/* cut_components_back undoes all passes since cut_components_mark. One mark at a time. */
void cut_components_mark(struct cut_components *s);
void cut_components_back(struct cut_components *s);

#endif
