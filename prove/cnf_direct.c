/*
 * The formula of an allreduce in which a node has one value of each chunk: the set of contributions it contains. What
 * arrives in a step is added to what is kept, and no contribution may be added twice. See docs/reference/proofs.md.
 */

#include "prove/cnf_parts.h"

#include "core/base/memory.h"
#include "core/base/work.h"

#include <stdlib.h>

/* Chunk c at node n contains the contribution of o after step s. */
static int *part_at(const struct writer *k, int c, int o, int n, int s)
{
	size_t pair = ((size_t)c * (size_t)k->nodes + (size_t)o) * (size_t)k->nodes + (size_t)n;
	return &k->part[pair * (size_t)(k->steps + 1) + (size_t)s];
}

/* Node n keeps its value of chunk c in step s. */
static int *keep_at(const struct writer *k, int c, int n, int s)
{
	return &k->keep[((size_t)c * (size_t)k->nodes + (size_t)n) * (size_t)k->steps + (size_t)(s - 1)];
}

/* In step s the contribution stays at n (stays_at), or arrives over edge e (brings_at). */
static int *stays_at(const struct writer *k, int c, int o, int n, int s)
{
	size_t pair = ((size_t)c * (size_t)k->nodes + (size_t)o) * (size_t)k->nodes + (size_t)n;
	return &k->stays[pair * (size_t)k->steps + (size_t)(s - 1)];
}

static int *brings_at(const struct writer *k, int c, int o, int e, int s)
{
	size_t pair = ((size_t)c * (size_t)k->nodes + (size_t)o) * (size_t)k->edges + (size_t)e;
	return &k->brings[pair * (size_t)k->steps + (size_t)(s - 1)];
}

static void number_parts(struct writer *k)
{
	for (int c = 0; c < k->chunks; c++)
		for (int o = 0; o < k->nodes; o++)
			for (int n = 0; n < k->nodes; n++)
				for (int s = 0; s <= k->steps; s++) {
					int *part = part_at(k, c, o, n, s);
					if (s == 0)
						*part = o == n ? YES : NO;
					else if (network_distance(k->w, o, n) > s)
						*part = NO;
					else
						*part = s == k->steps ? YES : ++k->f->variables;
				}
}

static void number_moves(struct writer *k)
{
	for (int c = 0; c < k->chunks; c++)
		for (int s = 1; s <= k->steps; s++) {
			for (int e = 0; e < k->edges; e++)
				*send_at(k, c, e, s) = ++k->f->variables;
			for (int n = 0; n < k->nodes; n++)
				*keep_at(k, c, n, s) = ++k->f->variables;
			for (int o = 0; o < k->nodes; o++) {
				for (int n = 0; n < k->nodes; n++)
					*stays_at(k, c, o, n, s) = *part_at(k, c, o, n, s - 1) == NO ? NO : ++k->f->variables;
				for (int e = 0; e < k->edges; e++)
					*brings_at(k, c, o, e, s) = *part_at(k, c, o, k->w->edges[e].src, s - 1) == NO ? NO : ++k->f->variables;
			}
		}
}

/* BOTH if and only if A and B. */
static void write_both(struct writer *k, int both, int a, int b)
{
	if (both == NO)
		return;
	cnf_clause(k, -both, a, NO);
	cnf_clause(k, -both, b, NO);
	cnf_clause(k, both, -a, -b);
}

/*
 * A contribution is present if and only if it stayed or arrived, and only in one of these ways: sums are of disjoint
 * values.
 */
