/*
 * Writes the SCCL paper's formula (PPoPP 2021, section 3.4) as SMT-LIB 2 text, constraint by constraint (C1 to C6),
 * plus those for limits over several links, pipelines and limited memory (docs/concepts/encodings.md).
 */

#include "encode/smt/lia_paper.h"

#include "core/machine/network.h"
#include "core/base/text.h"
#include "encode/solve.h"

#include <stdlib.h>

enum { COPIES_UP_TO = 8 };

static void declare(const struct instance *i, struct text *t)
{
	const struct network *w = i->network;

	for (int c = 0; c < i->global_chunks; c++) {
		for (int n = 0; n < w->nodes; n++)
			text_add(t, "(declare-const time_%d_%d Int)\n", c, n);
		for (size_t e = 0; e < w->n_edges; e++)
			text_add(t, "(declare-const snd_%d_%d_%d Bool)\n", w->edges[e].src, c, w->edges[e].dst);
	}
	for (int s = 1; s <= i->steps; s++)
		text_add(t, "(declare-const r_%d Int)\n", s);
}

static int least_time(int hops, int steps)
{
	return hops > steps ? steps + 1 : hops;
}

/*
 * C1: a chunk is at time 0 where it is before. C2: it arrives by S where it must be after. The lower bound of one step
 * per hop follows from C4; stating it saves the solver the search.
 */
static void write_times(const struct instance *i, struct text *t)
{
	unsigned short *near = instance_distance_from_pre(i);

	for (int c = 0; c < i->global_chunks; c++)
		for (int n = 0; n < i->network->nodes; n++) {
			if (instance_pre(i, c, n))
				text_add(t, "(assert (= time_%d_%d 0))\n", c, n);
			else
				text_add(t, "(assert (and (<= %d time_%d_%d) (<= time_%d_%d %d)))\n",
					 least_time(near[c * i->network->nodes + n], i->steps), c, n, c, n, i->steps + 1);
			if (instance_post(i, c, n))
				text_add(t, "(assert (<= time_%d_%d %d))\n", c, n, i->steps);
		}
	free(near);
}

/* C3: a chunk that arrives does so by exactly one send: at least one if it arrives, and never two. */
static void write_arrivals(const struct instance *i, struct text *t, int c, int n)
{
	const struct network *w = i->network;
	int degree = w->in_begin[n + 1] - w->in_begin[n];

	text_add(t, "(assert (=> (<= time_%d_%d %d) (or", c, n, i->steps);
	for (int k = w->in_begin[n]; k < w->in_begin[n + 1]; k++)
		text_add(t, " snd_%d_%d_%d", w->edges[w->in[k]].src, c, n);
	text_add(t, "%s)))\n", degree ? "" : " false");
	for (int a = w->in_begin[n]; a < w->in_begin[n + 1]; a++)
		for (int b = a + 1; b < w->in_begin[n + 1]; b++)
			text_add(t, "(assert (not (and snd_%d_%d_%d snd_%d_%d_%d)))\n", w->edges[w->in[a]].src, c, n,
				 w->edges[w->in[b]].src, c, n);
}

/* C4: a chunk is at the source before it arrives at the target; over all chunks and edges. */
static void write_sends(const struct instance *i, struct text *t)
{
	const struct network *w = i->network;

	for (int c = 0; c < i->global_chunks; c++) {
		for (int n = 0; n < w->nodes; n++)
			if (!instance_pre(i, c, n))
				write_arrivals(i, t, c, n);
		for (size_t e = 0; e < w->n_edges; e++) {
			int from = w->edges[e].src, to = w->edges[e].dst;
			if (instance_pre(i, c, to))
				text_add(t, "(assert (not snd_%d_%d_%d))\n", from, c, to);
			else
				text_add(t, "(assert (=> snd_%d_%d_%d (< time_%d_%d time_%d_%d)))\n", from, c, to, c, from, c, to);
		}
	}
}

/* With a pipeline, steps this far apart coincide (core/schedule/constraints.h). Without: S. */
static int interval(const struct instance *i)
{
	int n = i->constraints.pipeline;
	return n && n < i->steps ? n : i->steps;
}

/*
 * The sends over L in step s and all steps that coincide with it. A send is in the step in which its target gets the
 * chunk.
 */
static void write_sum(const struct instance *i, struct text *t, int s, const int *edges, size_t n)
{
	const struct network *w = i->network;

	text_add(t, "(+ 0");
	for (size_t k = 0; k < n; k++)
		for (int c = 0; c < i->global_chunks; c++) {
			const struct edge *e = &w->edges[edges[k]];
			for (int at = s; at <= i->steps && !instance_pre(i, c, e->dst); at += interval(i))
				text_add(t, " (ite (and snd_%d_%d_%d (= time_%d_%d %d)) 1 0)", e->src, c, e->dst, c, e->dst, at);
		}
	text_add(t, " 0)");
}

