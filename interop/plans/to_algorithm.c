/*
 * From what a plan sends to a schedule in steps. A step is all that is so many hops away from inputs; the verifier says
 * whether that schedule computes the collective.
 */

#include "interop/plans/to_algorithm.h"

#include "interop/plans/balance.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"
#include "core/verify/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOGGED_MAX = 1 << 22, IMPORTED_STEPS_MAX = 1 << 16 };

static const enum collective_kind kinds[PLAN_KINDS] = {
	[PLAN_ALLREDUCE] = ALLREDUCE, [PLAN_ALLGATHER] = ALLGATHER, [PLAN_REDUCESCATTER] = REDUCESCATTER, [PLAN_ALLTOALL] = ALLTOALL,
	[PLAN_BROADCAST] = BROADCAST, [PLAN_REDUCE] = REDUCE, [PLAN_OTHER] = COLLECTIVE_KINDS,
};

/* Our number of a datum; IN: cells of an input, P ranks. */
static int chunk_of(enum plan_kind kind, int datum, int in, int ranks)
{
	int block = in / ranks > 0 ? in / ranks : 1, rank = datum / in, place = datum % in;

	switch (kind) {
	case PLAN_ALLGATHER:
		return place * ranks + rank;
	case PLAN_REDUCESCATTER:
		return datum % block * ranks + datum / block;
	case PLAN_ALLTOALL:
		return (place % block * ranks + place / block) * ranks + rank;
	case PLAN_BROADCAST:
		return place;
	case PLAN_ALLREDUCE:
	case PLAN_REDUCE:
	case PLAN_OTHER:
	case PLAN_KINDS:
		break;
	}
	return datum;
}

static int by_step(const void *va, const void *vb)
{
	const struct plan_send *a = va, *b = vb;

	if (a->step != b->step)
		return a->step < b->step ? -1 : 1;
	if (a->reduce != b->reduce)
		return a->reduce ? 1 : -1;
	if (a->datum != b->datum)
		return a->datum < b->datum ? -1 : 1;
	return a->dst != b->dst ? (a->dst > b->dst) - (a->dst < b->dst) : (a->src > b->src) - (a->src < b->src);
}

/* Sorts, and drops what is there twice, and second copies of a chunk into a rank. */
static void tidy(struct plan_log *log, int chunks, int ranks)
{
	char *has = new_array(char, (size_t)chunks * (size_t)ranks);
	size_t n = 0;

	if (log->n)
		qsort(log->of, log->n, sizeof *log->of, by_step);
	for (size_t i = 0; i < log->n; i++) {
		const struct plan_send *s = &log->of[i];
		if (n && by_step(&log->of[n - 1], s) == 0)
			continue;
		char *there = &has[(size_t)s->datum * (size_t)ranks + (size_t)s->dst];
		if (!s->reduce && *there)
			continue;
		*there |= !s->reduce;
		log->of[n++] = *s;
	}
	free(has);
	log->n = n;
}

static int step_rounds(const struct network *w, const struct step *s, int64_t *loads)
{
	const struct send *lists[2] = {s->sends, s->reduces};
	size_t lengths[2] = {s->n_sends, s->n_reduces};

	memset(loads, 0, w->n_edges * sizeof *loads);
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < lengths[k]; i++) {
			int edge = network_edge(w, lists[k][i].src, lists[k][i].dst);
			if (edge >= 0)
				loads[edge]++;
		}
	int64_t rounds = network_rounds(w, loads);
	return rounds < 1 ? 1 : rounds > ROUNDS_MAX ? ROUNDS_MAX : (int)rounds;
}

static struct step *steps_of(const struct plan_log *log, const struct network *w, size_t n_steps)
{
	struct step *steps = new_array(struct step, n_steps);
	int64_t *loads = new_array(int64_t, w->n_edges);
	size_t at = 0;

	for (size_t k = 0; k < n_steps; k++) {
		size_t end = at, copies = at;
		while (end < log->n && log->of[end].step == (int)k + 1)
			copies += !log->of[end++].reduce;
		steps[k].n_sends = copies - at;
		steps[k].n_reduces = end - copies;
		steps[k].sends = new_array(struct send, steps[k].n_sends);
		steps[k].reduces = new_array(struct send, steps[k].n_reduces);
		for (size_t i = at; i < end; i++) {
			struct send s = {log->of[i].datum, log->of[i].src, log->of[i].dst};
			if (i < copies)
				steps[k].sends[i - at] = s;
			else
				steps[k].reduces[i - copies] = s;
		}
		steps[k].rounds = step_rounds(w, &steps[k], loads);
		at = end;
	}
	free(loads);
	return steps;
}

/* Steps in which nothing is sent any more are left out. */
static size_t renumber(struct plan_log *log)
{
	int last = 0;
	size_t steps = 0;

	for (size_t i = 0; i < log->n; i++) {
		if (log->of[i].step != last) {
			last = log->of[i].step;
			steps++;
		}
		log->of[i].step = (int)steps;
	}
	return steps;
}

