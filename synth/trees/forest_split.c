/*
 * Removes switches: edges u → w → t through a switch w become one edge u → t, by as much as leaves every node its flow
 * (Mader; Bang-Jensen, Frank and Jackson: a balanced vertex can always be split off completely). Even distributions
 * come first, since trees are shallow where each node has edges to many others: a spread is planned and tried at once,
 * by bisection where it does not fit, and what is left is split pair by pair.
 */

#include "synth/trees/forest_graph.h"
#include "synth/trees/forest_spread.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/base/watch.h"
#include "core/machine/topology.h"

#include <stdlib.h>

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void move(struct forest_graph *g, int w, struct forest_split_way s)
{
	forest_graph_set(g, s.from, w, g->capacity[forest_pair(g, s.from, w)] - s.count);
	forest_graph_set(g, w, s.to, g->capacity[forest_pair(g, w, s.to)] - s.count);
	if (s.from != s.to)
		forest_graph_set(g, s.from, s.to, g->capacity[forest_pair(g, s.from, s.to)] + s.count);
}

static void join(struct pieces *into, const struct graph_piece *a, int w, const struct graph_piece *b, int64_t count)
{
	int n = a->n_via + 1 + b->n_via, *via = new_array(int, (size_t)n);

	for (int i = 0; i < a->n_via; i++)
		via[i] = a->via[i];
	via[a->n_via] = w;
	for (int i = 0; i < b->n_via; i++)
		via[a->n_via + 1 + i] = b->via[i];
	forest_pieces_add(into, count, via, n);
	free(via);
}

/* Joins the paths of the moved edges; what would return to its start vanishes. */
static void move_pieces(struct forest_graph *g, int w, struct forest_split_way s)
{
	struct pieces first = {0}, second = {0};
	size_t i = 0, k = 0;

	forest_graph_take(g, s.from, w, s.count, &first);
	forest_graph_take(g, w, s.to, s.count, &second);
	while (s.from != s.to && i < first.n && k < second.n) {
		int64_t count = smaller(first.of[i].count, second.of[k].count);
		join(&g->pieces[forest_pair(g, s.from, s.to)], &first.of[i], w, &second.of[k], count);
		i += (first.of[i].count -= count) == 0;
		k += (second.of[k].count -= count) == 0;
	}
	forest_pieces_free(&first);
	forest_pieces_free(&second);
}

/* By how much the pair can be split off, at most S.COUNT. */
static int64_t allowed(struct forest_graph *g, int w, struct forest_split_way s)
{
	struct ends both = {{s.from, s.to}, 2}, one = {{w, 0}, 1};
	int64_t most = smaller(g->capacity[forest_pair(g, s.from, w)], g->capacity[forest_pair(g, w, s.to)]);

	if (s.from == s.to)
		both.n = 1;
	most = forest_graph_slack(g, both, one, smaller(most, s.count));
	return most > 0 ? forest_graph_slack(g, one, both, most) : 0;
}

static int64_t split_pair(struct forest_graph *g, int w, struct forest_split_way s)
{
	s.count = allowed(g, w, s);
	if (s.count > 0) {
		move(g, w, s);
		move_pieces(g, w, s);
	}
	return s.count;
}

/* All at once if that leaves every node its flow, otherwise by halves. */
static void split_many(struct forest_graph *g, int w, const struct forest_split_way *s, size_t n)
{
	if (n == 1)
		split_pair(g, w, s[0]);
	if (n <= 1 || stop_is_due())
		return;
	for (size_t i = 0; i < n; i++)
		move(g, w, s[i]);
	if (forest_graph_feasible(g)) {
		for (size_t i = 0; i < n; i++)
			move_pieces(g, w, s[i]);
		return;
	}
	for (size_t i = n; i-- > 0;)
		move(g, w, (struct forest_split_way){s[i].from, s[i].to, -s[i].count});
	split_many(g, w, s, n / 2);
	split_many(g, w, s + n / 2, n - n / 2);
}

/* Drops the rest at W if no node misses it. */
static bool drop_rest(struct forest_graph *g, int w)
{
	size_t n = (size_t)g->vertices;
	int64_t *into = new_array(int64_t, n), *out = new_array(int64_t, n);

	for (int v = 0; v < g->vertices; v++) {
		into[v] = g->capacity[forest_pair(g, v, w)];
		out[v] = g->capacity[forest_pair(g, w, v)];
		forest_graph_set(g, v, w, 0);
		forest_graph_set(g, w, v, 0);
	}
	bool dropped = forest_graph_feasible(g);
	for (int v = 0; v < g->vertices; v++) {
		if (dropped) {
			forest_graph_take(g, v, w, into[v], NULL);
			forest_graph_take(g, w, v, out[v], NULL);
		} else {
			forest_graph_set(g, v, w, into[v]);
			forest_graph_set(g, w, v, out[v]);
		}
	}
	free(into);
	free(out);
	return dropped;
}

