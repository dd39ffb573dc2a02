/*
 * The `bits` encoding: numbers the variables that distances do not already decide, and writes the clauses for sends,
 * arrivals, rounds and capacities to a sink (docs/concepts/encodings.md). In a folded plan one chunk stands for its
 * orbit, and the load of a link is that of the links in its orbit.
 */

#include "encode/cnf/plan.h"

#include "core/base/memory.h"
#include "encode/cnf/clause.h"
#include "encode/cnf/direct.h"
#include "encode/fold/fold.h"
#include "encode/cnf/order.h"
#include "encode/cnf/slots.h"

#include <stdlib.h>
#include <string.h>

struct distances {
	unsigned short *from_pre, *to_post;
};

static size_t cell(const struct plan *p, int c, int n)
{
	return (size_t)c * (size_t)p->nodes + (size_t)n;
}

static size_t sends_of(const struct plan *p, int c, int e)
{
	return ((size_t)c * (size_t)p->edges + (size_t)e) * (size_t)p->steps;
}

/* A cell in arrays that are indexed by the instance's chunks. */
static size_t cell_of(const struct plan *p, int c, int n)
{
	return cell(p, plan_chunk(p, c), n);
}

/* Can the chunk reach this node within S steps, and still serve a post from there? */
static bool is_on_a_path(const struct plan *p, const struct distances *d, int c, int n)
{
	if (instance_post(p->instance, plan_chunk(p, c), n))
		return d->from_pre[cell_of(p, c, n)] <= p->steps;
	return d->from_pre[cell_of(p, c, n)] + d->to_post[cell_of(p, c, n)] <= p->steps;
}

/*
 * The representative of this node, or edge, if the chunk is fixed by the group: the variables of an orbit are then the
 * same.
 */
static int first_node(const struct plan *p, int c, int n)
{
	return p->fold && p->fold->fixed[c] ? p->fold->node[n] : n;
}

static int first_edge(const struct plan *p, int c, int e)
{
	return p->fold && p->fold->fixed[c] ? p->fold->edges[p->fold->begin[p->fold->orbit[e]]] : e;
}

static bool is_forked(const struct plan *p, int c, int e)
{
	return p->fold && p->fold->fixed[c] && p->fold->forks[p->fold->orbit[e]];
}

static void number_haves(struct plan *p, const struct distances *d)
{
	for (int c = 0; c < p->chunks; c++)
		for (int n = 0; n < p->nodes; n++) {
			int *have = &p->have[cell(p, c, n) * (size_t)(p->steps + 1)];
			int chunk = plan_chunk(p, c), first = first_node(p, c, n);
			if (first < n) {
				memcpy(have, &p->have[cell(p, c, first) * (size_t)(p->steps + 1)],
				       (size_t)(p->steps + 1) * sizeof *have);
				continue;
			}
			bool pre = instance_pre(p->instance, chunk, n), post = instance_post(p->instance, chunk, n);
			int near = d->from_pre[cell_of(p, c, n)];
			if (post && near > p->steps)
				p->impossible = true;
			for (int s = 0; s <= p->steps; s++) {
				if (pre)
					have[s] = ALWAYS;
				else if (s < near || !is_on_a_path(p, d, c, n))
					have[s] = NEVER;
				else
					have[s] = post && s == p->steps ? ALWAYS : ++p->variables;
			}
		}
}

/*
 * A send that is too early for its source, too late to be of use at its target, or into a node where the chunk begins
 * has no variable.
 */
static void number_sends(struct plan *p, const struct distances *d)
{
	for (int c = 0; c < p->chunks; c++)
		for (int e = 0; e < p->edges; e++) {
			int u = p->network->edges[e].src, v = p->network->edges[e].dst;
			int onward = instance_post(p->instance, plan_chunk(p, c), v) ? 0 : d->to_post[cell_of(p, c, v)];
			int *send = &p->send[sends_of(p, c, e)], first = first_edge(p, c, e);
			if (first < e)
				memcpy(send, &p->send[sends_of(p, c, first)], (size_t)p->steps * sizeof *send);
			for (int s = 1; s <= p->steps && first == e && !is_forked(p, c, e); s++)
				if (plan_have(p, c, v, 0) != ALWAYS && plan_have(p, c, u, s - 1) != NEVER &&
				    plan_have(p, c, v, s) != NEVER && s + onward <= p->steps)
					send[s - 1] = ++p->variables;
		}
}

static void number_rounds(struct plan *p)
{
	for (int s = 1; s <= p->steps; s++) {
		int *rho = &p->rho[(size_t)(s - 1) * (size_t)(p->extra + 2)];
		rho[0] = rho[1] = ALWAYS;
		for (int j = 2; j <= p->extra + 1; j++)
			rho[j] = ++p->variables;
	}
}

