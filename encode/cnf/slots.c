/*
 * Limited memory as a liveness constraint: variables for chunks in transit, implied by their sends and extended back to
 * the step of arrival, and a cardinality constraint for each node and step.
 */

#include "encode/cnf/slots.h"

#include "core/base/memory.h"
#include "encode/cnf/clause.h"

#include <stdlib.h>

struct slots {
	int *slot; /* [(c * P + n) * S + s - 1] */
};

static int slot_of(const struct plan *p, int c, int n, int s)
{
	return p->slots->slot[((size_t)c * (size_t)p->nodes + (size_t)n) * (size_t)p->steps + (size_t)(s - 1)];
}

void slots_number(struct plan *p)
{
	size_t next = 0;

	p->slots = new(struct slots);
	p->slots->slot = new_array(int, (size_t)p->chunks * (size_t)p->nodes * (size_t)p->steps);
	for (int c = 0; c < p->chunks; c++)
		for (int n = 0; n < p->nodes; n++)
			for (int s = 1; s <= p->steps; s++, next++)
				if (plan_have(p, c, n, s) != NEVER && !instance_pre(p->instance, plan_chunk(p, c), n) &&
				    !instance_post(p->instance, plan_chunk(p, c), n))
					p->slots->slot[next] = ++p->variables;
}

void slots_free(struct slots *s)
{
	if (s)
		free(s->slot);
	free(s);
}

static void write_liveness(const struct plan *p, struct clause *k, int c, int n, int s)
{
	const struct network *w = p->network;
	int slot = slot_of(p, c, n, s);

	for (int i = w->in_begin[n]; i < w->in_begin[n + 1]; i++)
		clause_implies(k, plan_send(p, c, w->in[i], s), slot, true);
	for (int i = w->out_begin[n]; i < w->out_begin[n + 1]; i++)
		clause_implies(k, plan_send(p, c, w->out[i], s), slot, true);
	if (s == 1 || plan_have(p, c, n, s - 1) == NEVER)
		return;
	clause_begin(k);
	clause_add(k, slot, false);
	clause_add(k, plan_have(p, c, n, s - 1), false);
	clause_add(k, slot_of(p, c, n, s - 1), true);
	clause_end(k);
}

void slots_write(const struct plan *p, struct clause *k)
{
	int *taken = new_array(int, (size_t)p->chunks), most = p->instance->constraints.extra_memory;

	for (int n = 0; n < p->nodes; n++)
		for (int s = 1; s <= p->steps; s++) {
			int numbered = 0;
			for (int c = 0; c < p->chunks; c++) {
				if (slot_of(p, c, n, s) == NEVER)
					continue;
				write_liveness(p, k, c, n, s);
				taken[numbered++] = slot_of(p, c, n, s);
			}
			if (numbered > most)
				k->to->budget(k->to->context, p, taken, (size_t)numbered, most);
		}
	free(taken);
}