/* Splits pair by pair; what returns to its start comes last. */
static void split_rest(struct forest_graph *g, int w)
{
	for (int to = 0; to < g->vertices; to++)
		for (int i = 1; i <= g->vertices; i++) {
			int64_t left = g->capacity[forest_pair(g, w, to)];
			int from = (to + i) % g->vertices;
			if (left == 0 || stop_is_due())
				break;
			if (g->capacity[forest_pair(g, from, w)])
				split_pair(g, w, (struct forest_split_way){from, to, left});
		}
}

static bool split_off(struct forest_graph *g, int w, struct error *e)
{
	for (int apart = 1; apart >= 0 && forest_graph_out(g, w); apart--) {
		size_t n;
		struct forest_split_way *s = forest_spread(g, w, apart, &n);
		split_many(g, w, s, n);
		free(s);
	}
	if (forest_graph_out(g, w) == 0 && forest_graph_in(g, w) == 0)
		return true;
	if (drop_rest(g, w))
		return true;
	split_rest(g, w);
	if (drop_rest(g, w))
		return true;
	if (!forest_in_time(g, e))
		return false;
	g->stuck = true;
	return error_set(e, ERROR_INPUT, g->topology->name,
			 "the flow through vertex %d could not be split into edges between nodes: the rate is known, trees are not", w);
}

/* Narrows one arc of an unbalanced vertex; returns by how much. */
static int64_t narrow(struct forest_graph *g, int from, int to, int64_t most)
{
	struct ends held = {{from, 0}, 1}, lost = {{to, 0}, 1};
	int64_t by = forest_graph_slack(g, held, lost, smaller(most, g->capacity[forest_pair(g, from, to)]));

	if (by > 0) {
		forest_graph_set(g, from, to, g->capacity[forest_pair(g, from, to)] - by);
		forest_graph_take(g, from, to, by, NULL);
	}
	return by;
}

/* In equal parts as far as possible. True: something changed. */
static bool narrow_side(struct forest_graph *g, int w, int64_t excess, bool entering)
{
	int64_t was = excess, arcs = 0;

	for (int v = 0; v < g->vertices; v++)
		arcs += g->capacity[entering ? forest_pair(g, v, w) : forest_pair(g, w, v)] > 0;
	int64_t share = arcs ? (excess + arcs - 1) / arcs : 0;
	for (int v = 0; v < g->vertices && excess > 0; v++)
		if (g->capacity[entering ? forest_pair(g, v, w) : forest_pair(g, w, v)])
			excess -= entering ? narrow(g, v, w, smaller(share, excess)) : narrow(g, w, v, smaller(share, excess));
	return excess < was;
}

static bool is_even(const struct forest_graph *g, int w)
{
	return forest_graph_in(g, w) == forest_graph_out(g, w);
}

/*
 * Every switch must send as much as it receives: a surplus on one side is useless, and is removed where no node misses
 * it.
 */
static bool balance(struct forest_graph *g, struct error *e)
{
	bool changed = true;

	while (changed && !stop_is_due()) {
		changed = false;
		for (int w = g->nodes; w < g->vertices; w++) {
			int64_t in = forest_graph_in(g, w), out = forest_graph_out(g, w);
			if (in != out)
				changed |= narrow_side(g, w, in > out ? in - out : out - in, in > out);
		}
	}
	if (!forest_in_time(g, e))
		return false;
	for (int w = g->nodes; w < g->vertices; w++)
		if (!is_even(g, w))
			return error_set(e, ERROR_INPUT, g->topology->name,
					 "the flows into and out of switch %d cannot be balanced: the rate is known, trees are not", w);
	return true;
}

bool forest_split_switches(struct forest_graph *g, struct error *e)
{
	if (!balance(g, e))
		return false;
	for (int w = g->nodes; w < g->vertices; w++) {
		watch_note("splitting switches off", w - g->nodes, g->vertices - g->nodes);
		if (!split_off(g, w, e))
			return false;
	}
	return forest_in_time(g, e);
}
