/*
 * Replays local schedules in every copy and adds deliveries between copies (synth/replicate/copies.h). Allgather,
 * broadcast and gather: each chunk is delivered to the corresponding node of the other copies, and from there the local
 * schedule distributes it. Alltoall: either directly from node to node, or through the roots of a gather and a scatter.
 * Inverses are built on reversed links and run backwards. Modelled on the distributors of the SCCL authors' tool.
 */

#include "synth/replicate/distribute.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "core/schedule/transform.h"
#include "synth/replicate/copies.h"
#include "synth/builder/method.h"
#include "synth/problem/problem.h"

#include <stdlib.h>
#include <string.h>

/* The input, algorithms of one copy, and the output, a schedule over all copies. Topology and network are those of
 * the whole machine, reversed when an inverse is built. */
struct distribution {
	const struct topology *topology;
	const struct network *network;
	const struct algorithm *local, *second; /* second: only if there are two */
	int steps;                              /* the most allowed; 0: any number */
	struct copies *copies;
};

/* ---- the local steps, in one copy ---- */

/* One replay of the local algorithm OF in COPY, from step FIRST on. */
struct copied_part {
	const struct algorithm *of;
	int first, copy;
	int offset; /* for chunks of other copies: the first comes from this many copies before COPY */
};

/* The NTH of the chunks of the whole collective that the local CHUNK stands for; -1: none. */
typedef int (*chunk_fn)(const struct distribution *w, const struct copied_part *p, int chunk, int nth);

/* Every local send is replayed for each of the STANDS_FOR chunks that its chunk stands for. */
static void replay(const struct distribution *w, struct copied_part p, int stands_for, chunk_fn chunk_of)
{
	for (size_t s = 0; s < p.of->n_steps; s++)
		for (size_t i = 0; i < p.of->steps[s].n_sends; i++)
			for (int nth = 0; nth < stands_for; nth++) {
				const struct send *send = &p.of->steps[s].sends[i];
				int chunk = chunk_of(w, &p, send->chunk, nth);
				if (chunk >= 0)
					copies_send(w->copies, p.first + (int)s, chunk, copies_node(w->copies, p.copy, send->src),
						    copies_node(w->copies, p.copy, send->dst));
			}
}

/* ---- allgather, broadcast, gather: a copy's own chunks first, then those delivered from other copies ---- */

/* The corresponding chunk of the copy that is offset + NTH before this one, cyclically; broadcast: the root is in
 * copy 0. */
static int chunk_of_copy(const struct distribution *w, const struct copied_part *p, int chunk, int nth)
{
	int nodes = w->copies->nodes, from = (p->copy + w->copies->n - p->offset - nth) % w->copies->n;

	if (p->of->collective.kind == BROADCAST)
		return from == 0 ? chunk : -1;
	return chunk / nodes * w->copies->all + copies_node(w->copies, from, chunk % nodes);
}

/* In the copies below LAST_COPY, from step FIRST on: replays the chunks of the N copies from OFFSET before each. */
static void replay_copies(const struct distribution *w, int last_copy, int first, int offset, int n)
{
	for (int copy = 0; copy < last_copy; copy++)
		replay(w, (struct copied_part){w->local, first, copy, offset}, n, chunk_of_copy);
}

/* Registers the deliveries to each copy below LAST_COPY from the copy OFFSET before it. */
static void add_deliveries(const struct distribution *w, int last_copy, int offset)
{
	struct copies *x = w->copies;

	for (int c = 0; c < x->global_chunks; c++) {
		int from = w->local->collective.kind == BROADCAST ? w->local->collective.root : c % x->all;
		int to = (from + offset * x->nodes) % x->all;
		if (to / x->nodes < last_copy)
			copies_add_delivery(x, c, from, to);
	}
}

/* Chunks of a copy's own are replayed first, while the first group of others is delivered; each group of chunks is then
 * replayed while the next is delivered. */
