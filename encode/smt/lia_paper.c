/*
 * Engine `lia-paper`: the SCCL paper's encoding (section 3.4), solved by Z3 in QF_LIA. The formula is the SMT-LIB text of
 * encode/smt/lia_paper_text.c; the model's times and sends become the arrivals of a solution.
 */

#include "encode/smt/lia_paper.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/base/text.h"
#include "encode/cnf/decode.h"
#include "encode/engines.h"
#include "encode/smt/z3_question.h"

#include <stdlib.h>

static int time_of(const struct z3 *z, int chunk, int node)
{
	struct text name = {0};
	text_add(&name, "time_%d_%d", chunk, node);
	int time = z3_integer(z, z3_constant(z, name.bytes, Z3_mk_int_sort(z->context)));
	text_free(&name);
	return time;
}

static bool is_sent(const struct z3 *z, const struct edge *e, int chunk)
{
	struct text name = {0};
	text_add(&name, "snd_%d_%d_%d", e->src, chunk, e->dst);
	bool sent = z3_is_true(z, z3_constant(z, name.bytes, Z3_mk_bool_sort(z->context)));
	text_free(&name);
	return sent;
}

static void decode(const struct instance *i, const struct z3 *z, struct solution *out)
{
	const struct network *w = i->network;
	struct arrival *all = NULL;
	size_t n = 0, capacity = 0;

	for (int c = 0; c < i->global_chunks; c++)
		for (size_t e = 0; e < w->n_edges; e++) {
			int time = is_sent(z, &w->edges[e], c) ? time_of(z, c, w->edges[e].dst) : 0;
			if (time < 1 || time > i->steps)
				continue;
			all = grown(all, &capacity, n + 1, sizeof *all);
			all[n++] = (struct arrival){{c, w->edges[e].src, w->edges[e].dst}, time};
		}
	decode_arrivals(i, all, n, out);
	free(all);
}

enum answer solve_lia_paper(const struct instance *i, const struct solve_options *o, struct solution *out)
{
	/*
	 * Sums of (ite b 1 0) become cardinality constraints, which Z3's core handles natively. Tactic chains that
	 * continue to bit vectors (card2bv, pb2bv) are not used: in Z3 4.8.12 they report satisfiable formulas of this
	 * form as unsatisfiable.
	 */
	static const char *const tactics[] = {"simplify", "propagate-values", "lia2card", "smt", NULL};
	struct z3 z = z3_open_tactics(tactics);
	struct text formula = {0};

	(void)o;
	lia_paper_write(i, &formula);
	Z3_solver_from_string(z.context, z.solver, formula.bytes);
	text_free(&formula);
	enum answer answer = z3_check(&z);
	if (answer == ANSWER_FOUND)
		decode(i, &z, out);
	z3_close(&z);
	return answer;
}
