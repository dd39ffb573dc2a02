/*
 * Does a schedule satisfy its constraints: do overlapping runs of a pipeline fit on the links together, and do chunks
 * in transit fit into the nodes' extra memory?
 */

#include "core/verify/verify_parts.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/base/text.h"
#include "core/machine/topology.h"

#include <stdlib.h>

static const struct verdict fine = {FAULT_NONE, -1, -1, -1, -1, ""};

/* ---- pipeline ---- */

static void count_sends(struct loads *l, const struct send *list, size_t n, bool reduces)
{
	for (size_t i = 0; i < n; i++)
		loads_add(l, network_edge(l->w, list[i].src, list[i].dst), list[i].chunk, reduces);
}

/*
 * The steps FIRST, FIRST + N, ... run at the same time: they need equal rounds, and their sends must fit into them
 * together.
 */
static struct verdict check_shared(const struct algorithm *a, struct loads *l, int first)
{
	int n = a->constraints.pipeline, rounds = a->steps[first].rounds;

	loads_clear(l);
	for (size_t s = (size_t)first; s < a->n_steps; s += (size_t)n) {
		if (a->steps[s].rounds != rounds)
			return fault_at(FAULT_COST, (int)s, NULL, "steps %d and %zu coincide with pipeline %d, but have different numbers of rounds",
					first + 1, s + 1, n);
		loads_next_step(l);
		count_sends(l, a->steps[s].sends, a->steps[s].n_sends, false);
		count_sends(l, a->steps[s].reduces, a->steps[s].n_reduces, true);
	}
	return loads_check(l, first, rounds);
}

static struct verdict check_pipeline(const struct algorithm *a, const struct network *w)
{
	struct loads l = loads_new(w, ", with the steps that coincide with it,");
	struct verdict v = fine;

	for (int first = 0; first < a->constraints.pipeline && first < (int)a->n_steps && v.fault == FAULT_NONE; first++)
		v = check_shared(a, &l, first);
	loads_free(&l);
	return v;
}

/* ---- memory ---- */

/* The arrival of a chunk in transit at a node, or its departure. */
struct passing {
	int node, chunk, step;
	bool comes;
};

struct passings {
	struct passing *all;
	size_t n, capacity;
};

static void add_passing(struct passings *p, const struct algorithm *a, int node, int chunk, int step, bool comes)
{
	int nodes = a->topology->nodes;

	if (collective_pre(&a->collective, nodes, chunk, node) || collective_post(&a->collective, nodes, chunk, node))
		return;
	p->all = grown(p->all, &p->capacity, p->n + 1, sizeof *p->all);
	p->all[p->n++] = (struct passing){node, chunk, step, comes};
}

static int by_node_chunk_step(const void *va, const void *vb)
{
	const struct passing *a = va, *b = vb;

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	if (a->chunk != b->chunk)
		return a->chunk < b->chunk ? -1 : 1;
	return (a->step > b->step) - (a->step < b->step);
}

/*
 * Accounts for one chunk in transit at one node, given its N arrivals and departures there: it occupies memory from the
 * first arrival to the last departure, and in any later step in which it arrives again without being sent on. CHANGE[s]
 * is the occupancy in step s minus that in the step before.
 */
static void occupy(const struct passing *p, size_t n, int *change)
{
	int first = p[0].step, last = first - 1;

	for (size_t i = 0; i < n; i++)
		if (!p[i].comes)
			last = p[i].step;
	if (last >= first) {
		change[first]++;
		change[last + 1]--;
	}
	for (size_t i = 0; i < n; i++)
		if (p[i].step > last && (i == 0 || p[i].step != p[i - 1].step)) {
			change[p[i].step]++;
			change[p[i].step + 1]--;
		}
}

/* Checks the node of the entry at BEGIN; *next becomes the first entry of the next node. */
static struct verdict check_node(const struct algorithm *a, const struct passings *p, size_t begin, size_t *next)
{
	int *change = new_array(int, a->n_steps + 1), held = 0, node = p->all[begin].node;
	struct verdict v = fine;
	size_t i = begin;

	for (size_t end; i < p->n && p->all[i].node == node; i = end) {
		for (end = i + 1; end < p->n && p->all[end].node == node && p->all[end].chunk == p->all[i].chunk; end++)
			;
		occupy(p->all + i, end - i, change);
	}
	*next = i;
	for (size_t s = 0; s < a->n_steps && v.fault == FAULT_NONE; s++) {
		struct send at = {-1, -1, node};
		held += change[s];
		if (held > a->constraints.extra_memory)
			v = fault_at(FAULT_MEMORY, (int)s, &at, "in step %zu node %d holds %d chunk%s that it only forwards, but has memory for %d",
				     s + 1, node, held, plural(held), a->constraints.extra_memory);
	}
	free(change);
	return v;
}

static struct verdict check_memory(const struct algorithm *a)
{
	struct passings p = {0};
	struct verdict v = fine;

	for (size_t s = 0; s < a->n_steps; s++)
		for (size_t i = 0; i < a->steps[s].n_sends; i++) {
			const struct send *send = &a->steps[s].sends[i];
			add_passing(&p, a, send->dst, send->chunk, (int)s, true);
			add_passing(&p, a, send->src, send->chunk, (int)s, false);
		}
	if (p.n)
		qsort(p.all, p.n, sizeof *p.all, by_node_chunk_step);
	for (size_t i = 0; i < p.n && v.fault == FAULT_NONE;)
		v = check_node(a, &p, i, &i);
	free(p.all);
	return v;
}

struct verdict verify_constraints(const struct algorithm *a, const struct network *w)
{
	struct error e = {0};
	struct verdict v = fine;

	if (!constraints_any(&a->constraints))
		return fine;
	if (a->symmetry)
		return fault_at(FAULT_COST, -1, NULL, "a pipeline or extra memory is claimed for a schedule in compact form");
	if (!constraints_check(&a->constraints, &a->collective, &e))
		return fault_at(FAULT_COST, -1, NULL, "%.200s", e.what);
	if (a->constraints.pipeline)
		v = check_pipeline(a, w);
	return v.fault == FAULT_NONE && a->constraints.is_short ? check_memory(a) : v;
}
