/* Counts chunks by the pre- and postconditions: where they begin, and which nodes want them. */

#include "prove/time_count.h"

#include "core/base/memory.h"
#include "core/base/work.h"

#include <stdlib.h>

static bool holds(const struct time_checking *k, int chunk, int node)
{
	return collective_pre(&k->collective, k->proof->topology->nodes, chunk, node);
}

static bool wants(const struct time_checking *k, int chunk, int node)
{
	return collective_post(&k->collective, k->proof->topology->nodes, chunk, node);
}

/* Must V's value of the chunk include something of U's? */
static bool needs(const struct time_checking *k, int chunk, int v, int u)
{
	return u != v && holds(k, chunk, u) && wants(k, chunk, v) &&
	       (!k->combines || collective_wants_part(&k->collective, k->proof->topology->nodes, chunk, v, u));
}

static bool is_away(struct rational distance, struct rational away)
{
	return !rational_ok(distance) || rational_compare(distance, away) >= 0;
}

/* The count of a line by into. */
struct into {
	const struct time_claim *claim;
	struct rational **to;   /* [node]: the distances to it; NULL: the line does not count what is for this node. Owned, as are all. */
	bool *is_from, *is_for; /* [node]: may something that is counted begin here, or is it for this node? */
};

/* Does U begin, outside the set and far enough away, with a copy of the chunk for V, or a contribution? */
static bool is_source(const struct time_checking *k, const struct into *in, int chunk, int v, int u)
{
	return needs(k, chunk, v, u) && !in->claim->inside[u] && is_away(in->to[v][u], in->claim->away);
}

/*
 * Does something of the chunk have to get into the set for V? For sums one contribution from far away is enough; copies may
 * come from any holder.
 */
static bool gets_to(const struct time_checking *k, struct into *in, int chunk, int v)
{
	bool all = true, any = false;

	if (!wants(k, chunk, v) || (!k->combines && holds(k, chunk, v)))
		return false;
	for (int u = 0; u < k->model.nodes && work_spend(1); u++)
		if (needs(k, chunk, v, u)) {
			bool is = is_source(k, in, chunk, v, u);
			all = all && is;
			any = any || is;
		}
	if (!any || (!k->combines && !all))
		return false;
	in->is_for[v] = true;
	for (int u = 0; u < k->model.nodes && work_spend(1); u++)
		in->is_from[u] = in->is_from[u] || is_source(k, in, chunk, v, u);
	return true;
}

static bool gets_to_any(const struct time_checking *k, struct into *in, int chunk)
{
	bool any = false;

	for (int v = 0; v < k->model.nodes && work_spend(1); v++)
		any = (in->to[v] && gets_to(k, in, chunk, v)) || any;
	return any;
}

/* Does something of U's chunk, which no other node has, have to go so far? */
static bool goes_afar(const struct time_checking *k, int chunk, int u, const struct rational *from_u, struct rational away)
{
	if (!holds(k, chunk, u))
		return false;
	for (int v = 0; v < k->model.nodes && !k->combines && work_spend(1); v++)
		if (v != u && holds(k, chunk, v))
			return false;
	for (int v = 0; v < k->model.nodes && work_spend(1); v++)
		if (needs(k, chunk, v, u) && is_away(from_u[v], away))
			return true;
	return false;
}

/* Does something of the chunk have to get from other nodes to a node V with PART [V] == INSIDE? */
static bool gets_inside(const struct time_checking *k, int chunk, const int *part, int inside)
{
	int nodes = k->model.nodes;
	bool has = false;

	for (int v = 0; v < nodes && !k->combines && work_spend(1); v++)
		has = has || (part[v] == inside && holds(k, chunk, v));
	for (int v = 0; v < nodes && !has && work_spend(1); v++) {
		if (part[v] != inside || !wants(k, chunk, v))
			continue;
		for (int u = 0; u < nodes && work_spend(1); u++)
			if (part[u] != inside && needs(k, chunk, v, u))
				return true;
	}
	return false;
}

