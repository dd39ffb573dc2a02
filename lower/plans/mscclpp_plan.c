/*
 * From a schedule to ops of MSCCL++, step by step. A rank puts what it sends in a step, in ranges of adjacent chunks;
 * then threads meet and it signals; the receiver waits. Sums that arrive in a step go to scratch, and once all blocks of
 * the rank have met, each chunk is added up by one of them. Nothing is written to a place that somebody may still read:
 * partial sums are in scratch where the result arrives later, and a rank signals that it has begun before anyone writes
 * into its memory. With packets there are neither signals nor waits: a reader waits for the data itself, everything
 * that arrives is in scratch, in places of its own, and MSCCL++ changes halves of scratch from call to call.
 */

#include "lower/plans/mscclpp_plan.h"

#include "lower/lower.h"
#include "lower/program/build.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"
#include "core/verify/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The collectives that MSCCL++ serves. */
static const char *const names[COLLECTIVE_KINDS] = {
	[ALLGATHER] = "allgather", [BROADCAST] = "broadcast", [ALLTOALL] = "alltoall", [REDUCESCATTER] = "reducescatter", [ALLREDUCE] = "allreduce",
};

enum { PARTS_MAX = 64 };

/* The value of a chunk at a rank. */
struct pp_value {
	bool held;
	bool packets;          /* it is packets in scratch */
	bool arrives_last;     /* the last that happens to it is that a copy arrives */
	bool changes;          /* anything arrives at all */
	struct pp_place at;
	bool copied;           /* a copy arrived in this step */
	struct pp_place copy;
	int n_arrived;         /* parts that arrived in this step, to be added */
	size_t capacity;
	struct pp_place *arrived; /* owned */
};

struct pp_planner {
	const struct algorithm *a;
	const struct mscclpp_options *o;
	int ranks;
	struct pp_rank *of;
	struct pp_value *values; /* [chunk * ranks + rank] */
	int *last_step;          /* [rank]: the last in which it sends, or adds up */
	const char *obstacle;    /* why there is no plan; NULL: nothing */
};

static struct pp_value *value_of(const struct pp_planner *l, int chunk, int rank)
{
	return &l->values[(size_t)chunk * (size_t)l->ranks + (size_t)rank];
}

static bool output_of(const struct pp_planner *l, int chunk, int rank, struct pp_place *at)
{
	struct chunk_place place;

	if (!collective_output(&l->a->collective, l->ranks, l->a->chunks, chunk, rank, &place))
		return false;
	*at = (struct pp_place){PP_OUTPUT, place.block * place.parts + place.part};
	return true;
}

static struct pp_place new_scratch(struct pp_planner *l, int rank)
{
	return (struct pp_place){PP_SCRATCH, l->of[rank].chunks[PP_SCRATCH]++};
}

static struct pp_block *add_block(struct pp_planner *l, int rank, int peer)
{
	struct pp_rank *r = &l->of[rank];

	r->blocks = realloc(r->blocks, ((size_t)r->n + 1) * sizeof *r->blocks);
	if (!r->blocks)
		memory_out();
	r->blocks[r->n] = (struct pp_block){.peer = peer, .id = {-1, -1, -1}};
	if (peer >= 0)
		r->block_of[peer] = r->n;
	return &r->blocks[r->n++];
}

/* A block for each pair that communicates, at both ends, in the order of peers. */
static void add_blocks(struct pp_planner *l, const struct pushes *pushes)
{
	char *joined = new_array(char, (size_t)l->ranks * (size_t)l->ranks);

	for (size_t i = 0; i < pushes->n; i++) {
		joined[pushes->of[i].src * l->ranks + pushes->of[i].dst] = 1;
		joined[pushes->of[i].dst * l->ranks + pushes->of[i].src] = 1;
	}
	for (int r = 0; r < l->ranks; r++) {
		l->of[r].block_of = new_array(int, (size_t)l->ranks);
		for (int p = 0; p < l->ranks; p++) {
			l->of[r].block_of[p] = -1;
			if (joined[r * l->ranks + p])
				add_block(l, r, p);
		}
		if (l->of[r].n == 0)
			add_block(l, r, -1);
	}
	free(joined);
}