/* A, or a schedule with fewer rounds that does the same; takes A. */
static struct algorithm *balanced(struct algorithm *a, struct plan_log *log, const struct network *w, int n_steps)
{
	sends_balance(log, w, n_steps);
	if (log->n)
		qsort(log->of, log->n, sizeof *log->of, by_step);
	struct algorithm *b = algorithm_new(a->topology, &a->collective, a->chunks, (size_t)n_steps, steps_of(log, w, (size_t)n_steps), "import");
	bool better = algorithm_rounds(b) < algorithm_rounds(a) && algorithm_verify(b).fault == FAULT_NONE;

	algorithm_free(better ? a : b);
	return better ? b : a;
}

/* LOG numbers data as chunks of ours by now. */
static struct algorithm *build(const char *path, struct plan_log *log, const struct topology *t, const struct collective *k, int chunks,
			       struct error *e)
{
	struct algorithm *a = NULL;
	struct network *w = NULL;

	if (!collective_check(k, t->nodes, chunks, e) || !(w = network_new(t, e)))
		return NULL;
	tidy(log, collective_global_chunks(k, t->nodes, chunks), t->nodes);
	size_t n_steps = renumber(log);
	if (n_steps < 1 || n_steps > IMPORTED_STEPS_MAX)
		error_set(e, ERROR_INPUT, path, n_steps ? "has more than %d steps" : "sends nothing, or more than %d steps", IMPORTED_STEPS_MAX);
	else {
		struct verdict v;
		a = algorithm_new(t, k, chunks, n_steps, steps_of(log, w, n_steps), "import");
		v = algorithm_verify(a);
		if (v.fault) {
			error_set(e, ERROR_INPUT, path, "is no schedule in steps on %.60s: %s", t->name, v.why);
			algorithm_free(a);
			a = NULL;
		} else
			a = balanced(a, log, w, (int)n_steps);
	}
	network_free(w);
	return a;
}

static struct algorithm *try_plan(const struct foreign_plan *p, const struct topology *t, bool late, struct error *e)
{
	struct text lines = {0};
	struct plan_faults f = {.lines = &lines};
	struct plan_log log = {.late = late};
	struct algorithm *a = NULL;
	struct collective k = {.kind = kinds[p->kind], .root = p->root};
	int in = plan_input_cells(p, p->kind == PLAN_BROADCAST ? p->root : 0);

	if (!plan_trace(p, !p->out_of_place, &log, &f, e))
		;
	else if (f.n)
		error_set(e, ERROR_INPUT, p->path, "is wrong; `sccl-synth lint` says where");
	else if (log.two_values)
		error_set(e, ERROR_INPUT, p->path, "keeps two sums of a chunk apart at a rank, which no schedule here says; `sccl-synth lint` checks it");
	else if (log.n > LOGGED_MAX || in < 1)
		error_set(e, ERROR_LIMIT, p->path, "sends too much, or has no input");
	else {
		for (size_t i = 0; i < log.n; i++)
			log.of[i].datum = chunk_of(p->kind, log.of[i].datum, in, p->ranks);
		a = build(p->path, &log, t, &k, in, e);
	}
	free(log.of);
	text_free(&lines);
	return a;
}

/* A root is not in the file: the first with which nothing is wrong. */
static int find_root(const struct foreign_plan *p)
{
	struct foreign_plan copy = *p;

	for (copy.root = 0; (p->kind == PLAN_BROADCAST || p->kind == PLAN_REDUCE) && copy.root < p->ranks; copy.root++) {
		struct text lines = {0};
		struct plan_faults f = {.lines = &lines};
		struct error e = {0};
		bool right = plan_play(&copy, !p->out_of_place, PLAN_DEEP, &f, &e) && f.n == 0;
		text_free(&lines);
		if (right)
			return copy.root;
	}
	return 0;
}

struct algorithm *plan_to_algorithm(const struct foreign_plan *p, const struct topology *t, struct error *e)
{
	struct foreign_plan copy = *p;
	struct error first = {0};

	if (kinds[p->kind] == COLLECTIVE_KINDS) {
		error_set(e, ERROR_INPUT, p->path, "is for \"%.40s\", which is no collective here", p->collective);
		return NULL;
	}
	if (t->nodes != p->ranks) {
		error_set(e, ERROR_INPUT, p->path, "is for %d ranks and %.60s has %d nodes", p->ranks, t->name, t->nodes);
		return NULL;
	}
	copy.root = find_root(p);
	struct algorithm *a = try_plan(&copy, t, false, &first);
	if (!a && first.kind == ERROR_INPUT)
		a = try_plan(&copy, t, true, &(struct error){0});
	if (!a)
		*e = first;
	return a;
}

/* ---- TE-CCL ---- */

/* "Chunk 0 from 4 traveled over 4->7 in epoch 0": node numbers count its switches, so ranks are places in the list of nodes. */
struct te_ccl_flow {
	int chunk, origin, src, dst, epoch;
};