/* For collectives that only copy. */
static void number_copies(struct plan *p)
{
	struct distances d = {instance_distance_from_pre(p->instance), instance_distance_to_post(p->instance)};

	p->have = new_array(int, cell(p, p->chunks, 0) * (size_t)(p->steps + 1));
	number_haves(p, &d);
	number_sends(p, &d);
	free(d.from_pre);
	free(d.to_post);
}

/* Only if some chunks are interchangeable and the plan is neither folded nor direct. */
static void number_order(struct plan *p)
{
	if (p->fold || p->direct || collective_period(&p->instance->collective, p->nodes) >= p->chunks)
		return;
	p->same = p->variables;
	p->variables += p->chunks * p->nodes;
}

enum { CELLS_MAX = 1 << 28 }; /* sends over time, of all chunks */

struct plan *plan_new(const struct instance *i, const struct fold *fold)
{
	struct plan *p = new(struct plan);

	p->instance = i;
	p->network = i->network;
	p->fold = fold;
	p->chunk = fold ? fold->chunk : NULL;
	p->chunks = fold ? fold->n_chunks : i->global_chunks;
	p->nodes = i->network->nodes;
	p->edges = (int)i->network->n_edges;
	p->steps = i->steps;
	p->extra = i->rounds - i->steps;
	p->too_large = (double)p->chunks * p->edges * p->steps > CELLS_MAX;
	if (p->too_large)
		return p;
	p->send = new_array(int, (size_t)p->chunks * (size_t)p->edges * (size_t)p->steps);
	p->rho = new_array(int, (size_t)p->steps * (size_t)(p->extra + 2));
	if (collective_row(&i->collective)->combining)
		direct_number(p);
	else
		number_copies(p);
	number_rounds(p);
	if (i->constraints.is_short)
		slots_number(p);
	number_order(p);
	return p;
}

void plan_free(struct plan *p)
{
	if (!p)
		return;
	direct_free(p->direct);
	slots_free(p->slots);
	free(p->have);
	free(p->send);
	free(p->rho);
	free(p);
}

/* send -> have at the source before, not at the target before, at the target after. */
static void write_send(const struct plan *p, struct clause *k, int c, int e, int s)
{
	const struct edge *edge = &p->network->edges[e];
	int send = plan_send(p, c, e, s);

	if (send == NEVER)
		return;
	clause_implies(k, send, plan_have(p, c, edge->src, s - 1), true);
	clause_implies(k, send, plan_have(p, c, edge->dst, s - 1), false);
	clause_implies(k, send, plan_have(p, c, edge->dst, s), true);
}

/* A chunk that is at a node stays there; a new one arrived by exactly one send. */
static void write_arrival(const struct plan *p, struct clause *k, int c, int n, int s)
{
	const struct network *w = p->network;
	int now = plan_have(p, c, n, s), before = plan_have(p, c, n, s - 1);

	if (now == NEVER || before == ALWAYS)
		return;
	clause_implies(k, before, now, true);
	clause_begin(k);
	clause_add(k, now, false);
	clause_add(k, before, true);
	for (int i = w->in_begin[n]; i < w->in_begin[n + 1]; i++)
		clause_add(k, plan_send(p, c, w->in[i], s), true);
	clause_end(k);
	for (int i = w->in_begin[n]; i < w->in_begin[n + 1]; i++)
		for (int j = i + 1; j < w->in_begin[n + 1]; j++) {
			int a = plan_send(p, c, w->in[i], s), b = plan_send(p, c, w->in[j], s);
			if (a != NEVER && b != NEVER)
				clause_implies(k, a, b, false);
		}
}

int plan_interval(const struct plan *p)
{
	int n = p->instance->constraints.pipeline;
	return n && n < p->steps ? n : p->steps;
}

/* The first step that coincides with step S. */
static int falls_together(const struct plan *p, int s)
{
	return (s - 1) % plan_interval(p) + 1;
}

static void write_rounds(const struct plan *p, struct clause *k)
{
	size_t n = 0;
	int *rhos = new_array(int, (size_t)p->steps * (size_t)p->extra);

	for (int s = 1; s <= p->steps; s++)
		for (int j = 2; j <= p->extra + 1; j++) {
			clause_implies(k, plan_rho(p, s, j), plan_rho(p, s, j - 1), true);
			rhos[n++] = plan_rho(p, s, j);
			if (falls_together(p, s) != s) {
				clause_implies(k, plan_rho(p, s, j), plan_rho(p, falls_together(p, s), j), true);
				clause_implies(k, plan_rho(p, falls_together(p, s), j), plan_rho(p, s, j), true);
			}
		}
	if (p->extra > 0)
		k->to->budget(k->to->context, p, rhos, n, p->extra);
	free(rhos);
}