static void write_sum(struct writer *k, int c, int o, int n, int s)
{
	const int *in = k->w->in + k->w->in_begin[n], n_in = k->w->in_begin[n + 1] - k->w->in_begin[n];
	int part = *part_at(k, c, o, n, s), stays = *stays_at(k, c, o, n, s);

	if (!work_spend((double)n_in * n_in + k->nodes))
		return;
	cnf_add(k, -part);
	cnf_add(k, stays);
	for (int i = 0; i < n_in; i++)
		cnf_add(k, *brings_at(k, c, o, in[i], s));
	cnf_end(k);
	cnf_clause(k, -stays, part, NO);
	for (int i = 0; i < n_in; i++) {
		int brings = *brings_at(k, c, o, in[i], s);
		cnf_clause(k, -brings, part, NO);
		cnf_clause(k, -brings, -stays, NO);
		for (int j = i + 1; j < n_in; j++)
			cnf_clause(k, -brings, -*brings_at(k, c, o, in[j], s), NO);
	}
}

/* A value that is not kept must be replaced by one that arrives. */
static void write_keep(struct writer *k, int c, int n, int s)
{
	cnf_add(k, *keep_at(k, c, n, s));
	for (int i = k->w->in_begin[n]; i < k->w->in_begin[n + 1]; i++)
		cnf_add(k, *send_at(k, c, k->w->in[i], s));
	cnf_end(k);
}

/*
 * A redundant clause that helps the solver: after each step some node with the contribution must be near enough to n to
 * deliver it in time.
 */
static void write_nearness(struct writer *k, int c, int o, int n, int s)
{
	for (int m = 0; m < k->nodes; m++)
		if (network_distance(k->w, m, n) <= k->steps - s)
			cnf_add(k, *part_at(k, c, o, m, s));
	cnf_end(k);
}

static void write_step(struct writer *k, int c, int s)
{
	for (int n = 0; n < k->nodes; n++)
		write_keep(k, c, n, s);
	for (int o = 0; o < k->nodes; o++) {
		for (int n = 0; n < k->nodes; n++) {
			write_both(k, *stays_at(k, c, o, n, s), *keep_at(k, c, n, s), *part_at(k, c, o, n, s - 1));
			write_sum(k, c, o, n, s);
			write_nearness(k, c, o, n, s);
		}
		for (int e = 0; e < k->edges; e++)
			write_both(k, *brings_at(k, c, o, e, s), *send_at(k, c, e, s), *part_at(k, c, o, k->w->edges[e].src, s - 1));
	}
}

/* The first step's sends, edge by edge, read as a binary number: that of the later chunk is no larger. */
static void write_order(struct writer *k, const struct chunk_order *o)
{
	for (size_t i = 0; i + 1 < o->n_chunks && !k->full; i++) {
		int same = YES; /* equal up to this edge */
		for (int e = 0; e < k->edges; e++) {
			int first = *send_at(k, o->chunks[i], e, 1), later = *send_at(k, o->chunks[i + 1], e, 1);
			int still = ++k->f->variables;
			cnf_clause(k, -same, -later, first);
			cnf_clause(k, -same, -later, still);
			cnf_clause(k, -same, first, still);
			same = still;
		}
	}
}

static void write_all(struct writer *k, const struct orders *o, size_t most_sends)
{
	for (int c = 0; c < k->chunks; c++)
		for (int s = 1; s <= k->steps && !k->full && !work_is_over(); s++)
			write_step(k, c, s);
	if (k->pattern) {
		cnf_write_prices(k);
		return;
	}
	cnf_write_rounds(k);
	cnf_write_capacities(k);
	cnf_write_sends(k, most_sends);
	for (size_t i = 0; o && i < o->n; i++)
		write_order(k, &o->all[i]);
}

void cnf_direct(struct writer *k, const struct orders *o, size_t most_sends)
{
	size_t chunks = (size_t)k->chunks, nodes = (size_t)k->nodes, steps = (size_t)k->steps;

	k->part = new_array(int, chunks * nodes * nodes * (steps + 1));
	k->keep = new_array(int, chunks * nodes * steps);
	k->stays = new_array(int, chunks * nodes * nodes * steps);
	k->brings = new_array(int, chunks * nodes * (size_t)k->edges * steps);
	number_parts(k);
	number_moves(k);
	cnf_number_rounds(k);
	write_all(k, o, most_sends);
	free(k->part);
	free(k->keep);
	free(k->stays);
	free(k->brings);
}
