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

/* From the last step back: an arrival serves if its node is a post of the chunk, or sends it on to where it serves. */
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

static int rounds_needed(const struct network *w, const struct step *s, long *load)
{
	long rounds = 1;

	for (size_t e = 0; e < w->n_edges; e++)
		load[e] = 0;
	for (size_t k = 0; k < s->n_sends; k++)
		load[network_edge(w, s->sends[k].src, s->sends[k].dst)]++;
	for (size_t k = 0; k < s->n_reduces; k++)
		load[network_edge(w, s->reduces[k].src, s->reduces[k].dst)]++;
	for (size_t e = 0; e < w->n_edges; e++) {
		long need = (load[e] + w->edges[e].bandwidth - 1) / w->edges[e].bandwidth;
		rounds = need > rounds ? need : rounds;
	}
	for (size_t l = 0; l < w->n_limits; l++) {
		long sum = 0;
		for (size_t k = 0; k < w->limits[l].n_edges; k++)
			sum += load[w->limits[l].edges[k]];
		long need = (sum + w->limits[l].bandwidth - 1) / w->limits[l].bandwidth;
		rounds = need > rounds ? need : rounds;
	}
	return (int)rounds;
}

/* With a pipeline: each step gets the rounds that all need which fall together with it. What is over stays over. */
static void pipeline_rounds(const struct instance *i, struct solution *out, long *load)
{
	size_t n = (size_t)i->constraints.pipeline;

	for (size_t first = 0; first < n && first < out->n_steps; first++) {
		struct step all = {0};
		size_t sends = 0, reduces = 0;
		for (size_t s = first; s < out->n_steps; s += n) {
			all.sends = grown(all.sends, &sends, all.n_sends + out->steps[s].n_sends, sizeof *all.sends);
			all.reduces = grown(all.reduces, &reduces, all.n_reduces + out->steps[s].n_reduces, sizeof *all.reduces);
			for (size_t k = 0; k < out->steps[s].n_sends; k++)
				all.sends[all.n_sends++] = out->steps[s].sends[k];
			for (size_t k = 0; k < out->steps[s].n_reduces; k++)
				all.reduces[all.n_reduces++] = out->steps[s].reduces[k];
		}
		for (size_t s = first; s < out->n_steps; s += n)
			out->steps[s].rounds = rounds_needed(i->network, &all, load);
		free(all.sends);
		free(all.reduces);
	}
}

void decode_rounds(const struct instance *i, struct solution *out)
{
	long *load = new_array(long, i->network->n_edges);
	int left = i->rounds;

	if (i->constraints.pipeline) {
		pipeline_rounds(i, out, load);
		free(load);
		return;
	}
	for (size_t s = 0; s < out->n_steps; s++) {
		out->steps[s].rounds = rounds_needed(i->network, &out->steps[s], load);
		left -= out->steps[s].rounds;
	}
	out->steps[out->n_steps - 1].rounds += left;
	free(load);
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

/* What element X of the plan's group carries a send to. */
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
				/* of a fixed chunk every edge of an orbit is asked for by the same variable */
				size_t images = p->fold && !p->fold->fixed[c] ? p->fold->group.n : 1;
				for (size_t x = 0; x < images; x++) {
					all = grown(all, &capacity, n + 1, sizeof *all);
					all[n++] = (struct arrival){image_of(p, x, one), s};
				}
			}
	decode_arrivals(p->instance, all, n, out);
	free(all);
}