/* The links whose loads add up to that of this link. */
static const int *orbit_of(const struct plan *p, const int *edge)
{
	return p->fold ? p->fold->edges + p->fold->begin[p->fold->orbit[*edge]] : edge;
}

static int orbit_size(const struct plan *p, int edge)
{
	const struct fold *f = p->fold;
	return f ? f->begin[f->orbit[edge] + 1] - f->begin[f->orbit[edge]] : 1;
}

/* One link of each orbit is enough. */
static bool stands_for_others(const struct plan *p, int edge)
{
	return !p->fold || *orbit_of(p, &edge) == edge;
}

/*
 * The sends of chunk C over edge E in the steps that coincide with S, each as often as elements of the group map it
 * there. Returns their number.
 */
static size_t list_sends(const struct plan *p, int c, int e, int s, int *sends)
{
	bool folded = p->fold && !p->fold->fixed[c];
	const int *orbit = folded ? orbit_of(p, &e) : &e;
	int n_alike = folded ? orbit_size(p, e) : 1, times = folded ? fold_times(p->fold, p->fold->orbit[e]) : 1;
	size_t n = 0;

	for (int k = 0; k < n_alike; k++)
		for (int t = s; t <= p->steps; t += plan_interval(p))
			for (int again = 0; again < times && plan_send(p, c, orbit[k], t) != NEVER; again++)
				sends[n++] = plan_send(p, c, orbit[k], t);
	return n;
}

static void write_capacity(const struct plan *p, const struct sink *to, int s, const int *edges, size_t n_edges, int bandwidth,
			   int *sends)
{
	size_t n = 0;

	for (size_t i = 0; i < n_edges; i++)
		for (int c = 0; c < p->chunks; c++)
			n += list_sends(p, c, edges[i], s, sends + n);
	if (n > (size_t)bandwidth)
		to->capacity(to->context, p, s, sends, n, bandwidth);
}

static void write_capacities(const struct plan *p, const struct sink *to)
{
	const struct network *w = p->network;
	size_t widest = 1;

	for (size_t l = 0; l < w->n_limits; l++)
		if (w->limits[l].n_edges > widest)
			widest = w->limits[l].n_edges;
	size_t together = (size_t)((p->steps + plan_interval(p) - 1) / plan_interval(p));
	int *sends = new_array(int, widest * (size_t)p->chunks * (p->fold ? p->fold->group.n : 1) * together);
	for (int s = 1; s <= plan_interval(p); s++) {
		for (int e = 0; e < p->edges; e++)
			if (stands_for_others(p, e))
				write_capacity(p, to, s, &e, 1, w->edges[e].bandwidth, sends);
		for (size_t l = 0; l < w->n_limits; l++)
			if (!p->fold || !p->fold->repeats[l])
				write_capacity(p, to, s, w->limits[l].edges, w->limits[l].n_edges, w->limits[l].bandwidth,
					       sends);
	}
	free(sends);
}

static void write_copies(const struct plan *p, struct clause *k, enum plan_order order)
{
	if (order != ORDER_NONE)
		order_write(p, k, order);
	for (int c = 0; c < p->chunks; c++)
		for (int s = 1; s <= p->steps; s++) {
			for (int e = 0; e < p->edges; e++)
				if (first_edge(p, c, e) == e)
					write_send(p, k, c, e, s);
			for (int n = 0; n < p->nodes; n++)
				if (first_node(p, c, n) == n)
					write_arrival(p, k, c, n, s);
		}
}

/* Used for a single chunk with few sends only. */
static void write_most(const struct plan *p, const struct sink *to)
{
	size_t n = (size_t)p->chunks * (size_t)p->edges * (size_t)p->steps, numbered = 0;
	int *sends = new_array(int, n);

	for (size_t i = 0; i < n; i++)
		if (p->send[i] != NEVER)
			sends[numbered++] = p->send[i];
	if (numbered > (size_t)p->most_sends)
		to->budget(to->context, p, sends, numbered, p->most_sends);
	free(sends);
}

void plan_write(const struct plan *p, const struct sink *to, enum plan_order order)
{
	struct clause k = {.to = to};

	if (p->direct)
		direct_write(p, &k, order != ORDER_NONE);
	else
		write_copies(p, &k, order);
	if (!to->rounds)
		write_rounds(p, &k);
	write_capacities(p, to);
	if (p->most_sends)
		write_most(p, to);
	if (p->slots)
		slots_write(p, &k);
	if (to->rounds)
		to->rounds(to->context, p);
	free(k.literals);
}
