#ifndef SCCL_CORE_GRAPH_MAX_FLOW_H
#define SCCL_CORE_GRAPH_MAX_FLOW_H

/* Maximum flow by blocking flows (Dinic 1970) in 64-bit integers, and the minimum cut that certifies it. */

#include <stdbool.h>
#include <stdint.h>

struct flow;

/*
 * An unlimited capacity: more than that of all links of a machine together, LINKS_MAX times BANDWIDTH_MAX. A caller
 * that scales its capacities multiplies this by the same factor.
 */
#define FLOW_UNLIMITED ((int64_t)1 << 41)

/* A graph without arcs. The caller frees it. */
struct flow *flow_new(int vertices);
void flow_free(struct flow *f); /* NULL is fine */

int flow_arc(struct flow *f, int from, int to, int64_t capacity); /* adds an arc; returns its index */
void flow_set(struct flow *f, int arc, int64_t capacity);         /* changes a capacity, for the next run */

/* The maximum flow, computed from scratch. Too little if the limit on work is exceeded (core/base/work.h). */
int64_t flow_run(struct flow *f, int source, int sink);
/* The same, but stops at a flow of ENOUGH and returns that: it need not be the maximum then, and gives no cut. */
int64_t flow_run_up_to(struct flow *f, int source, int sink, int64_t enough);
int64_t flow_on_arc(const struct flow *f, int arc);         /* after a run */
bool flow_on_source_side(const struct flow *f, int vertex); /* after a run: of the minimum cut nearest to the source */

#endif
