#ifndef SCCL_CORE_GRAPH_MAX_FLOW_H
#define SCCL_CORE_GRAPH_MAX_FLOW_H

/* Maximum flow by blocking flows (Dinic, 1970) in 64-bit integers, and the cut that shows it. */

#include <stdbool.h>
#include <stdint.h>

struct flow;

#define FLOW_UNLIMITED ((int64_t)1 << 41) /* times the scale of flow_run's caller: more than all links together, LINKS_MAX times BANDWIDTH_MAX */

struct flow *flow_new(int vertices);
void flow_free(struct flow *f); /* NULL is fine */

int flow_arc(struct flow *f, int from, int to, int64_t capacity); /* its index, for flow_set */
void flow_set(struct flow *f, int arc, int64_t capacity);         /* and takes all flow off it */

int64_t flow_run(struct flow *f, int source, int sink);          /* from nothing: flow of a run before is taken off */
/* The same, but it ends where ENOUGH gets through, with that: then it is no maximum, and shows no cut. */
int64_t flow_run_up_to(struct flow *f, int source, int sink, int64_t enough);
int64_t flow_on_arc(const struct flow *f, int arc);             /* after a run */
bool flow_on_source_side(const struct flow *f, int vertex);      /* of the least cut nearest the source, after a run */

#endif
