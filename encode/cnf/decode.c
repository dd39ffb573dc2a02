/*
 * From the true sends of a model to the steps of a solution: sorts the arrivals by step, drops those that serve no
 * post, and assigns rounds. A folded plan's sends are first expanded to all their images.
 */

#include "encode/cnf/decode.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "encode/cnf/direct.h"
#include "encode/fold/fold.h"
#include "encode/cnf/plan.h"

#include <stdlib.h>

static int by_step_then_send(const void *va, const void *vb)
{
	const struct arrival *a = va, *b = vb;
	if (a->step != b->step)
		return a->step < b->step ? -1 : 1;
	if (a->send.chunk != b->send.chunk)
		return a->send.chunk < b->send.chunk ? -1 : 1;
	if (a->send.src != b->send.src)
		return a->send.src < b->send.src ? -1 : 1;
	return (a->send.dst > b->send.dst) - (a->send.dst < b->send.dst);
}

/*
 * Going back from the last step: an arrival is useful if its node is a post of the chunk, or if the node later sends
 * the chunk to where it is useful. Keeps those, in order, and returns how many there are.
 */
static size_t drop_idle(const struct instance *i, struct arrival *all, size_t n)
{
	size_t nodes = (size_t)i->network->nodes, kept = n;
	bool *serves = new_array(bool, (size_t)i->global_chunks * nodes);

	for (size_t k = n; k-- > 0;) {
		const struct send *s = &all[k].send;
		if (!instance_post(i, s->chunk, s->dst) && !serves[(size_t)s->chunk * nodes + (size_t)s->dst])
			continue;
		serves[(size_t)s->chunk * nodes + (size_t)s->src] = true;
		all[--kept] = all[k];
	}
	free(serves);
	for (size_t k = kept; k < n; k++)
		all[k - kept] = all[k];
	return n - kept;
}

void decode_arrivals(const struct instance *i, struct arrival *arrivals, size_t n, struct solution *out)
{
	size_t next = 0;

	if (n)
		qsort(arrivals, n, sizeof *arrivals, by_step_then_send);
	n = drop_idle(i, arrivals, n);
	out->n_steps = (size_t)i->steps;
	out->steps = new_array(struct step, out->n_steps);
	for (int s = 1; s <= i->steps; s++) {
		struct step *step = &out->steps[s - 1];
		step->sends = new_array(struct send, n);
		for (; next < n && arrivals[next].step == s; next++)
			step->sends[step->n_sends++] = arrivals[next].send;
	}
	decode_rounds(i, out);
}

/* The image of a send under element X of the plan's group. */
static struct send image_of(const struct plan *p, size_t x, struct send s)
{
	if (!p->fold)
		return s;
	const uint16_t *nodes = p->fold->group.nodes + x * (size_t)p->nodes;
	return (struct send){elements_chunk(p->fold->symmetry, &p->fold->group, x, s.chunk), nodes[s.src], nodes[s.dst]};
}

void plan_decode(const struct plan *p, bool (*value)(void *context, int variable), void *context, struct solution *out)
{
	struct arrival *all = NULL;
	size_t n = 0, capacity = 0;

	if (p->direct) {
		direct_decode(p, value, context, out);
		return;
	}
	for (int c = 0; c < p->chunks; c++)
		for (int e = 0; e < p->edges; e++)
			for (int s = 1; s <= p->steps; s++) {
				int send = plan_send(p, c, e, s);
				if (send == NEVER || !value(context, send))
					continue;
				struct send one = {plan_chunk(p, c), p->network->edges[e].src, p->network->edges[e].dst};
				/*
				 * all edges of an orbit share one variable for a fixed chunk, so each edge adds its own
				 * send
				 */
				size_t images = p->fold && !p->fold->fixed[c] ? p->fold->group.n : 1;
				for (size_t x = 0; x < images; x++) {
					all = grown(all, &capacity, n + 1, sizeof *all);
					all[n++] = (struct arrival){image_of(p, x, one), s};
				}
			}
	decode_arrivals(p->instance, all, n, out);
	free(all);
}
