#ifndef SCCL_SYNTH_BUILDER_HOP_ROUTER_H
#define SCCL_SYNTH_BUILDER_HOP_ROUTER_H

/*
 * Classic methods speak of ranks that send to any other rank. Here that becomes sends over links: a pair that no link and no
 * route joins is served hop by hop, on a shortest way, and a phase takes as many steps as its longest way has hops.
 */

#include "synth/builder/schedule_builder.h"
#include "synth/builder/method.h"

struct hop_router;

/* For a drawing of C = CHUNKS. Where several nodes get a chunk, what is at a node already, or passes by, is not sent there again.
 * NULL with *e set: some node cannot reach another, C does not suit the kind, or it is all too much. */
struct hop_router *hop_router_new(const struct method_request *r, const char *name, int chunks, struct error *e);

/* In the phase at hand; FROM has the chunk when the phase begins. Chunks take turns among several shortest ways. */
void hop_router_send(struct hop_router *m, int chunk, int from, int to);
void hop_router_end_phase(struct hop_router *m);
bool hop_router_is_full(const struct hop_router *m); /* more than can be taken: whoever draws may stop */
bool hop_router_take(struct hop_router *m, struct drawing *out, struct error *e); /* frees it */

/* Can every node reach every other? Else ERROR_INPUT that says which cannot. */
bool all_joined(const struct network *w, const char *name, struct error *e);

#endif
