/*
 * The variables and clauses of the direct encoding, in which values are added on the way (docs/concepts/encodings.md).
 * A node's value after a step is exactly one of: what it kept, or what one of the arrivals contributed, for each
 * contribution.
 */

#include "encode/cnf/direct.h"

#include "core/base/memory.h"
#include "encode/cnf/clause.h"

#include <stdlib.h>

static size_t pair_index(const struct plan *p, int c, int o, int n)
{
	return ((size_t)c * (size_t)p->nodes + (size_t)o) * (size_t)p->nodes + (size_t)n;
}

static int part(const struct plan *p, int c, int o, int n, int s)
{
	return p->direct->part[pair_index(p, c, o, n) * (size_t)(p->steps + 1) + (size_t)s];
}

static int *kept(const struct plan *p, int c, int o, int n, int s)
{
	return &p->direct->kept[pair_index(p, c, o, n) * (size_t)p->steps + (size_t)(s - 1)];
}

static int *drop(const struct plan *p, int c, int n, int s)
{
	return &p->direct->drop[((size_t)c * (size_t)p->nodes + (size_t)n) * (size_t)p->steps + (size_t)(s - 1)];
}

static int *brings(const struct plan *p, int c, int o, int e, int s)
{
	size_t at = ((size_t)c * (size_t)p->nodes + (size_t)o) * (size_t)p->edges + (size_t)e;
	return &p->direct->brings[at * (size_t)p->steps + (size_t)(s - 1)];
}

static bool is_wanted(const struct plan *p, int c, int o, int n)
{
	return collective_wants_part(&p->instance->collective, p->nodes, c, n, o);
}

/*
 * At step 0 each node has its own contribution alone, at step S exactly those it wants; none arrives before its
 * distance.
 */
static void number_parts(struct plan *p)
{
	for (int c = 0; c < p->chunks; c++)
		for (int o = 0; o < p->nodes; o++)
			for (int n = 0; n < p->nodes; n++) {
				int *at = &p->direct->part[pair_index(p, c, o, n) * (size_t)(p->steps + 1)];
				int far = network_distance(p->network, o, n);
				bool wanted = is_wanted(p, c, o, n);
				if (wanted && far > p->steps)
					p->impossible = true;
				for (int s = 0; s <= p->steps; s++)
					if (s == 0 || s < far)
						at[s] = o == n ? ALWAYS : NEVER;
					else
						at[s] = s < p->steps ? ++p->variables : wanted ? ALWAYS : NEVER;
			}
}

/* If the source certainly has the contribution, sending it and bringing it are equivalent: no variable is needed. */
static int number_of_brought(struct plan *p, int send, int held)
{
	return held == NEVER ? NEVER : held == ALWAYS ? send : ++p->variables;
}

static void number_moves(struct plan *p, int c, int s)
{
	for (int n = 0; n < p->nodes; n++) {
		*drop(p, c, n, s) = ++p->variables;
		for (int o = 0; o < p->nodes; o++)
			*kept(p, c, o, n, s) = part(p, c, o, n, s - 1) == NEVER ? NEVER : ++p->variables;
	}
	for (int e = 0; e < p->edges; e++) {
		int send = ++p->variables;
		p->send[((size_t)c * (size_t)p->edges + (size_t)e) * (size_t)p->steps + (size_t)(s - 1)] = send;
		for (int o = 0; o < p->nodes; o++)
			*brings(p, c, o, e, s) = number_of_brought(p, send, part(p, c, o, p->network->edges[e].src, s - 1));
	}
}

enum { VARIABLES_MAX = 1 << 28 };

/* An upper bound on the number of variables, in floating point so that it cannot overflow. */
static bool is_too_large(const struct plan *p)
{
	double cells = (double)p->chunks * p->steps, nodes = p->nodes, edges = p->edges;
	return cells * ((nodes + 1) * (2 * nodes + edges + 2) + edges) > VARIABLES_MAX;
}

void direct_number(struct plan *p)
{
	size_t chunks = (size_t)p->chunks, nodes = (size_t)p->nodes, edges = (size_t)p->edges, steps = (size_t)p->steps;

	p->direct = new(struct direct);
	p->too_large = is_too_large(p);
	if (p->too_large)
		return;
	p->direct->part = new_array(int, chunks * nodes * nodes * (steps + 1));
	p->direct->kept = new_array(int, chunks * nodes * nodes * steps);
	p->direct->drop = new_array(int, chunks * nodes * steps);
	p->direct->brings = new_array(int, chunks * nodes * edges * steps);
	p->direct->equal = new_array(int, chunks * edges);
	number_parts(p);
	for (int c = 0; c < p->chunks; c++)
		for (int s = 1; s <= p->steps; s++)
			number_moves(p, c, s);
	for (size_t i = 0; i + edges < chunks * edges; i++)
		p->direct->equal[i] = ++p->variables;
}

