#ifndef SCCL_SYNTH_FRONTIER_FEWEST_SENDS_H
#define SCCL_SYNTH_FRONTIER_FEWEST_SENDS_H

/*
 * Lower bounds on R/C of an allreduce in S steps that count sends: what is sent of one chunk crosses certain links at least so
 * often, and in a round they carry only so much. docs/concepts/bounds.md.
 */

#include "synth/frontier/frontier.h"

/*
 * Where all links are alike (one orbit, no limits): the fewest sends of a pattern. Else the fewest sends of a gossip
 * (encode/cnf/gossip.h) through limits of one orbit, through all limits, or over links of one orbit that no limit narrows. A
 * solver is asked for fewer than BEST needs, and for fewer again, up to a limit of work. If there is an answer, and it is more than
 * *OUT, raises that. False: *OUT stays as it was. Among algorithms with one value of a chunk at a node, without switches that copy.
 */
bool fewest_sends_bound(const struct problem *p, struct rational best, struct step_value *out);

/* Are all links alike, so that in an optimum all may have one price, and is each there in both directions? */
bool links_are_alike(const struct network *w);

#endif