static void construct_grouped(const struct distribution *w, int last_copy)
{
	struct copies *x = w->copies;
	int local = (int)w->local->n_steps, groups = w->steps ? w->steps - local : 1;

	groups = groups < 1 ? 1 : groups > x->n - 1 ? x->n - 1 : groups;
	replay_copies(w, last_copy, 0, 0, 1);
	for (int g = 0; g < groups; g++) {
		int offset = 1 + g * (x->n - 1) / groups, next = 1 + (g + 1) * (x->n - 1) / groups;
		for (int o = offset; o < next; o++)
			add_deliveries(w, last_copy, o);
		int ready = copies_deliver(x, w->steps ? g + 1 : local);
		replay_copies(w, last_copy, ready, offset, next - offset);
	}
}

static void construct_everywhere(const struct distribution *w)
{
	construct_grouped(w, w->copies->n);
}

static void construct_gather(const struct distribution *w)
{
	construct_grouped(w, 1);
}

/* ---- alltoall from an alltoall: chunks within a copy as they are, all others directly from node to node ---- */

static int chunk_within(const struct distribution *w, const struct copied_part *p, int chunk, int nth)
{
	int nodes = w->copies->nodes, all = w->copies->all;
	int part = chunk / (nodes * nodes), to = chunk / nodes % nodes, from = chunk % nodes;

	(void)nth;
	return (part * all + copies_node(w->copies, p->copy, to)) * all + copies_node(w->copies, p->copy, from);
}

static void construct_alltoall(const struct distribution *w)
{
	struct copies *x = w->copies;
	int parts = w->local->chunks / x->nodes;

	for (int copy = 0; copy < x->n; copy++)
		replay(w, (struct copied_part){w->local, 0, copy, 0}, 1, chunk_within);
	for (int part = 0; part < parts; part++)
		for (int offset = 1; offset < x->all; offset++)
			for (int from = 0; from < x->all; from++) {
				int to = (from + offset) % x->all;
				if (from / x->nodes != to / x->nodes)
					copies_add_delivery(x, (part * x->all + to) * x->all + from, from, to);
			}
	copies_deliver(x, (int)w->local->n_steps);
}

/* ---- alltoall from a gather and a scatter: through the roots ---- */

/* The part of a pair's data that the local chunk carries: one part for each root and each piece that a chunk is cut
 * into. */
static int part_of(const struct distribution *w, int chunk)
{
	return chunk / w->copies->nodes;
}

static int chunk_from(const struct distribution *w, const struct copied_part *p, int chunk, int to)
{
	int from = copies_node(w->copies, p->copy, chunk % w->copies->nodes);
	return from == to ? -1 : (part_of(w, chunk) * w->copies->all + to) * w->copies->all + from;
}

static int chunk_to(const struct distribution *w, const struct copied_part *p, int chunk, int from)
{
	int to = copies_node(w->copies, p->copy, chunk % w->copies->nodes);
	return from == to ? -1 : (part_of(w, chunk) * w->copies->all + to) * w->copies->all + from;
}

static void construct_through_roots(const struct distribution *w)
{
	struct copies *x = w->copies;
	int n_roots, parts = w->local->global_chunks / x->nodes;
	const int *gathers = collective_roots(&w->local->collective, &n_roots);
	const int *scatters = collective_roots(&w->second->collective, &n_roots);

	for (int copy = 0; copy < x->n; copy++)
		replay(w, (struct copied_part){w->local, 0, copy, 0}, x->all, chunk_from);
	for (int part = 0; part < parts; part++)
		for (int offset = 1; offset < x->all; offset++)
			for (int from = 0; from < x->all; from++) {
				int to = (from + offset) % x->all;
				copies_add_delivery(x, (part * x->all + to) * x->all + from,
					   copies_node(x, from / x->nodes, gathers[part % n_roots]),
					   copies_node(x, to / x->nodes, scatters[part % n_roots]));
			}
	int last = copies_deliver(x, (int)w->local->n_steps);
	for (int copy = 0; copy < x->n; copy++)
		replay(w, (struct copied_part){w->second, last, copy, 0}, x->all, chunk_to);
}

/* ---- common parts ---- */