static int by_epoch(const void *va, const void *vb)
{
	const struct te_ccl_flow *a = va, *b = vb;
	return (a->epoch > b->epoch) - (a->epoch < b->epoch);
}

static bool read_gpus(const struct json_place *demand, int nodes, int *rank_of, int limit, struct error *e)
{
	const char *key;
	json_t *value;
	int ranks = 0, id;
	char rest;

	for (int i = 0; i < limit; i++)
		rank_of[i] = -1;
	if (!json_is_object(demand->value))
		return json_fault(demand, e, "must be an object");
	json_object_foreach(demand->value, key, value) {
		if (sscanf(key, "GPU %d%c", &id, &rest) != 1 || id < 0 || id >= limit)
			return json_fault(demand, e, "has the key \"%.20s\"", key);
		rank_of[id] = 0;
	}
	for (int i = 0; i < limit; i++)
		if (rank_of[i] == 0)
			rank_of[i] = ranks++;
	return ranks == nodes || json_fault(demand, e, "is for %d GPUs and the machine has %d nodes", ranks, nodes);
}

enum { TE_CCL_NODES_MAX = 4096, TE_CCL_CHUNKS_MAX = 1024 };

static bool read_flows(const struct json_place *list, const int *rank_of, struct te_ccl_flow **out, size_t *n, int *chunks, struct error *e)
{
	if (!json_array_length(list, n, e))
		return false;
	*out = new_array(struct te_ccl_flow, *n);
	for (size_t i = 0; i < *n; i++) {
		struct json_place one = json_element(list, i);
		struct te_ccl_flow *f = &(*out)[i];
		const char *s;
		if (!json_get_string(&one, &s, e))
			return false;
		if (sscanf(s, "Chunk %d from %d traveled over %d->%d in epoch %d", &f->chunk, &f->origin, &f->src, &f->dst, &f->epoch) != 5 ||
		    f->chunk < 0 || f->chunk >= TE_CCL_CHUNKS_MAX || f->origin < 0 || f->origin >= TE_CCL_NODES_MAX || f->src < 0 ||
		    f->src >= TE_CCL_NODES_MAX || f->dst < 0 || f->dst >= TE_CCL_NODES_MAX || rank_of[f->origin] < 0 || rank_of[f->src] < 0 ||
		    rank_of[f->dst] < 0)
			return json_fault(&one, e, "is not the way of a chunk between GPUs");
		f->origin = rank_of[f->origin];
		f->src = rank_of[f->src];
		f->dst = rank_of[f->dst];
		*chunks = f->chunk + 1 > *chunks ? f->chunk + 1 : *chunks;
	}
	if (*n)
		qsort(*out, *n, sizeof **out, by_epoch);
	return true;
}

/* Hops from its origin at which each rank gets a chunk; flows of later epochs may wait for earlier ones only. */
static struct algorithm *gather(const char *path, const struct te_ccl_flow *flows, size_t n, int chunks, const struct topology *t, struct error *e)
{
	const struct collective k = {.kind = ALLGATHER};
	int *level = new_array(int, (size_t)chunks * (size_t)t->nodes * (size_t)t->nodes);
	struct plan_log log = {0};
	struct algorithm *a = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct te_ccl_flow *f = &flows[i];
		int *of = &level[((size_t)f->chunk * (size_t)t->nodes + (size_t)f->origin) * (size_t)t->nodes];
		if (f->dst == f->origin || of[f->dst] || (f->src != f->origin && !of[f->src]))
			continue;
		of[f->dst] = of[f->src] + 1;
		log.of = grown(log.of, &log.capacity, log.n + 1, sizeof *log.of);
		log.of[log.n++] = (struct plan_send){of[f->dst], f->chunk * t->nodes + f->origin, f->src, f->dst, false};
	}
	a = build(path, &log, t, &k, chunks, e);
	free(log.of);
	free(level);
	return a;
}

struct algorithm *te_ccl_to_algorithm(const char *path, const char *bytes, const struct topology *t, struct error *e)
{
	struct json_document *d = json_document_parse(bytes, path, e);
	int *rank_of = new_array(int, TE_CCL_NODES_MAX), chunks = 1;
	struct te_ccl_flow *flows = NULL;
	struct algorithm *a = NULL;
	size_t n;

	if (d) {
		struct json_place top = json_top(d), demand, list = json_member(&top, "7-Flows");
		if (!list.value)
			error_set(e, ERROR_INPUT, path, "lacks \"7-Flows\": fractions of chunks, as of alltoall by linear programs, are no schedule in steps");
		else if (json_member_needed(&top, "6-Demand_Met", &demand, e) && read_gpus(&demand, t->nodes, rank_of, TE_CCL_NODES_MAX, e) &&
			 read_flows(&list, rank_of, &flows, &n, &chunks, e))
			a = gather(path, flows, n, chunks, t, e);
	}
	json_document_close(d);
	free(rank_of);
	free(flows);
	return a;
}
