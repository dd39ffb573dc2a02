/*
 * Engine `naive`: the encoding that the SCCL paper measures its own against (section 5.4.3), a Boolean for each chunk, edge and
 * step, and nothing derived from them: snd_C_N_M_S says that N sends C to M in step S. A chunk is at a node in a step if the
 * node begins with it or some send has brought it there before. For comparison only.
 */

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/network.h"
#include "encode/cnf/decode.h"
#include "encode/engines.h"
#include "encode/smt/z3_question.h"

#include <stdlib.h>

static void add_send(struct text *t, const struct edge *e, int chunk, int step)
{
	text_add(t, " snd_%d_%d_%d_%d", chunk, e->src, e->dst, step);
}

/* (or ...): some send brings the chunk to the node in steps FIRST .. LAST. */
static void add_arrivals(const struct network *w, struct text *t, int chunk, int node, int first, int last)
{
	text_add(t, "(or false");
	for (int k = w->in_begin[node]; k < w->in_begin[node + 1]; k++)
		for (int s = first; s <= last; s++)
			add_send(t, &w->edges[w->in[k]], chunk, s);
	text_add(t, ")");
}

/* (or ...): the node sends the chunk in steps FIRST .. LAST. */
static void add_departures(const struct network *w, struct text *t, int chunk, int node, int first, int last)
{
	text_add(t, "(or false");
	for (int k = w->out_begin[node]; k < w->out_begin[node + 1]; k++)
		for (int s = first; s <= last; s++)
			add_send(t, &w->edges[w->out[k]], chunk, s);
	text_add(t, ")");
}

/* Declares the sends; what is sent is there, and what is asked for comes. */
static void write_chunk(const struct instance *i, struct text *t, int chunk)
{
	const struct network *w = i->network;

	for (size_t e = 0; e < w->n_edges; e++)
		for (int s = 1; s <= i->steps; s++) {
			text_add(t, "(declare-const");
			add_send(t, &w->edges[e], chunk, s);
			text_add(t, " Bool)\n");
		}
	for (size_t e = 0; e < w->n_edges; e++)
		for (int s = 1; s <= i->steps && !instance_pre(i, chunk, w->edges[e].src); s++) {
			text_add(t, "(assert (=>");
			add_send(t, &w->edges[e], chunk, s);
			text_add(t, " ");
			add_arrivals(w, t, chunk, w->edges[e].src, 1, s - 1);
			text_add(t, "))\n");
		}
	for (int n = 0; n < w->nodes; n++)
		if (instance_post(i, chunk, n) && !instance_pre(i, chunk, n)) {
			text_add(t, "(assert ");
			add_arrivals(w, t, chunk, n, 1, i->steps);
			text_add(t, ")\n");
		}
}

/* With a pipeline, steps this far apart coincide (core/schedule/constraints.h). Without: S. */
static int interval(const struct instance *i)
{
	int n = i->constraints.pipeline;
	return n && n < i->steps ? n : i->steps;
}

static void write_load(const struct instance *i, struct text *t, int step, const int *edges, size_t n, int bandwidth)
{
	text_add(t, "(assert (<= (+ 0");
	for (size_t k = 0; k < n; k++)
		for (int c = 0; c < i->global_chunks; c++)
			for (int s = step; s <= i->steps; s += interval(i)) {
				text_add(t, " (ite");
				add_send(t, &i->network->edges[edges[k]], c, s);
				text_add(t, " 1 0)");
			}
	text_add(t, " 0) (* %d r_%d)))\n", bandwidth, step);
}

static void write_rounds(const struct instance *i, struct text *t)
{
	for (int s = 1; s <= i->steps; s++)
		text_add(t, "(declare-const r_%d Int)\n(assert (and (<= 1 r_%d) (<= r_%d %d)))\n", s, s, s, i->rounds - i->steps + 1);
	for (int s = interval(i) + 1; s <= i->steps; s++)
		text_add(t, "(assert (= r_%d r_%d))\n", s, s - interval(i));
	text_add(t, "(assert (<= (+ 0");
	for (int s = 1; s <= i->steps; s++)
		text_add(t, " r_%d", s);
	text_add(t, ") %d))\n", i->rounds);
}

/* At each node and in each step at most extra_memory chunks have come that are only passed on, and still have to be. */
static void write_memory(const struct instance *i, struct text *t)
{
	for (int n = 0; n < i->network->nodes; n++)
		for (int s = 1; s <= i->steps; s++) {
			text_add(t, "(assert (<= (+ 0");
			for (int c = 0; c < i->global_chunks; c++) {
				if (instance_pre(i, c, n) || instance_post(i, c, n))
					continue;
				text_add(t, " (ite (and ");
				add_arrivals(i->network, t, c, n, 1, s);
				add_departures(i->network, t, c, n, s, i->steps);
				text_add(t, ") 1 0)");
			}
			text_add(t, " 0) %d))\n", i->constraints.extra_memory);
		}
}

static void write_all(const struct instance *i, struct text *t)
{
	const struct network *w = i->network;

	for (int c = 0; c < i->global_chunks; c++)
		write_chunk(i, t, c);
	write_rounds(i, t);
	for (int s = 1; s <= interval(i); s++) {
		for (int e = 0; e < (int)w->n_edges; e++)
			write_load(i, t, s, &e, 1, w->edges[e].bandwidth);
		for (size_t l = 0; l < w->n_limits; l++)
			write_load(i, t, s, w->limits[l].edges, w->limits[l].n_edges, w->limits[l].bandwidth);
	}
	if (i->constraints.is_short)
		write_memory(i, t);
}

static bool is_sent(const struct z3 *z, const struct edge *e, int chunk, int step)
{
	struct text name = {0};

	add_send(&name, e, chunk, step);
	bool sent = z3_is_true(z, z3_constant(z, name.bytes + 1, Z3_mk_bool_sort(z->context)));
	text_free(&name);
	return sent;
}

/* The first send that brings a chunk to a node; later ones are of no use. */
static void decode(const struct instance *i, const struct z3 *z, struct solution *out)
{
	const struct network *w = i->network;
	struct arrival *all = NULL;
	size_t n = 0, capacity = 0;

	for (int c = 0; c < i->global_chunks; c++)
		for (int v = 0; v < w->nodes; v++) {
			bool found = instance_pre(i, c, v);
			for (int s = 1; s <= i->steps && !found; s++)
				for (int k = w->in_begin[v]; k < w->in_begin[v + 1] && !found; k++) {
					const struct edge *e = &w->edges[w->in[k]];
					found = is_sent(z, e, c, s);
					if (!found)
						continue;
					all = grown(all, &capacity, n + 1, sizeof *all);
					all[n++] = (struct arrival){{c, e->src, v}, s};
				}
		}
	decode_arrivals(i, all, n, out);
	free(all);
}

enum answer solve_naive(const struct instance *i, const struct solve_options *o, struct solution *out)
{
	static const char *const tactics[] = {"simplify", "propagate-values", "lia2card", "smt", NULL}; /* encode/smt/lia_paper.c */
	struct z3 z = z3_open_tactics(tactics);
	struct text formula = {0};

	(void)o;
	write_all(i, &formula);
	Z3_solver_from_string(z.context, z.solver, formula.bytes);
	text_free(&formula);
	enum answer answer = z3_check(&z);
	if (answer == ANSWER_FOUND)
		decode(i, &z, out);
	z3_close(&z);
	return answer;
}