/* One row for each kind that is built directly. */
static const struct {
	void (*construct)(const struct distribution *w);
	bool by_all; /* C of the whole is the local C times the number of copies: a block for each node */
	bool groups; /* chunks of other copies may be delivered in several groups */
} kinds[COLLECTIVE_KINDS] = {
	[ALLGATHER] = {construct_everywhere, false, true},
	[BROADCAST] = {construct_everywhere, false, true},
	[GATHER] = {construct_gather, false, true},
	[ALLTOALL] = {construct_alltoall, true, false},
};

static bool check_links(const struct distribution *w, const struct algorithm *a, struct error *e)
{
	int nodes = a->topology->nodes;

	for (size_t s = 0; s < a->n_steps; s++)
		for (size_t i = 0; i < a->steps[s].n_sends; i++)
			for (int first = 0; first < w->network->nodes; first += nodes) {
				const struct send *send = &a->steps[s].sends[i];
				if (network_edge(w->network, first + send->src, first + send->dst) < 0)
					return error_set(e, ERROR_INPUT, w->topology->name, "no link joins nodes %d and %d of copy %d, but \"%.100s\" uses it",
							 send->src, send->dst, first / nodes, a->name);
			}
	return true;
}

/* Recounts the rounds: after pruning, steps may need fewer. */
static void count_rounds(const struct network *w, struct algorithm *a)
{
	int64_t *load = new_array(int64_t, w->n_edges);

	for (size_t s = 0; s < a->n_steps; s++) {
		for (size_t e = 0; e < w->n_edges; e++)
			load[e] = 0;
		for (size_t i = 0; i < a->steps[s].n_sends; i++)
			load[network_edge(w, a->steps[s].sends[i].src, a->steps[s].sends[i].dst)]++;
		int64_t rounds = network_rounds(w, load);
		a->steps[s].rounds = rounds > 0 ? (int)rounds : 1;
	}
	free(load);
}

enum { HELD_MAX = 1 << 28 }; /* entries of copies.held */

/* The schedule that CONSTRUCT builds for K with C = CHUNKS, as an algorithm; not yet verified. */
static struct algorithm *constructed(struct distribution *w, void (*construct)(const struct distribution *w), const struct collective *k, int64_t chunks,
			       struct error *e)
{
	int nodes = w->network->nodes;
	struct step *steps;
	size_t n_steps;

	if (!check_links(w, w->local, e) || (w->second && !check_links(w, w->second, e)) ||
	    !collective_check(k, nodes, chunks > CHUNKS_MAX ? CHUNKS_MAX : (int)chunks, e))
		return NULL;
	int global = collective_global_chunks(k, nodes, (int)chunks);
	if ((int64_t)global * nodes > HELD_MAX) {
		error_set(e, ERROR_LIMIT, w->topology->name, "%d chunks on %d nodes are too many", global, nodes);
		return NULL;
	}
	w->copies = copies_new(w->network, w->local->topology->nodes, global);
	for (int c = 0; c < global; c++)
		for (int n = 0; n < nodes; n++)
			if (collective_pre(k, nodes, c, n))
				*copies_held(w->copies, c, n) = 0;
	construct(w);
	bool ok = builder_take(w->copies->builder, "distribute", &steps, &n_steps, e);
	copies_free(w->copies);
	if (!ok)
		return NULL;
	struct algorithm *a = algorithm_new(w->topology, k, (int)chunks, n_steps, steps, "distributed");
	algorithm_prune(a);
	count_rounds(w->network, a);
	algorithm_rename(a);
	return a;
}

/* A run backwards on reversed links: reductions become copies. NULL with *e set if a combining A also copies results
 * on, since then it is not the inverse of another algorithm. */
static struct algorithm *backwards(const struct algorithm *a, struct error *e)
{
	struct collective k;
	struct step *steps = new_array(struct step, a->n_steps);
	bool adds = collective_row(&a->collective)->combining, mixed = false;

