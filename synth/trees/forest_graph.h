#ifndef SCCL_SYNTH_TREES_FOREST_GRAPH_H
#define SCCL_SYNTH_TREES_FOREST_GRAPH_H

/*
 * The machine as a graph of integer capacities on which maximum flows are asked again and again. Nodes come first, then
 * switches, then one vertex for each limit into or out of a vertex, which behaves like a switch. For
 * synth/trees/forest*.c.
 */

#include "synth/trees/forest.h"

#include "core/graph/max_flow.h"

/* Part of an edge's capacity, with the path it takes through vertices that were split off. */
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
	struct pieces *pieces;           /* same index; counts add up to the capacity */
	bool *is_root;                   /* [node] */
	int n_roots;
	int64_t each;                    /* what each root offers */
	struct flow *flow;
	int *arc;                        /* [from * vertices + to], -1: none yet */
	int source, sink;
	int *offer, *take;               /* [vertex]: arcs from the source and to the sink */
	bool fine;                       /* spread what passes switches unit by unit, not by whole batches of trees */
	bool stuck;                      /* splitting off a switch failed with this way to spread */
	int limits_left_out;
	int64_t grain;                   /* common divisor of path counts where edges have several paths; 0: none */
	int hint;                        /* the node that was last short of flow */
};

#define FOREST_INFINITE ((int64_t)1 << 58)

/*
 * The graph of the machine; every node is a root where ROOT is -1, otherwise ROOT alone. T is borrowed. False with *e
 * set: a single node, or more than FOREST_VERTICES_MAX vertices. Release with forest_graph_free in either case.
 */
bool forest_graph_new(const struct topology *t, int root, struct forest_graph *out, struct error *e);
void forest_graph_free(struct forest_graph *g);

static inline size_t forest_pair(const struct forest_graph *g, int from, int to)
{
	return (size_t)from * (size_t)g->vertices + (size_t)to;
}
/* Sets the capacity of an edge, for the flow too. */
void forest_graph_set(struct forest_graph *g, int from, int to, int64_t capacity);
/* The capacity into, and out of, a vertex. */
int64_t forest_graph_in(const struct forest_graph *g, int vertex);
int64_t forest_graph_out(const struct forest_graph *g, int vertex);

/* Multiplies every capacity by NUM / DEN, which must give integers; each root offers EACH. Creates the pieces. */
void forest_graph_scale(struct forest_graph *g, int64_t num, int64_t den, int64_t each);

/* Does every node receive all that the roots offer? No, if the time is up. */
bool forest_graph_feasible(struct forest_graph *g);

/*
 * How much capacity may be removed from the cuts that separate HELD, on the source's side, from LOST and some node, on
 * the sink's: the least capacity of such a cut, over all nodes outside HELD, less what is demanded; at most MOST, at
 * least 0. 0 if the time is up.
 */
struct ends {
	int of[2], n;
};
int64_t forest_graph_slack(struct forest_graph *g, struct ends held, struct ends lost, int64_t most);

/* Removes COUNT units of the edge's pieces; they are added to *into unless it is NULL. */
void forest_graph_take(struct forest_graph *g, int from, int to, int64_t count, struct pieces *into);
void forest_pieces_free(struct pieces *p);
void forest_pieces_add(struct pieces *p, int64_t count, const int *via, int n_via);

/* False with *e set: the time is up (core/base/stop.h). The graph may then be in any state. */
bool forest_in_time(const struct forest_graph *g, struct error *e);

/* The stages of the method, one file each. They fail when the time is up. */
bool forest_find_rate(struct forest_graph *g, struct forest *f, struct error *e);
bool forest_split_switches(struct forest_graph *g, struct error *e); /* leaves edges between nodes only */
/*
 * Where splitting fails: edges between nodes by a linear program over what switches forward. *OUT gets the graph, which
 * the caller frees in any case; *F, whose rate is known, gets the number of trees it carries and in how many rounds.
 * MACHINE is unscaled.
 */
bool forest_relay(const struct forest_graph *machine, int root, struct forest_graph *out, struct forest *f, struct error *e);
bool forest_pack(struct forest_graph *g, struct forest *f, struct error *e); /* uses up capacities */

#endif
