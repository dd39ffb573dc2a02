#ifndef SCCL_SYNTH_BUILDER_HOP_ROUTER_H
#define SCCL_SYNTH_BUILDER_HOP_ROUTER_H

/*
 * Classic methods speak of ranks that send to any other rank. Here that becomes sends over links: a pair that no link and no
 * route joins is served hop by hop, on a shortest way, and a phase takes as many steps as its longest way has hops.
 */

#include "synth/builder/schedule_builder.h"
#include "synth/builder/method.h"

struct mail;

/* For a drawing of C = CHUNKS. Where several nodes get a chunk, what is at a node already, or passes by, is not sent there again.
 * NULL with *e set: some node cannot reach another, C does not suit the kind, or it is all too much. */
struct mail *mail_new(const struct method_request *r, const char *name, int chunks, struct error *e);
void mail_free(struct mail *m); /* NULL is fine */

/* In the phase at hand; FROM has the chunk when the phase begins. Chunks take turns among several shortest ways. */
void mail_send(struct mail *m, int chunk, int from, int to);
void mail_end_phase(struct mail *m);
bool mail_is_full(const struct mail *m); /* more than can be taken: whoever draws may stop */
bool mail_take(struct mail *m, struct drawing *out, struct error *e); /* frees it */

/* Can every node reach every other? Else ERROR_INPUT that says which cannot. */
bool all_joined(const struct network *w, const char *name, struct error *e);

#endif