void direct_free(struct direct *d)
{
	if (!d)
		return;
	free(d->part);
	free(d->kept);
	free(d->drop);
	free(d->brings);
	free(d->equal);
	free(d);
}

/*
 * Contribution o is at node n after step s if it stayed there or exactly one send brought it. Never both, and never two
 * sends: the values that are added must be disjoint.
 */
static void write_sum(const struct plan *p, struct clause *k, int c, int o, int n, int s, int *sources)
{
	const struct network *w = p->network;
	int after = part(p, c, o, n, s), n_sources = 0;

	sources[n_sources++] = *kept(p, c, o, n, s);
	for (int i = w->in_begin[n]; i < w->in_begin[n + 1]; i++)
		sources[n_sources++] = *brings(p, c, o, w->in[i], s);
	clause_begin(k);
	clause_add(k, after, false);
	for (int i = 0; i < n_sources; i++)
		clause_add(k, sources[i], true);
	clause_end(k);
	for (int i = 0; i < n_sources; i++) {
		clause_implies(k, sources[i], after, true);
		for (int j = i + 1; j < n_sources; j++)
			clause_implies(k, sources[i], sources[j], false);
	}
}

/* A dropped value is replaced by at least one arrival. */
static void write_drop(const struct plan *p, struct clause *k, int c, int n, int s)
{
	const struct network *w = p->network;

	clause_begin(k);
	clause_add(k, *drop(p, c, n, s), false);
	for (int i = w->in_begin[n]; i < w->in_begin[n + 1]; i++)
		clause_add(k, plan_send(p, c, w->in[i], s), true);
	clause_end(k);
}

static void write_kept(const struct plan *p, struct clause *k, int c, int o, int n, int s)
{
	int before = part(p, c, o, n, s - 1), now = *kept(p, c, o, n, s), dropped = *drop(p, c, n, s);

	if (now == NEVER)
		return;
	clause_implies(k, now, before, true);
	clause_implies(k, now, dropped, false);
	clause_begin(k);
	clause_add(k, before, false);
	clause_add(k, dropped, true);
	clause_add(k, now, true);
	clause_end(k);
}

/* A send brings whatever its source has. */
static void write_brought(const struct plan *p, struct clause *k, int c, int o, int e, int s)
{
	int send = plan_send(p, c, e, s), held = part(p, c, o, p->network->edges[e].src, s - 1), brought = *brings(p, c, o, e, s);

	if (brought == NEVER || brought == send)
		return;
	clause_implies(k, brought, send, true);
	clause_implies(k, brought, held, true);
	clause_begin(k);
	clause_add(k, send, false);
	clause_add(k, held, false);
	clause_add(k, brought, true);
	clause_end(k);
}

/*
 * A contribution that n must have at the end is, after step s, at some node within S - s hops. Implied, but it helps.
 */
static void write_reach(const struct plan *p, struct clause *k, int c, int o, int n, int s)
{
	clause_begin(k);
	for (int m = 0; m < p->nodes; m++)
		if (network_distance(p->network, m, n) <= p->steps - s)
			clause_add(k, part(p, c, o, m, s), true);
	clause_end(k);
}

static void write_step(const struct plan *p, struct clause *k, int c, int s, int *sources)
{
	for (int n = 0; n < p->nodes; n++) {
		write_drop(p, k, c, n, s);
		for (int o = 0; o < p->nodes; o++) {
			write_kept(p, k, c, o, n, s);
			write_sum(p, k, c, o, n, s, sources);
			if (is_wanted(p, c, o, n))
				write_reach(p, k, c, o, n, s);
		}
	}
	for (int e = 0; e < p->edges; e++)
		for (int o = 0; o < p->nodes; o++)
			write_brought(p, k, c, o, e, s);
}

/*
 * The edges that a chunk crosses in the first step, read as a binary number with edge 0 first, must not decrease from
 * chunk to chunk.
 */
static void write_order(const struct plan *p, struct clause *k, int c)
{
	int equal = ALWAYS;

	for (int e = 0; e < p->edges; e++) {
		int mine = plan_send(p, c, e, 1), next = plan_send(p, c + 1, e, 1);
		int still = p->direct->equal[(size_t)c * (size_t)p->edges + (size_t)e];
		clause_begin(k);
		clause_add(k, equal, false);
		clause_add(k, mine, false);
		clause_add(k, next, true);
		clause_end(k);
		for (int i = 0; i < 2; i++) {
			clause_begin(k);
			clause_add(k, equal, false);
			clause_add(k, i ? next : mine, i);
			clause_add(k, still, true);
			clause_end(k);
		}
		equal = still;
	}
}

void direct_write(const struct plan *p, struct clause *k, bool ordered)
{
	int *sources = new_array(int, (size_t)p->nodes + 1);

	for (int c = 0; c + 1 < p->chunks && ordered; c++)
		write_order(p, k, c);
	for (int c = 0; c < p->chunks; c++)
		for (int s = 1; s <= p->steps; s++)
			write_step(p, k, c, s, sources);
	free(sources);
}