static void start_values(struct pp_planner *l, const struct pushes *pushes)
{
	struct chunk_place place;

	for (int c = 0; c < l->a->global_chunks; c++)
		for (int r = 0; r < l->ranks; r++) {
			struct pp_place out;
			l->of[r].chunks[PP_OUTPUT] += output_of(l, c, r, &out);
			if (!collective_input(&l->a->collective, l->ranks, l->a->chunks, c, r, &place))
				continue;
			l->of[r].chunks[PP_INPUT]++;
			value_of(l, c, r)->held = true;
			value_of(l, c, r)->at = (struct pp_place){PP_INPUT, place.block * place.parts + place.part};
		}
	for (size_t i = 0; i < pushes->n; i++) {
		const struct push *p = &pushes->of[i];
		struct pp_value *v = value_of(l, p->chunk, p->dst);
		v->changes = true;
		v->arrives_last = !p->reduce;
		l->last_step[p->src] = p->step;
		if (p->reduce)
			l->last_step[p->dst] = p->step;
	}
}

/* All blocks of the rank meet; a single one's threads do. */
static void meet(struct pp_rank *r)
{
	for (int b = 0; b < r->n; b++) {
		if (r->n > 1)
			pp_barrier(&r->blocks[b], r->n);
		else
			pp_plain(&r->blocks[b], "nop");
	}
}

/* Where a sum of the chunk is stored: in the output, unless the result arrives there later. */
static struct pp_place sum_place(struct pp_planner *l, int chunk, int rank)
{
	struct pp_value *v = value_of(l, chunk, rank);
	struct pp_place out;

	if (!l->o->staged && !v->arrives_last && output_of(l, chunk, rank, &out))
		return out;
	if (v->at.buffer == PP_SCRATCH && !v->packets)
		return v->at;
	out = new_scratch(l, rank);
	out.at *= l->o->packets ? 2 : 1; /* packets take twice the room: as other data, a place is the first half of one for packets */
	return out;
}

static int range_order(const void *va, const void *vb)
{
	const struct pp_range *a = va, *b = vb;

	if (a->from.buffer != b->from.buffer)
		return a->from.buffer < b->from.buffer ? -1 : 1;
	if (a->to.buffer != b->to.buffer)
		return a->to.buffer < b->to.buffer ? -1 : 1;
	return a->from.at != b->from.at ? (a->from.at > b->from.at) - (a->from.at < b->from.at) : a->to.at - b->to.at;
}

/* Joins ranges that are adjacent at both ends; returns how many are left. */
static int join_ranges(struct pp_range *ranges, int n)
{
	int left = 0;

	qsort(ranges, (size_t)n, sizeof *ranges, range_order);
	for (int i = 0; i < n; i++) {
		struct pp_range *last = left ? &ranges[left - 1] : NULL;
		if (last && last->from.buffer == ranges[i].from.buffer && last->to.buffer == ranges[i].to.buffer &&
		    last->from.at + last->n == ranges[i].from.at && last->to.at + last->n == ranges[i].to.at)
			last->n += ranges[i].n;
		else
			ranges[left++] = ranges[i];
	}
	return left;
}

/* A push as a range, and what becomes of the value at its destination. With packets, what arrives is in scratch. */
static struct pp_range take_push(struct pp_planner *l, const struct push *p, bool *from_packets)
{
	const struct pp_value *from = value_of(l, p->chunk, p->src);
	struct pp_value *to = value_of(l, p->chunk, p->dst);
	struct pp_place place;

	*from_packets = from->packets;
	if (l->o->packets || l->o->staged || p->reduce || !output_of(l, p->chunk, p->dst, &place))
		place = new_scratch(l, p->dst);
	if (!p->reduce) {
		to->copied = true;
		to->copy = place;
	} else if (to->n_arrived < PARTS_MAX) {
		to->arrived = grown(to->arrived, &to->capacity, (size_t)to->n_arrived + 1, sizeof *to->arrived);
		to->arrived[to->n_arrived++] = place;
	} else
		l->obstacle = "more than 64 parts of a chunk arrive in one step; plans for MSCCL++ add up fewer";
	return (struct pp_range){from->at, place, 1};
}

