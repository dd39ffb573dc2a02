#ifndef SCCL_SYNTH_FRONTIER_KEEP_POINT_H
#define SCCL_SYNTH_FRONTIER_KEEP_POINT_H

#include "synth/frontier/pareto.h"

/* Stores point I of F in o->out unless that is NULL, and then reports it to o->found. False with *e set: it cannot be
 * stored. */
bool keep_point(struct frontier *f, size_t i, const struct pareto_options *o, struct error *e);

#endif
