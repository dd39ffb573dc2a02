/*
 * A plan through switch channels: `glres` loads the sum of what all ranks have at a place and stores it to all of them, `gstore`
 * stores to all. So an allreduce is served if each chunk is summed up at one rank, which then multicasts it, or at all
 * ranks alike, which one of them does for the others here; an allgather or broadcast, if each chunk is one multicast. All
 * else is that ranks meet before and after.
 */

#include "lower/plans/mscclpp_plan.h"

#include "lower/program/build.h"

#include "core/base/memory.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"

#include <stdlib.h>

/* How a chunk is sent. */
struct pp_use {
	int sums, copies;        /* pushes of it */
	int sum_step, copy_step; /* the step of all of them; -1: there are several */
	int sum_at, copy_from;   /* the rank of all of them; -1: there are several */
};

static void note(int *of, int value, bool first)
{
	*of = first || *of == value ? value : -1;
}

static struct pp_use *uses_of(const struct algorithm *a, const struct pushes *pushes)
{
	struct pp_use *uses = new_array(struct pp_use, (size_t)a->global_chunks);

	for (size_t i = 0; i < pushes->n; i++) {
		const struct push *p = &pushes->of[i];
		struct pp_use *u = &uses[p->chunk];
		if (p->reduce) {
			note(&u->sum_step, p->step, !u->sums);
			note(&u->sum_at, p->dst, !u->sums++);
		} else {
			note(&u->copy_step, p->step, !u->copies);
			note(&u->copy_from, p->src, !u->copies++);
		}
	}
	return uses;
}

/* The rank whose switch ops bring the chunk to all; -1: that is not what happens to it. */
static int owner_of(const struct algorithm *a, const struct pp_use *u, int chunk)
{
	int n = a->topology->nodes;
	bool multicast = u->copies == n - 1 && u->copy_step >= 0 && u->copy_from >= 0;

	if (a->collective.kind != ALLREDUCE)
		return multicast && !u->sums ? u->copy_from : -1;
	if (u->sum_step < 0)
		return -1;
	if (u->sums == n * (n - 1) && !u->copies)
		return chunk % n;
	return u->sums == n - 1 && u->sum_at >= 0 && multicast && u->copy_from == u->sum_at && u->copy_step > u->sum_step ? u->sum_at : -1;
}

static bool serves(const struct algorithm *a, const struct pushes *pushes, int *owners)
{
	struct pp_use *uses = uses_of(a, pushes);
	bool ok = true;

	for (int c = 0; ok && c < a->global_chunks; c++) {
		owners[c] = owner_of(a, &uses[c], c);
		ok = owners[c] >= 0;
	}
	free(uses);
	return ok;
}

/* All blocks of a rank meet; a single one's threads do. */
static void meet(struct pp_rank *r)
{
	for (int b = 0; b < r->n; b++) {
		if (r->n > 1)
			pp_barrier(&r->blocks[b], r->n);
		else
			pp_plain(&r->blocks[b], "nop");
	}
}

/* Every rank tells every other that it is here, and waits for all. */
static void meet_ranks(struct pp_rank *r)
{
	for (int b = 0; b < r->n; b++) {
		pp_signal(&r->blocks[b], "signal");
		pp_signal(&r->blocks[b], "wait");
	}
}

static int place_of(const struct algorithm *a, int chunk, int rank, bool output)
{
	struct chunk_place at;
	bool there = (output ? collective_output : collective_input)(&a->collective, a->topology->nodes, a->chunks, chunk, rank, &at);

	return there ? at.block * at.parts + at.part : -1;
}

/* The ops of a rank: chunks that are adjacent at both ends in one. */
static void add_ops(const struct algorithm *a, const int *owners, int rank, bool sums, struct pp_rank *r)
{
	int from = -1, to = -1, n = 0, turn = 0, into = r->n_switched - 1;

	for (int c = 0; c <= a->global_chunks; c++) {
		bool own = c < a->global_chunks && owners[c] == rank;
		int next_from = own ? place_of(a, c, rank, false) : -1, next_to = own ? place_of(a, c, rank, true) : -1;
		if (own && n && next_from == from + n && next_to == to + n) {
			n++;
			continue;
		}
		if (c < a->global_chunks && !own)
			continue;
		if (n)
			pp_switch(&r->blocks[turn++ % r->n], sums ? 0 : -1, (struct pp_place){PP_INPUT, from}, into, to, n);
		from = next_from;
		to = next_to;
		n = own;
	}
}

bool mscclpp_through_switches(const struct algorithm *a, const struct mscclpp_options *o, const struct pushes *pushes, struct pp_rank *r)
{
	bool sums = a->collective.kind == ALLREDUCE;
	int *owners = new_array(int, (size_t)a->global_chunks), n = a->topology->nodes;
	bool fits = topology_has_abilities(a->topology) && (sums || a->collective.kind == ALLGATHER || a->collective.kind == BROADCAST);

	fits = fits && serves(a, pushes, owners);
	for (int c = 0; fits && c < a->global_chunks; c++)
		fits = r[owners[c]].n == n - 1; /* a block for each other rank, to meet it */
	for (int k = 0; fits && k < n; k++) {
		if (sums)
			r[k].switched[r[k].n_switched++] = PP_INPUT;
		if (!sums || !o->in_place)
			r[k].switched[r[k].n_switched++] = PP_OUTPUT;
		for (int b = 0; b < r[k].n; b++)
			r[k].blocks[b].switched = true; /* the same list for all */
		meet_ranks(&r[k]);
		meet(&r[k]);
		add_ops(a, owners, k, sums, &r[k]);
		meet(&r[k]);
		meet_ranks(&r[k]);
	}
	free(owners);
	return fits;
}