/* The sends of one rank to one peer in a step: ranges of packets first, which are passed on as they are. */
static void send_ranges(struct pp_block *b, struct pp_range *ranges, int n, const char *name)
{
	int limit = strcmp(name, "rppkt") == 0 ? 1 : MSCCLPP_PLACES_MAX; /* rppkt reads one range */

	n = n ? join_ranges(ranges, n) : 0;
	for (int i = 0; i < n;) {
		int end = i + 1;
		while (end < n && end - i < limit && ranges[end].from.buffer == ranges[i].from.buffer)
			end++;
		pp_send(b, name, &ranges[i], end - i);
		i = end;
	}
}

static void send_to(struct pp_planner *l, const struct pushes *pushes, size_t begin, size_t end, int src, int dst)
{
	struct pp_range *plain = new_array(struct pp_range, end - begin), *packets = new_array(struct pp_range, end - begin);
	int n_plain = 0, n_packets = 0;
	bool from_packets;

	for (size_t i = begin; i < end; i++) {
		if (pushes->of[i].src != src || pushes->of[i].dst != dst)
			continue;
		struct pp_range r = take_push(l, &pushes->of[i], &from_packets);
		if (from_packets)
			packets[n_packets++] = r;
		else
			plain[n_plain++] = r;
	}
	if (n_plain + n_packets) {
		struct pp_block *b = &l->of[src].blocks[l->of[src].block_of[dst]], *other = &l->of[dst].blocks[l->of[dst].block_of[src]];
		send_ranges(b, plain, n_plain, l->o->packets ? "ppkt" : "put");
		send_ranges(b, packets, n_packets, "rppkt");
		if (!l->o->packets) {
			pp_plain(b, "nop");
			pp_signal(b, "signal");
			other->waits = true;
		}
	}
	free(plain);
	free(packets);
}

/* A sum that is made now: adjacent chunks whose places are all adjacent are added up by one op. */
struct pp_sum {
	bool unpacks;            /* the value so far is PACKETS: it is unpacked to where the sum is stored, and there added to */
	struct pp_place packets;
	int n, n_sources;
	struct pp_place sources[PARTS_MAX + 1], to;
};

static bool follows(const struct pp_sum *a, const struct pp_sum *b)
{
	bool adjacent = a->n_sources == b->n_sources && a->to.buffer == b->to.buffer && a->to.at + a->n == b->to.at &&
			a->unpacks == b->unpacks && (!a->unpacks || a->packets.at + a->n == b->packets.at);

	for (int i = 0; adjacent && i < a->n_sources; i++)
		adjacent = a->sources[i].buffer == b->sources[i].buffer && a->sources[i].at + a->n == b->sources[i].at;
	return adjacent;
}

static void emit_sum(struct pp_planner *l, int rank, const struct pp_sum *s, int *turn)
{
	struct pp_block *b = &l->of[rank].blocks[*turn % l->of[rank].n];

	if (!s->n)
		return;
	if (s->unpacks) /* each thread unpacks what it then adds to */
		pp_store(b, "upkt", &s->packets, 1, s->to, s->n);
	for (int i = 1; i < s->n_sources; i += MSCCLPP_PLACES_MAX) { /* so many at once; each thread goes on with its own sums */
		struct pp_place some[MSCCLPP_PLACES_MAX + 1] = {i == 1 ? s->sources[0] : s->to};
		int n = s->n_sources - i < MSCCLPP_PLACES_MAX ? s->n_sources - i : MSCCLPP_PLACES_MAX;
		memcpy(some + 1, s->sources + i, (size_t)n * sizeof *some);
		pp_store(b, l->o->packets ? "repkt" : "re", some, n + 1, s->to, s->n);
	}
	(*turn)++;
}

/* Adds up what arrived at a rank. True: there were sums. */
static bool add_up(struct pp_planner *l, int rank)
{
	struct pp_sum now = {0};
	int turn = 0;

	for (int c = 0; c < l->a->global_chunks; c++) {
		struct pp_value *v = value_of(l, c, rank);
		if (v->n_arrived == 0)
			continue;
		struct pp_sum one = {.unpacks = v->packets, .packets = v->at, .n = 1, .n_sources = v->n_arrived + 1, .to = sum_place(l, c, rank)};
		one.sources[0] = v->packets ? one.to : v->at;
		v->packets = false;
		memcpy(one.sources + 1, v->arrived, (size_t)v->n_arrived * sizeof *v->arrived);
		if (now.n && follows(&now, &one))
			now.n++;
		else {
			emit_sum(l, rank, &now, &turn);
			now = one;
		}
		v->at = one.to;
		v->n_arrived = 0;
	}
	emit_sum(l, rank, &now, &turn);
	return turn > 0;
}