/*
 * C5: in step s the sends over L are at most b r_s. If r_s has few possible values, each gets an assertion of its own:
 * Z3 then counts Booleans and needs no simplex. With many values there would be too many copies of the sum.
 */
static void write_load(const struct instance *i, struct text *t, int s, const int *edges, size_t n, int bandwidth)
{
	int most = i->rounds - i->steps + 1;

	if (most > COPIES_UP_TO) {
		text_add(t, "(assert (<= ");
		write_sum(i, t, s, edges, n);
		text_add(t, " (* %d r_%d)))\n", bandwidth, s);
	}
	for (int r = 1; r <= most && most <= COPIES_UP_TO; r++) {
		text_add(t, "(assert (=> (= r_%d %d) (<= ", s, r);
		write_sum(i, t, s, edges, n);
		text_add(t, " %d)))\n", bandwidth * r);
	}
}

/* C6: the rounds sum to R; with a pipeline, in which coinciding steps have equal rounds, to at most R. */
static void write_rounds(const struct instance *i, struct text *t)
{
	bool together = interval(i) < i->steps;

	for (int s = 1; s <= i->steps; s++)
		text_add(t, "(assert (and (<= 1 r_%d) (<= r_%d %d)))\n", s, s, i->rounds - i->steps + 1);
	for (int s = interval(i) + 1; s <= i->steps; s++)
		text_add(t, "(assert (= r_%d r_%d))\n", s, s - interval(i));
	text_add(t, "(assert (%s (+ 0", together ? "<=" : "=");
	for (int s = 1; s <= i->steps; s++)
		text_add(t, " r_%d", s);
	text_add(t, ") %d))\n", i->rounds);
}

static bool is_passed_on(const struct instance *i, int c, int n)
{
	return !instance_pre(i, c, n) && !instance_post(i, c, n);
}

/* end_C_N: no less than the last step in which node N, which only passes chunk C on, sends it. */
static void write_ends(const struct instance *i, struct text *t)
{
	const struct network *w = i->network;

	for (int c = 0; c < i->global_chunks; c++) {
		for (int n = 0; n < w->nodes; n++)
			if (is_passed_on(i, c, n))
				text_add(t, "(declare-const end_%d_%d Int)\n(assert (<= 0 end_%d_%d))\n", c, n, c, n);
		for (size_t e = 0; e < w->n_edges; e++) {
			int from = w->edges[e].src, to = w->edges[e].dst;
			if (is_passed_on(i, c, from))
				text_add(t, "(assert (=> (and snd_%d_%d_%d (<= time_%d_%d %d)) (<= time_%d_%d end_%d_%d)))\n", from, c, to, c, to,
					 i->steps, c, to, c, from);
		}
	}
}

/* At each node and in each step at most extra_memory chunks are in transit. */
static void write_memory(const struct instance *i, struct text *t)
{
	write_ends(i, t);
	for (int n = 0; n < i->network->nodes; n++)
		for (int s = 1; s <= i->steps; s++) {
			text_add(t, "(assert (<= (+ 0");
			for (int c = 0; c < i->global_chunks; c++)
				if (is_passed_on(i, c, n))
					text_add(t, " (ite (and (<= time_%d_%d %d) (<= %d end_%d_%d)) 1 0)", c, n, s, s, c, n);
			text_add(t, " 0) %d))\n", i->constraints.extra_memory);
		}
}

void lia_paper_write(const struct instance *i, struct text *into)
{
	const struct network *w = i->network;

	declare(i, into);
	write_times(i, into);
	write_sends(i, into);
	for (int s = 1; s <= interval(i); s++) {
		for (int e = 0; e < (int)w->n_edges; e++)
			write_load(i, into, s, &e, 1, w->edges[e].bandwidth);
		for (size_t l = 0; l < w->n_limits; l++)
			write_load(i, into, s, w->limits[l].edges, w->limits[l].n_edges, w->limits[l].bandwidth);
	}
	write_rounds(i, into);
	if (i->constraints.is_short)
		write_memory(i, into);
}

void export_smt2(const struct instance *i, struct text *into)
{
	text_add(into, "; SYNCOLL (SCCL, PPoPP 2021, section 3.4): %s, P=%d C=%d G=%d S=%d R=%d\n", collective_name(&i->collective),
		 i->network->nodes, i->chunks, i->global_chunks, i->steps, i->rounds);
	text_add(into, "; time_C_N: the step after which chunk C is at node N; snd_N_C_M: N sends C to M; r_S: rounds of step S\n");
	text_add(into, "(set-logic QF_LIA)\n");
	lia_paper_write(i, into);
	text_add(into, "(check-sat)\n(get-model)\n");
}