	for (size_t s = 0; s < a->n_steps; s++) {
		const struct step *was = &a->steps[a->n_steps - 1 - s];
		const struct send *list = adds ? was->reduces : was->sends;
		size_t n = adds ? was->n_reduces : was->n_sends;
		mixed = mixed || (adds && was->n_sends);
		steps[s] = (struct step){.rounds = was->rounds, .n_sends = n, .sends = new_array(struct send, n)};
		for (size_t i = 0; i < n; i++)
			steps[s].sends[i] = (struct send){list[i].chunk, list[i].dst, list[i].src};
	}
	if (mixed || !collective_inverse(&a->collective, &k, e)) {
		if (mixed)
			error_set(e, ERROR_INPUT, a->name, "it forwards sums, and is not the inverse of another");
		steps_free(steps, a->n_steps);
		return NULL;
	}
	struct topology *t = topology_reversed(a->topology);
	bool blocks = collective_row(&a->collective)->chunks_in_blocks;
	struct algorithm *back = algorithm_new(t, &k, blocks ? a->chunks / t->nodes : a->chunks, a->n_steps, steps, "distributed");
	topology_free(t);
	return back;
}

/* In several groups if STEPS allows them, or in one if that fits too and has fewer rounds. */
static struct algorithm *constructed_best(struct distribution *w, const struct collective *k, int64_t chunks, struct error *e)
{
	struct algorithm *grouped = constructed(w, kinds[k->kind].construct, k, chunks, e), *whole = NULL;
	struct error ignored = {0};
	int steps = w->steps;

	if (grouped && steps && kinds[k->kind].groups) {
		w->steps = 0;
		whole = constructed(w, kinds[k->kind].construct, k, chunks, &ignored);
	}
	bool better = whole && whole->n_steps <= (size_t)steps && algorithm_rounds(whole) < algorithm_rounds(grouped);
	algorithm_free(better ? grouped : whole);
	return better ? whole : grouped;
}

/* The algorithm that P asks for: from LOCAL as it is, or from its inverse, and then inverted again. */
static struct algorithm *constructed_for(const struct problem *p, const struct algorithm *local, int steps, struct error *e)
{
	int copies = p->topology->nodes / local->topology->nodes;
	struct algorithm *of = p->inverted ? backwards(local, e) : algorithm_copy(local), *a = NULL;
	struct topology *t = p->inverted ? topology_reversed(p->topology) : topology_copy(p->topology);

	if (of) {
		struct distribution w = {.topology = t, .network = p->network, .local = of, .steps = steps};
		algorithm_prune(of);
		a = constructed_best(&w, &p->asked, (int64_t)of->chunks * (kinds[p->asked.kind].by_all ? copies : 1), e);
	}
	if (a && p->inverted) {
		struct algorithm *inverted = algorithm_inverted(a, p->topology, &p->collective, e);
		algorithm_free(a);
		a = inverted;
	}
	topology_free(t);
	algorithm_free(of);
	return a;
}

/* Takes ownership of A and returns it, or NULL with *e set if it has more than STEPS. */
static struct algorithm *within_steps(struct algorithm *a, int steps, struct error *e)
{
	if (!a || !steps || a->n_steps <= (size_t)steps)
		return a;
	error_set(e, ERROR_INPUT, "-S", "%s takes %zu steps, not %d", collective_name(&a->collective), a->n_steps, steps);
	algorithm_free(a);
	return NULL;
}

static bool is_of_copies(const struct topology *t, const struct algorithm *local, struct error *e)
{
	int nodes = local->topology->nodes;

	return (t->nodes > nodes && t->nodes % nodes == 0) ||
	       error_set(e, ERROR_INPUT, t->name, "has %d nodes, which is not two or more times the %d of \"%.100s\"", t->nodes, nodes,
			 local->name);
}

static struct algorithm *from_one(const struct topology *t, const struct algorithm *local, int steps, struct error *e)
{
	struct problem p;
	struct algorithm *a = NULL;

