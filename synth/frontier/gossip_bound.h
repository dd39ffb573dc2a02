#ifndef SCCL_SYNTH_FRONTIER_GOSSIP_BOUND_H
#define SCCL_SYNTH_FRONTIER_GOSSIP_BOUND_H

/*
 * Lower bounds on R/C of an allreduce in S steps by gossips (encode/cnf/gossip.h): at certain prices, many of which are 0,
 * the sends of any chunk pay at least a known amount. docs/concepts/bounds.md.
 */

#include "synth/frontier/frontier.h"

/*
 * On machines of up to 64 links, all of them there in both directions, without limits and switches. If the bound is more than *OUT,
 * raises that, if it can near to BEST, an R/C that is known (or no number). KNOWN (or NULL) is a good algorithm; of so many steps it makes
 * the search short. Asks a solver for some CPU seconds. False: *OUT stays as it was.
 */
bool gossip_bound(const struct problem *p, struct rational best, const struct algorithm *known, struct step_value *out);

#endif