/* What arrived by copies is the value from now on; where nothing was held, the first part that arrived is. */
static void take_copies(struct pp_planner *l, int rank)
{
	for (int c = 0; c < l->a->global_chunks; c++) {
		struct pp_value *v = value_of(l, c, rank);
		if (!v->copied && (v->held || v->n_arrived == 0))
			continue;
		v->packets = l->o->packets;
		v->at = v->copied ? v->copy : v->arrived[--v->n_arrived];
		v->held = true;
		v->copied = false;
	}
}

/* One step: sends, signals, waits, then sums. */
static void take_step(struct pp_planner *l, const struct pushes *pushes, size_t begin, size_t end)
{
	int step = pushes->of[begin].step;

	for (int src = 0; src < l->ranks; src++)
		for (int dst = 0; dst < l->ranks; dst++)
			if (l->of[src].block_of[dst] >= 0)
				send_to(l, pushes, begin, end, src, dst);
	for (int r = 0; r < l->ranks; r++) {
		bool waited = false, sums = false;
		for (int b = 0; b < l->of[r].n; b++) {
			if (l->of[r].blocks[b].waits)
				pp_signal(&l->of[r].blocks[b], "wait");
			waited |= l->of[r].blocks[b].waits;
			l->of[r].blocks[b].waits = false;
		}
		take_copies(l, r);
		for (int c = 0; c < l->a->global_chunks; c++)
			sums |= value_of(l, c, r)->n_arrived > 0;
		if (sums)
			meet(&l->of[r]); /* with packets too: a sum may replace what another block still sends */
		sums = add_up(l, r);
		if ((sums || waited) && l->last_step[r] > step)
			meet(&l->of[r]);
	}
}

/* Values that no send brings: own input that is wanted, sums elsewhere, packets. */
static void store_outputs(struct pp_planner *l, int rank, bool first)
{
	struct pp_rank *r = &l->of[rank];
	struct pp_sum now = {0};
	bool met = false, unpacks = false;
	int turn = 0;

	for (int c = 0; c < l->a->global_chunks; c++) {
		struct pp_value *v = value_of(l, c, rank);
		struct pp_place out;
		if (!output_of(l, c, rank, &out) || !v->held || v->changes == first)
			continue;
		bool there = !v->packets && v->at.buffer == PP_OUTPUT && v->at.at == out.at;
		if (there || (l->o->in_place && !v->packets && v->at.buffer == PP_INPUT))
			continue;
		if (!first && !met && (!v->packets || l->o->in_place)) {
			meet(r);
			met = true;
		}
		struct pp_sum one = {.n = 1, .n_sources = 1, .sources = {v->at}, .to = out};
		if (now.n && unpacks == v->packets && follows(&now, &one)) {
			now.n++;
			continue;
		}
		if (now.n)
			pp_store(&r->blocks[turn++ % r->n], unpacks ? "upkt" : "copy", now.sources, 1, now.to, now.n);
		now = one;
		unpacks = v->packets;
	}
	if (now.n)
		pp_store(&r->blocks[turn++ % r->n], unpacks ? "upkt" : "copy", now.sources, 1, now.to, now.n);
}

/* Everyone tells those who write into its memory that it has begun. */
static void greet(struct pp_planner *l)
{
	for (int r = 0; r < l->ranks; r++)
		for (int b = 0; b < l->of[r].n; b++) {
			if (l->of[r].blocks[b].peer < 0)
				continue;
			pp_signal(&l->of[r].blocks[b], "signal");
			pp_signal(&l->of[r].blocks[b], "wait");
			pp_plain(&l->of[r].blocks[b], "nop");
		}
}

