/*
 * The formula of collectives that only copy: where each chunk is after each step, and what is sent. See
 * docs/reference/proofs.md.
 */

#include "prove/cnf_parts.h"

#include "core/base/memory.h"
#include "core/base/work.h"

#include <stdlib.h>

enum { FAR = INT_MAX / 4 };

static size_t at(const struct writer *k, int c, int n)
{
	return (size_t)c * (size_t)k->nodes + (size_t)n;
}

/* ---- which chunks can be where, and when ---- */

/* Breadth-first search: hops to every node from the nodes with hops 0 (BACK: from every node to these). */
static void spread(const struct writer *k, bool back, int *hops, int *queue)
{
	int first = 0, last = 0;

	for (int n = 0; n < k->nodes; n++)
		if (hops[n] == 0)
			queue[last++] = n;
	while (first < last) {
		int n = queue[first++];
		const int *list = back ? k->w->in : k->w->out, *begin = back ? k->w->in_begin : k->w->out_begin;
		for (int i = begin[n]; i < begin[n + 1]; i++) {
			const struct edge *e = &k->w->edges[list[i]];
			int next = back ? e->src : e->dst;
			if (hops[next] == FAR) {
				hops[next] = hops[n] + 1;
				queue[last++] = next;
			}
		}
	}
}

static void measure(struct writer *k)
{
	int *queue = new_array(int, (size_t)k->nodes);

	for (int c = 0; c < k->chunks && work_spend(3.0 * k->nodes + k->edges); c++) {
		for (int n = 0; n < k->nodes; n++) {
			bool pre = instance_pre(k->i, c, n);
			k->near[at(k, c, n)] = pre ? 0 : FAR;
			k->far[at(k, c, n)] = !pre && instance_post(k->i, c, n) ? 0 : FAR;
		}
		spread(k, false, &k->near[at(k, c, 0)], queue);
		spread(k, true, &k->far[at(k, c, 0)], queue);
	}
	free(queue);
}

static int *have_at(const struct writer *k, int c, int n, int s)
{
	return &k->have[at(k, c, n) * (size_t)(k->steps + 1) + (size_t)s];
}

static void number_haves(struct writer *k)
{
	for (int c = 0; c < k->chunks; c++)
		for (int n = 0; n < k->nodes; n++)
			for (int s = 0; s <= k->steps; s++) {
				int near = k->near[at(k, c, n)], far = k->far[at(k, c, n)], *have = have_at(k, c, n, s);
				if (near == 0)
					*have = YES;
				else if (near <= s && near + far <= k->steps)
					*have = far == 0 && s == k->steps ? YES : ++k->f->variables;
				else
					*have = NO;
			}
}

static void number_sends(struct writer *k)
{
	for (int c = 0; c < k->chunks; c++)
		for (int e = 0; e < k->edges; e++)
			for (int s = 1; s <= k->steps; s++) {
				int u = k->w->edges[e].src, v = k->w->edges[e].dst;
				bool serves = *have_at(k, c, u, s - 1) != NO && k->near[at(k, c, v)] != 0 &&
					      k->far[at(k, c, v)] <= k->steps - s;
				*send_at(k, c, e, s) = serves ? ++k->f->variables : NO;
			}
}

/* If a node cannot hold at the end what it must, this writes the empty clause. */
static void write_ends(struct writer *k)
{
	for (int c = 0; c < k->chunks; c++)
		for (int n = 0; n < k->nodes; n++)
			if (k->far[at(k, c, n)] == 0 && k->near[at(k, c, n)] != 0) {
				cnf_add(k, *have_at(k, c, n, k->steps));
				cnf_end(k);
			}
}

