/*
 * From what a plan sends to a schedule in steps. A step is all that is so many hops away from inputs; the verifier says
 * whether that schedule computes the collective.
 */

#include "interop/plans/to_algorithm.h"

#include "interop/plans/balance.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"
#include "core/verify/verify.h"

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

/* For each chunk the last step that adds to it anywhere; what is copied later is whole. 0: none. Owned by the caller. */
static int *last_sums(const struct plan_log *log, int chunks)
{
	int *last = new_array(int, (size_t)chunks);

	for (size_t i = 0; i < log->n; i++)
		if (log->of[i].reduce && log->of[i].step > last[log->of[i].datum])
			last[log->of[i].datum] = log->of[i].step;
	return last;
}

/* Sorts, and drops what is there twice, and second copies of a whole chunk into a rank. Copies of a part of its sum remain: a rank may
 * get that of its box before it gets that of all. */
static void tidy(struct plan_log *log, int chunks, int ranks)
{
	char *has = new_array(char, (size_t)chunks * (size_t)ranks);
	int *last = last_sums(log, chunks);
	size_t n = 0;

	if (log->n)
		qsort(log->of, log->n, sizeof *log->of, by_step);
	for (size_t i = 0; i < log->n; i++) {
		const struct plan_send *s = &log->of[i];
		if (n && by_step(&log->of[n - 1], s) == 0)
			continue;
		char *there = &has[(size_t)s->datum * (size_t)ranks + (size_t)s->dst];
		bool whole = !s->reduce && s->step > last[s->datum];
		if (whole && *there)
			continue;
		*there |= whole;
		log->of[n++] = *s;
	}
	free(has);
	free(last);
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

void plan_log_add(struct plan_log *log, int step, int chunk, int src, int dst, bool reduce)
{
	log->of = grown(log->of, &log->capacity, log->n + 1, sizeof *log->of);
	log->of[log->n++] = (struct plan_send){step, chunk, src, dst, reduce};
}

struct algorithm *sends_to_algorithm(const char *path, struct plan_log *log, const struct topology *t, const struct collective *k, int chunks,
				     const int *rounds, size_t n_rounds, struct error *e)
{
	struct algorithm *a = NULL;
	struct network *w = NULL;

	if (!collective_check(k, t->nodes, chunks, e) || !(w = network_new(t, e)))
		return NULL;
	tidy(log, collective_global_chunks(k, t->nodes, chunks), t->nodes);
	size_t n_steps = rounds ? n_rounds : renumber(log);
	if (n_steps < 1 || n_steps > IMPORTED_STEPS_MAX)
		error_set(e, ERROR_INPUT, path, n_steps ? "has more than %d steps" : "sends nothing, or more than %d steps", IMPORTED_STEPS_MAX);
	else {
		struct verdict v;
		struct step *steps = steps_of(log, w, n_steps);
		for (size_t i = 0; rounds && i < n_steps; i++)
			steps[i].rounds = rounds[i];
		a = algorithm_new(t, k, chunks, n_steps, steps, "import");
		v = algorithm_verify(a);
		if (v.fault) {
			error_set(e, ERROR_INPUT, path, "is no schedule in steps on %.60s: %s", t->name, v.why);
			algorithm_free(a);
			a = NULL;
		} else if (!rounds)
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
		a = sends_to_algorithm(p->path, &log, t, &k, in, NULL, 0, e);
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