static void plan_all(struct pp_planner *l, const struct pushes *pushes)
{
	if (!l->o->packets)
		greet(l);
	for (int r = 0; r < l->ranks; r++)
		store_outputs(l, r, true);
	for (size_t begin = 0, end = 0; begin < pushes->n; begin = end) {
		while (end < pushes->n && pushes->of[end].step == pushes->of[begin].step)
			end++;
		take_step(l, pushes, begin, end);
	}
	for (int r = 0; r < l->ranks; r++)
		store_outputs(l, r, false);
}

static bool fits(const struct pp_planner *l, struct error *e)
{
	if (l->obstacle)
		return error_set(e, ERROR_INPUT, l->a->name, "%s", l->obstacle);
	for (int r = 0; r < l->ranks; r++) {
		char where[sizeof e->where];
		snprintf(where, sizeof where, "%.400s: rank %d", l->a->name, r);
		int blocks = 0;
		for (int b = 0; b < l->of[r].n; b++)
			blocks += pp_segments(&l->of[r].blocks[b]);
		if (blocks > MSCCLPP_BLOCKS_MAX)
			return error_set(e, ERROR_INPUT, where, "%d thread blocks; at most %d surely run at once on a GPU", blocks, MSCCLPP_BLOCKS_MAX);
		if (blocks - l->of[r].n > PP_SEMAPHORES_MAX)
			return error_set(e, ERROR_INPUT, where, "thread blocks of more than %d ops are cut at %d places; MSCCL++ has %d semaphores for that",
					 PP_OPS_MAX, blocks - l->of[r].n, PP_SEMAPHORES_MAX);
	}
	return true;
}

/* MSCCL++ divides by each rank's numbers of chunks, so ranks without a buffer state those of the others. */
static void level_chunks(struct pp_planner *l)
{
	for (int k = PP_INPUT; k <= PP_OUTPUT; k++) {
		int most = 0;
		for (int r = 0; r < l->ranks; r++)
			most = l->of[r].chunks[k] > most ? l->of[r].chunks[k] : most;
		for (int r = 0; r < l->ranks; r++)
			l->of[r].chunks[k] = most;
	}
}

static bool export_pushes(const struct algorithm *a, const struct pushes *pushes, const struct mscclpp_options *o, struct text *into, struct error *e)
{
	struct pp_planner l = {.a = a, .o = o, .ranks = a->topology->nodes};
	size_t ranks = (size_t)l.ranks;

	l.of = new_array(struct pp_rank, ranks);
	l.values = new_array(struct pp_value, (size_t)a->global_chunks * ranks);
	l.last_step = new_array(int, ranks);
	add_blocks(&l, pushes);
	start_values(&l, pushes);
	level_chunks(&l);
	if (o->packets || !mscclpp_through_switches(a, o, pushes, l.of))
		plan_all(&l, pushes);
	bool ok = fits(&l, e);
	if (ok)
		mscclpp_write(&(struct mscclpp_plan){a->name, names[a->collective.kind], l.ranks, l.of}, o, into);
	for (int r = 0; r < l.ranks; r++) {
		for (int b = 0; b < l.of[r].n; b++) {
			text_free(&l.of[r].blocks[b].ops);
			free(l.of[r].blocks[b].begins);
		}
		free(l.of[r].blocks);
		free(l.of[r].block_of);
	}
	free(l.of);
	for (size_t i = 0; i < (size_t)a->global_chunks * ranks; i++)
		free(l.values[i].arrived);
	free(l.values);
	free(l.last_step);
	return ok;
}

bool mscclpp_export(const struct algorithm *a, const struct mscclpp_options *o, struct text *into, struct error *e)
{
	if (!lower_fits(a, e))
		return false;
	if (!names[a->collective.kind])
		return error_set(e, ERROR_INPUT, a->name, "MSCCL++ has no %s collective", collective_name(&a->collective));
	if ((size_t)a->global_chunks * (size_t)a->topology->nodes > LOWERED_SENDS_MAX)
		return error_set(e, ERROR_LIMIT, a->name, "has too many chunks for a plan");
	struct verdict v = algorithm_verify(a);
	if (v.fault)
		return error_set(e, ERROR_INPUT, a->name, "does not verify: %s", v.why);
	struct pushes pushes = pushes_live(a);
	bool ok = export_pushes(a, &pushes, o, into, e);
	free(pushes.of);
	return ok;
}
