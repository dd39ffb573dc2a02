#ifndef SCCL_SYNTH_BUILDER_HOP_ROUTER_H
#define SCCL_SYNTH_BUILDER_HOP_ROUTER_H

/*
 * Classic methods let a rank send to any other rank. The hop router turns that into sends over edges: a pair that
 * neither a link nor a route joins is served hop by hop on a shortest path, and a phase takes as many steps as its
 * longest path has hops.
 */

#include "synth/builder/schedule_builder.h"
#include "synth/builder/method.h"

struct hop_router;

/*
 * A router for a schedule of C = CHUNKS. For kinds that copy chunks (allgather, broadcast) nothing is sent to a node
 * that has the chunk already or receives it in passing by then. NULL with *e set: some node cannot reach another, C
 * does not suit the kind, or the schedule would be too large (ERROR_LIMIT).
 */
struct hop_router *hop_router_new(const struct method_request *r, const char *name, int chunks, struct error *e);

/*
 * Adds a send to the current phase; FROM must have the chunk when the phase begins. Chunks take turns among several
 * shortest paths.
 */
void hop_router_send(struct hop_router *m, int chunk, int from, int to);
/* Ends the phase: the next one begins after the last hop of its longest path. */
void hop_router_end_phase(struct hop_router *m);
bool hop_router_is_full(const struct hop_router *m); /* over the limit on sends: the method may stop */
bool hop_router_take(struct hop_router *m, struct construction *out, struct error *e); /* frees the router in any case */

/* True if every node can reach every other; otherwise sets ERROR_INPUT, naming a pair that cannot. */
bool all_joined(const struct network *w, const char *name, struct error *e);

#endif
