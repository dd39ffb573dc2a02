#ifndef SCCL_SYNTH_FRONTIER_RELABELLED_FRONTIER_H
#define SCCL_SYNTH_FRONTIER_RELABELLED_FRONTIER_H

/*
 * The frontier of one machine, relabelled for another that is isomorphic to it. Only the schedules, relabelled, and the
 * refutations are taken over: everything else is verified, classified and listed anew.
 */

#include "synth/frontier/pareto.h"

/* Does F contain everything that a search with these options would look for? F may be of a wider class if its points
 * are in the requested one. */
bool frontier_answers(const struct frontier *f, const struct pareto_options *o);

/*
 * Relabels an F for which frontier_answers holds: its node n is node to[n] of P's machine. For an allreduce P is the
 * problem of compositions and DIRECT that of all algorithms; otherwise DIRECT is NULL. The caller's; NULL with *e set:
 * a relabelled point was not accepted.
 */
struct frontier *frontier_relabelled(const struct frontier *f, const struct problem *p, const struct problem *direct, const int *to,
				  const struct pareto_options *o, struct error *e);

#endif