	if (local->collective.kind == CUSTOM || local->collective.kind == ALLREDUCE || local->collective.kind == SCAN) {
		const struct custom *custom = local->collective.custom;
		error_set(e, ERROR_INPUT, local->name, "one %s%s cannot be distributed: give an alltoall, allgather, broadcast, gather, scatter, "
			  "reduce or reducescatter; or a gather and a scatter, or a reducescatter and an allgather",
			  collective_called(&local->collective), custom && custom->n_roots ? " of several roots" : "");
		return NULL;
	}
	if (!problem_open(t, &local->collective, &p, e))
		return NULL;
	a = problem_judged(&p, constructed_for(&p, local, steps, e), e);
	problem_close(&p);
	return a;
}

/* Each part of a pair's data passes through one root of the gather and one root of the scatter. */
static struct algorithm *through_roots(const struct topology *t, const struct algorithm *gather, const struct algorithm *scatter,
				       int steps, struct error *e)
{
	static const struct collective alltoall = {.kind = ALLTOALL};
	int gathers, scatters;
	struct problem p;

	collective_roots(&gather->collective, &gathers);
	collective_roots(&scatter->collective, &scatters);
	if (gathers != scatters || gather->global_chunks != scatter->global_chunks) {
		error_set(e, ERROR_INPUT, scatter->name, "has %d root%s and %d chunk%s, but the gather has %d and %d: they must be equal",
			  scatters, plural(scatters), scatter->global_chunks, plural(scatter->global_chunks), gathers, gather->global_chunks);
		return NULL;
	}
	if (!problem_open(t, &alltoall, &p, e))
		return NULL;
	struct distribution w = {.topology = t, .network = p.network, .local = gather, .second = scatter, .steps = steps};
	int64_t parts = gather->global_chunks / gather->topology->nodes;
	struct algorithm *a = problem_judged(&p, constructed(&w, construct_through_roots, &alltoall, parts * t->nodes, e), e);
	problem_close(&p);
	return a;
}

static struct algorithm *allreduce(const struct topology *t, const struct algorithm *reducescatter, const struct algorithm *allgather,
				   int steps, struct error *e)
{
	static const struct collective k = {.kind = ALLREDUCE};
	struct problem p;

	if (!problem_open(t, &k, &p, e))
		return NULL;
	struct algorithm *first = from_one(t, reducescatter, steps / 2, e);
	struct algorithm *second = first ? from_one(t, allgather, steps - steps / 2, e) : NULL;
	struct algorithm *a = problem_judged(&p, second ? algorithm_joined(first, second, e) : NULL, e);
	algorithm_free(first);
	algorithm_free(second);
	problem_close(&p);
	return a;
}

/* The combinations of two algorithms. Kinds are matched by name, since a collective with several roots is a custom
 * one. */
static const struct {
	const char *first, *second;
	struct algorithm *(*make)(const struct topology *t, const struct algorithm *a, const struct algorithm *b, int steps, struct error *e);
} pairs[] = {
	{"gather", "scatter", through_roots},
	{"reducescatter", "allgather", allreduce},
};

static struct algorithm *from_two(const struct topology *t, struct algorithm *const *local, int steps, struct error *e)
{
	const char *name[2] = {collective_called(&local[0]->collective), collective_called(&local[1]->collective)};

	if (local[0]->topology->nodes != local[1]->topology->nodes) {
		error_set(e, ERROR_INPUT, local[1]->name, "is for %d nodes, but the other is for %d", local[1]->topology->nodes,
			  local[0]->topology->nodes);
		return NULL;
	}
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		for (int first = 0; first < 2; first++)
			if (strcmp(name[first], pairs[i].first) == 0 && strcmp(name[1 - first], pairs[i].second) == 0)
				return pairs[i].make(t, local[first], local[1 - first], steps, e);
	error_set(e, ERROR_INPUT, local[1]->name, "two must be a gather and a scatter, for an alltoall, or a reducescatter and an allgather, "
		  "for an allreduce, not %s and %s", name[0], name[1]);
	return NULL;
}

struct algorithm *distributed(const struct topology *t, struct algorithm *const *local, size_t n_local, int steps, struct error *e)
{
	for (size_t i = 0; i < n_local; i++)
		if (!is_of_copies(t, local[i], e))
			return NULL;
	return within_steps(n_local == 2 ? from_two(t, local, steps, e) : from_one(t, local[0], steps, e), steps, e);
}
