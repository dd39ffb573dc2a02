/*
 * Dinic's algorithm: breadth-first levels in the residual graph, then a blocking flow along arcs that lead to the next
 * level, by depth-first search with a current arc per vertex; repeated until the sink is unreachable.
 */

#include "core/graph/max_flow.h"

#include "core/base/memory.h"
#include "core/base/work.h"

#include <stdlib.h>

/* Arc a has the reverse arc a ^ 1. */
struct residual_arc {
	int to, next; /* next: the next arc that leaves the same vertex, -1: none */
	int64_t capacity, left; /* left: residual capacity */
};

struct flow {
	int vertices;
	int *first; /* [vertex]: its first outgoing arc, -1: none */
	int *at;    /* [vertex]: its current arc, from which the search continues */
	int *level; /* [vertex]: hops from the source, -1: unreached */
	int *queue;
	size_t n_arcs, capacity;
	struct residual_arc *arcs;
};

struct flow *flow_new(int vertices)
{
	struct flow *f = new(struct flow);
	f->vertices = vertices;
	f->first = new_array(int, (size_t)vertices);
	f->at = new_array(int, (size_t)vertices);
	f->level = new_array(int, (size_t)vertices);
	f->queue = new_array(int, (size_t)vertices);
	for (int v = 0; v < vertices; v++)
		f->first[v] = -1;
	return f;
}

void flow_free(struct flow *f)
{
	if (!f)
		return;
	free(f->first);
	free(f->at);
	free(f->level);
	free(f->queue);
	free(f->arcs);
	free(f);
}

static void add(struct flow *f, int from, int to, int64_t capacity)
{
	f->arcs = grown(f->arcs, &f->capacity, f->n_arcs + 1, sizeof *f->arcs);
	f->arcs[f->n_arcs] = (struct residual_arc){to, f->first[from], capacity, capacity};
	f->first[from] = (int)f->n_arcs++;
}

int flow_arc(struct flow *f, int from, int to, int64_t capacity)
{
	add(f, from, to, capacity);
	add(f, to, from, 0);
	return (int)f->n_arcs - 2;
}

void flow_set(struct flow *f, int arc, int64_t capacity)
{
	f->arcs[arc].capacity = capacity;
}

static bool find_levels(struct flow *f, int source, int sink)
{
	int head = 0, tail = 0;

	for (int v = 0; v < f->vertices; v++)
		f->level[v] = -1;
	f->level[source] = 0;
	f->queue[tail++] = source;
	work_spend(f->vertices);
	while (head < tail && f->level[sink] < 0) {
		int v = f->queue[head++], arcs = 0;
		for (int a = f->first[v]; a >= 0; a = f->arcs[a].next, arcs++)
			if (f->arcs[a].left > 0 && f->level[f->arcs[a].to] < 0) {
				f->level[f->arcs[a].to] = f->level[v] + 1;
				f->queue[tail++] = f->arcs[a].to;
			}
		work_spend(arcs);
	}
	return f->level[sink] >= 0;
}

/*
 * Pushes up to MOST units from V to the sink; returns how many. The recursion depth is at most the number of levels,
 * which is three times the machine's diameter.
 */
static int64_t push(struct flow *f, int v, int sink, int64_t most)
{
	if (v == sink)
		return most;
	int64_t pushed = 0;
	for (int *a = &f->at[v]; *a >= 0 && pushed < most; *a = f->arcs[*a].next) {
		struct residual_arc *arc = &f->arcs[*a];
		if (!work_spend(1))
			break;
		if (arc->left <= 0 || f->level[arc->to] != f->level[v] + 1)
			continue;
		int64_t rest = most - pushed;
		int64_t more = push(f, arc->to, sink, arc->left < rest ? arc->left : rest);
		arc->left -= more;
		f->arcs[*a ^ 1].left += more;
		pushed += more;
		if (pushed == most)
			break; /* keep this arc as the current one: it may have capacity left */
	}
	return pushed;
}

int64_t flow_run_up_to(struct flow *f, int source, int sink, int64_t enough)
{
	int64_t total = 0;

	work_spend((double)f->n_arcs);
	for (size_t a = 0; a < f->n_arcs; a++)
		f->arcs[a].left = f->arcs[a].capacity;
	while (total < enough && !work_is_over() && find_levels(f, source, sink)) {
		for (int v = 0; v < f->vertices; v++)
			f->at[v] = f->first[v];
		total += push(f, source, sink, enough - total);
	}
	return total;
}

int64_t flow_run(struct flow *f, int source, int sink)
{
	return flow_run_up_to(f, source, sink, INT64_MAX);
}

int64_t flow_on_arc(const struct flow *f, int arc)
{
	return f->arcs[arc].capacity - f->arcs[arc].left;
}

bool flow_on_source_side(const struct flow *f, int vertex)
{
	return f->level[vertex] >= 0;
}
