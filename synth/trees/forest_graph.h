#ifndef SCCL_SYNTH_TREES_FOREST_GRAPH_H
#define SCCL_SYNTH_TREES_FOREST_GRAPH_H

/*
 * The machine as a graph of integer capacities whose maximum flows are asked again and again. Nodes come first, then
 * switches, then one vertex for each limit into or out of a vertex, which is as good as a switch. For synth/trees/forest*.c.
 */

#include "synth/trees/forest.h"

#include "core/graph/max_flow.h"

/* A way that capacity of an edge takes through vertices that were split off. */
struct graph_piece {
	int64_t count;
	int n_via;
	int *via; /* owned */
};

struct pieces {
	struct graph_piece *of;
	size_t n, room;
};

struct forest_graph {
	const struct topology *topology; /* borrowed */
	int nodes, real, vertices;       /* real: nodes and switches */
	int64_t *capacity;               /* [from * vertices + to] */
	struct pieces *pieces;           /* the same: sum of counts is the capacity */
	bool *is_root;                   /* [node] */
	int n_roots;
	int64_t each;                    /* what each root offers */
	struct flow *flow;
	int *arc;                        /* [from * vertices + to], -1: none yet */
	int source, sink;
	int *offer, *take;               /* [vertex]: arcs from the source and to the sink */
	bool fine;                       /* spread what goes through switches unit by unit, not by whole batches of trees */
	bool stuck;                      /* they could not be spread in this way */
	int limits_left_out;
	int64_t grain;                   /* what divides every way of an edge, where edges have several; 0: nothing is asked */
	int hint;                        /* the node that was short of flow last */
};

#define FOREST_INFINITE ((int64_t)1 << 58)

bool forest_graph_new(const struct topology *t, int root, struct forest_graph *out, struct error *e);
void forest_graph_free(struct forest_graph *g);

static inline size_t forest_pair(const struct forest_graph *g, int from, int to)
{
	return (size_t)from * (size_t)g->vertices + (size_t)to;
}
void forest_graph_set(struct forest_graph *g, int from, int to, int64_t capacity);
int64_t forest_graph_in(const struct forest_graph *g, int vertex);
int64_t forest_graph_out(const struct forest_graph *g, int vertex);

/* Every capacity times NUM / DEN, which must be whole; each root offers EACH. Pieces are made. */
void forest_graph_scale(struct forest_graph *g, int64_t num, int64_t den, int64_t each);

/* Do all nodes get all that the roots offer? */
bool forest_graph_feasible(struct forest_graph *g);

/* How much less could leave the sets that have HELD with the source and LOST with a node, for every node: the least of these
 * cuts over what is demanded, or MOST. */
struct ends {
	int of[2], n;
};
int64_t forest_graph_slack(struct forest_graph *g, struct ends held, struct ends lost, int64_t most);

/* Takes COUNT of the ways of an edge out of the graph, into *into unless NULL. */
void forest_graph_draw(struct forest_graph *g, int from, int to, int64_t count, struct pieces *into);
void forest_pieces_free(struct pieces *p);
void forest_pieces_add(struct pieces *p, int64_t count, const int *via, int n_via);

/* The steps of the method, each in a file of its own. */
bool forest_find_rate(struct forest_graph *g, struct forest *f, struct error *e);
bool forest_split_switches(struct forest_graph *g, struct error *e); /* only nodes are joined afterwards */
/* Where that fails: edges between nodes by a linear program over what switches forward, in *OUT, which the caller frees in any case;
 * how many trees they carry in which rounds, in *F, whose rate is there. MACHINE is not scaled. */
bool forest_relay(const struct forest_graph *machine, int root, struct forest_graph *out, struct forest *f, struct error *e);
bool forest_pack(struct forest_graph *g, struct forest *f, struct error *e); /* takes capacities away */

#endif
