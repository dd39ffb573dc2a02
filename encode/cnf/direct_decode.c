/*
 * From the sends of a model to steps of copies and reduces. Going back from the last step, only arrivals that a needed
 * value is made of are kept.
 */

#include "encode/cnf/direct.h"

#include "core/base/memory.h"
#include "encode/cnf/decode.h"

#include <stdlib.h>

struct direct_reading {
	const struct plan *plan;
	bool (*value)(void *context, int variable);
	void *context;
	bool *needed; /* [node]: is its value of the current chunk after the current step needed? */
	bool *before; /* [node]: and before the step? */
};

static bool drops(const struct direct_reading *r, int c, int n, int s)
{
	size_t cell = (size_t)c * (size_t)r->plan->nodes + (size_t)n;
	return r->value(r->context, r->plan->direct->drop[cell * (size_t)r->plan->steps + (size_t)(s - 1)]);
}

/*
 * The arrivals at node N in step S: the first replaces a dropped value, the others are added. If nothing arrives, the
 * value stays.
 */
static void read_arrivals(const struct direct_reading *r, int c, int n, int s, struct step *into)
{
	const struct network *w = r->plan->network;
	bool drop = drops(r, c, n, s), first = true;

	for (int i = w->in_begin[n]; i < w->in_begin[n + 1]; i++) {
		int e = w->in[i], u = w->edges[e].src;
		if (!r->value(r->context, plan_send(r->plan, c, e, s)))
			continue;
		if (first && drop)
			into->sends[into->n_sends++] = (struct send){c, u, n};
		else
			into->reduces[into->n_reduces++] = (struct send){c, u, n};
		first = false;
		r->before[u] = true;
	}
	if (!drop || first)
		r->before[n] = true;
}

/* From the last step back: keeps only what a needed value is made of. */
static void read_chunk(struct direct_reading *r, int c, struct solution *out)
{
	int nodes = r->plan->nodes;

	for (int n = 0; n < nodes; n++)
		r->needed[n] = true;
	for (int s = r->plan->steps; s >= 1; s--) {
		for (int n = 0; n < nodes; n++)
			r->before[n] = false;
		for (int n = 0; n < nodes; n++)
			if (r->needed[n])
				read_arrivals(r, c, n, s, &out->steps[s - 1]);
		bool *now = r->before;
		r->before = r->needed;
		r->needed = now;
	}
}

void direct_decode(const struct plan *p, bool (*value)(void *context, int variable), void *context, struct solution *out)
{
	struct direct_reading r = {p, value, context, new_array(bool, (size_t)p->nodes), new_array(bool, (size_t)p->nodes)};
	size_t most = (size_t)p->chunks * (size_t)p->edges;

	out->n_steps = (size_t)p->steps;
	out->steps = new_array(struct step, out->n_steps);
	for (size_t s = 0; s < out->n_steps; s++) {
		out->steps[s].sends = new_array(struct send, most);
		out->steps[s].reduces = new_array(struct send, most);
	}
	for (int c = 0; c < p->chunks; c++)
		read_chunk(&r, c, out);
	decode_rounds(p->instance, out);
	free(r.needed);
	free(r.before);
}