static int64_t chunks_into(struct time_checking *k, const struct time_claim *c, struct reach *reach)
{
	size_t nodes = (size_t)k->model.nodes;
	struct into in = {c, new_array(struct rational *, nodes), new_array(bool, nodes), new_array(bool, nodes)};
	bool *only = new_array(bool, nodes);
	int64_t n = 0;

	for (size_t v = 0; v < nodes; v++)
		if (c->node < 0 ? c->inside[v] : (int)v == c->node) {
			only[v] = true;
			in.to[v] = time_model_distances(&k->model, only, true);
			only[v] = false;
		}
	for (int chunk = 0; chunk < k->global_chunks && work_spend(1); chunk++)
		n += gets_to_any(k, &in, chunk);
	*reach = (struct reach){time_model_distances(&k->model, in.is_from, false), time_model_distances(&k->model, in.is_for, true)};
	for (size_t v = 0; v < nodes; v++)
		free(in.to[v]);
	free(in.to);
	free(in.is_from);
	free(in.is_for);
	free(only);
	return n;
}

static int64_t chunks_out_of(struct time_checking *k, const struct time_claim *c)
{
	bool *only = new_array(bool, (size_t)k->model.nodes);
	int64_t n = 0;

	only[c->node] = true;
	struct rational *from = time_model_distances(&k->model, only, false);
	for (int chunk = 0; chunk < k->global_chunks && work_spend(1); chunk++)
		n += goes_afar(k, chunk, c->node, from, c->away);
	free(from);
	free(only);
	return n;
}

static int64_t chunks_across(const struct time_checking *k, const struct time_claim *c)
{
	int64_t n = 0;

	for (int chunk = 0; chunk < k->global_chunks && work_spend(1); chunk++)
		n += gets_inside(k, chunk, c->cut.part, 1);
	return n;
}

bool time_counts_once(const struct time_checking *k, const struct time_claim *c)
{
	return c->cut.parts > 2 && k->shares;
}

/* In an allreduce each chunk crosses between N parts 2 (N - 1) times: core/bounds/bounds.h. */
static int64_t chunks_between_parts(const struct time_checking *k, const struct time_claim *c)
{
	if (time_counts_once(k, c) || k->collective.kind != ALLREDUCE)
		return 0;
	return 2 * ((int64_t)c->cut.parts - 1) * k->global_chunks;
}

/* To how many nodes of FAR (NULL: any) something of U's chunk must go, if no other node has it; or from how many to U, if INTO. */
static int copies_of(const struct time_checking *k, int chunk, int u, bool into, const struct rational *far)
{
	int n = 0;

	for (int v = 0; v < k->model.nodes && work_spend(1); v++) {
		if (!into && !k->combines && v != u && holds(k, chunk, v))
			return 0;
		n += (!far || rational_ok(far[v])) && (into ? needs(k, chunk, u, v) : needs(k, chunk, v, u));
	}
	return n;
}

static int64_t chunks_relayed(const struct time_checking *k, const struct time_claim *c, const struct rational *far)
{
	bool into = c->by == TIME_BY_RELAYS_INTO || c->by == TIME_BY_DIRECT_INTO;
	int64_t n = 0;

	if (k->shares || (into && !k->combines)) /* one crossing may serve many nodes; and a copy comes from a single node */
		return 0;
	for (int chunk = 0; chunk < k->global_chunks && work_spend(1); chunk++)
		n += copies_of(k, chunk, c->node, into, far) >= c->copies;
	return n;
}

struct rational time_count(struct time_checking *k, const struct time_claim *c, struct reach *reach)
{
	int64_t n = c->copies			  ? chunks_relayed(k, c, reach->to ? reach->to : reach->from)
		  : c->by == TIME_BY_INTO	  ? chunks_into(k, c, reach)
		  : c->by == TIME_BY_OUT_OF	  ? chunks_out_of(k, c)
		  : c->cut.kind == CUT_PARTS ? chunks_between_parts(k, c)
						  : chunks_across(k, c);
	return rational(n, k->chunks);
}