/* A chunk that is present stays; one that is new was sent, by exactly one node. */
static void write_arrivals(struct writer *k, int c, int n, int s)
{
	const int *in = k->w->in + k->w->in_begin[n], n_in = k->w->in_begin[n + 1] - k->w->in_begin[n];
	int before = *have_at(k, c, n, s - 1), now = *have_at(k, c, n, s);

	if (!work_spend((double)n_in * n_in))
		return;
	cnf_clause(k, -before, now, NO);
	cnf_add(k, -now);
	cnf_add(k, before);
	for (int i = 0; i < n_in; i++)
		cnf_add(k, *send_at(k, c, in[i], s));
	cnf_end(k);
	for (int i = 0; i < n_in; i++)
		for (int j = i + 1; j < n_in; j++)
			cnf_clause(k, -*send_at(k, c, in[i], s), -*send_at(k, c, in[j], s), NO);
}

/* A chunk that is sent was at the source, was not at the target, and is there afterwards. */
static void write_sends(struct writer *k, int c, int e, int s)
{
	const struct edge *edge = &k->w->edges[e];
	int send = *send_at(k, c, e, s);

	cnf_clause(k, -send, *have_at(k, c, edge->src, s - 1), NO);
	cnf_clause(k, -send, -*have_at(k, c, edge->dst, s - 1), NO);
	cnf_clause(k, -send, *have_at(k, c, edge->dst, s), NO);
}

/* If both chunks arrived in the same steps at all nodes so far, B arrives at N no earlier than A. */
static void write_no_sooner(struct writer *k, int same, int a, int b, int n)
{
	for (int s = 0; s <= k->steps; s++)
		cnf_clause(k, -same, -*have_at(k, b, n, s), *have_at(k, a, n, s));
}

/* STILL if, in addition, both arrive at N in the same step, or A never does. */
static void write_same(struct writer *k, int same, int a, int b, int n, int still)
{
	for (int s = 1; s <= k->steps; s++) {
		cnf_add(k, -same);
		cnf_add(k, -*have_at(k, a, n, s));
		cnf_add(k, *have_at(k, a, n, s - 1));
		cnf_add(k, -*have_at(k, b, n, s));
		cnf_add(k, still);
		cnf_end(k);
	}
	cnf_clause(k, -same, *have_at(k, a, n, k->steps), still);
}

static void write_order(struct writer *k, const struct chunk_order *o)
{
	for (size_t i = 0; i + 1 < o->n_chunks && !k->full; i++) {
		int same = YES, a = o->chunks[i], b = o->chunks[i + 1];
		for (size_t j = 0; j < o->n_nodes && work_spend(8.0 * k->steps); j++) {
			int still = j + 1 < o->n_nodes ? ++k->f->variables : YES;
			write_no_sooner(k, same, a, b, o->nodes[j]);
			write_same(k, same, a, b, o->nodes[j], still);
			same = still;
		}
	}
}

static void write_all(struct writer *k, const struct orders *o, size_t most_sends)
{
	write_ends(k);
	for (int c = 0; c < k->chunks && !k->full; c++)
		for (int s = 1; s <= k->steps && work_spend((double)k->nodes + k->edges); s++) {
			for (int n = 0; n < k->nodes; n++)
				write_arrivals(k, c, n, s);
			for (int e = 0; e < k->edges; e++)
				write_sends(k, c, e, s);
		}
	cnf_write_rounds(k);
	cnf_write_capacities(k);
	cnf_write_sends(k, most_sends);
	for (size_t i = 0; o && i < o->n; i++)
		write_order(k, &o->all[i]);
}

void cnf_plain(struct writer *k, const struct orders *o, size_t most_sends)
{
	k->near = new_array(int, at(k, k->chunks, 0));
	k->far = new_array(int, at(k, k->chunks, 0));
	k->have = new_array(int, at(k, k->chunks, 0) * (size_t)(k->steps + 1));
	measure(k);
	number_haves(k);
	number_sends(k);
	cnf_number_rounds(k);
	write_all(k, o, most_sends);
	free(k->near);
	free(k->far);
	free(k->have);
}
