/*
 * Runs a program on copy engines. The calling thread translates the rank's words into work on streams: the main stream
 * carries waits, offers and local copies; lanes carry the copies and signals to the peers that share them. Reductions are
 * small kernels in the main stream. Chunks may be split into pieces with flags of their own, so that one link carries a
 * piece while the next link carries the one before (Blink, MLSys 2020, section 4.2.1): wave w executes step w of the first
 * piece, step w - 1 of the second, and so on, and all lanes are joined with the main stream at the end of each wave.
 */
#include "runtime/gpu/engines.h"

#include "runtime/core/agree.h"
#include "runtime/gpu/engine_lanes.h"
#include "runtime/gpu/engine_sums.h"
#include "runtime/core/status.h"

#include <stdbool.h>
#include <stdlib.h>

struct engines {
	struct sccl_plan *plan;
	uint32_t pieces;     /* the most that a call may have */
	const uint32_t **at; /* [pieces]: the next word of each, during a call */
	struct symmetric flags;
	uint64_t epoch;
	struct lanes *lanes;
	uint32_t *lane_of; /* [ranks]: which lane leads to a peer */
	struct local_sums sums;
	struct engines *next, **link;
};

/* The state of one call. */
struct engine_cursor {
	struct engines *e;
	const struct unit *unit;
	sccl_block_t x;
	uint32_t piece;
	sccl_stream_t main;
	uint64_t version; /* of the main stream: incremented whenever work is added to it */
	const sccl_launch_t *kernel; /* for reductions */
	size_t sums, aside;          /* reductions so far, and those of them whose result lies in a slot of its own */
	bool over;                   /* the output lies over the input, in a program that reduces */
	sccl_status_t status;
};

static size_t flags_size(const struct engines *e, uint32_t ranks)
{
	return SCCL_FLAGS_SIZE(ranks, e->pieces);
}

static uint64_t *flag(const struct engine_cursor *k, uint32_t owner, uint32_t kind, uint32_t source)
{
	return (uint64_t *)(void *)(k->e->flags.bases[owner] +
				    SCCL_FLAG_OFFSET(kind, source, k->piece, k->x.env->ranks, k->e->pieces));
}

static bool ok(struct engine_cursor *k, sccl_status_t status)
{
	k->status = k->status == SCCL_OK ? status : k->status;
	return k->status == SCCL_OK;
}

/* The lane to PEER, ordered after all work in the main stream; NULL: the main stream itself. */
static struct lane *lane_to(struct engine_cursor *k, uint32_t peer)
{
	struct lane *l = k->e->lanes->n ? &k->e->lanes->of[k->e->lane_of[peer]] : NULL;

	if (!l)
		return NULL;
	if (l->seen != k->version)
		ok(k, k->unit->device->lane_after(k->unit, l->stream, k->main));
	l->seen = k->version;
	return l;
}

/* Makes the main stream wait for all work in the lanes. */
static void join(struct engine_cursor *k)
{
	for (uint32_t i = 0; i < k->e->lanes->n; i++) {
		struct lane *l = &k->e->lanes->of[i];
		if (l->dirty)
			ok(k, k->unit->device->lane_after(k->unit, k->main, l->stream));
		l->dirty = l->hot = false;
	}
	k->version++;
}

static void await(struct engine_cursor *k, uint32_t state, uint32_t peer, uint64_t *at, uint64_t value)
{
	ok(k, k->unit->device->await(k->unit, &k->x, state, peer, at, value, k->main));
	k->version++;
}

static const uint32_t *offer(struct engine_cursor *k, const uint32_t *w)
{
	ok(k, k->unit->device->post(k->unit, flag(k, w[1], SCCL_READY, k->x.env->rank), k->x.epoch + 1, k->main));
	return w + SCCL_FLAG_WORDS;
}

static const uint32_t *credit(struct engine_cursor *k, const uint32_t *w)
{
	await(k, SCCL_WAITS_FOR_READY, w[1], flag(k, k->x.env->rank, SCCL_READY, w[1]), k->x.epoch + 1);
	return w + SCCL_FLAG_WORDS;
}

static const uint32_t *wait_for(struct engine_cursor *k, const uint32_t *w)
{
	await(k, SCCL_WAITS_FOR_DATA, w[1], flag(k, k->x.env->rank, SCCL_DATA, w[1]), k->x.epoch + w[2]);
	return w + SCCL_FLAG_WORDS;
}

/* A signal also permits PEER to overwrite what this rank has read, so it must follow those reads. */
static const uint32_t *signal_to(struct engine_cursor *k, const uint32_t *w)
{
	struct lane *l = lane_to(k, w[1]);
	for (uint32_t i = 0; i < k->e->lanes->n; i++) {
		struct lane *other = &k->e->lanes->of[i];
		if (other->hot && other != l)
			ok(k, k->unit->device->lane_after(k->unit, l->stream, other->stream));
	}
	ok(k, k->unit->device->post(k->unit, flag(k, w[1], SCCL_DATA, k->x.env->rank), k->x.epoch + w[2], l ? l->stream : k->main));
	if (l)
		l->dirty = true;
	return w + SCCL_FLAG_WORDS;
}

/* FROM, which lies in SLOT or elsewhere, to the targets of M that RANK does not own itself, or (OWN) also to those that it
 * does. Where results overwrite the input, copies of it must be done before, on this rank and on those that it signals. */
static void copy_to_targets(struct engine_cursor *k, const sccl_move_t *m, const uint8_t *from, bool slot, bool own_too)
{
	uint32_t sender = m->places[0] >> 30 == SCCL_SCRATCH_SLOT ? m->places[0] & 0x3fffffffu : k->x.env->rank;

	for (uint32_t i = m->sources; i < m->sources + m->targets; i++) {
		uint32_t rank = m->places[2 * i] & 0x3fffffffu;
		bool own = rank == k->x.env->rank;
		bool pulls = own && own_too && sender != rank;
		struct lane *l = pulls ? lane_to(k, sender) : own ? NULL : lane_to(k, rank);

		if (own && !own_too)
			continue;
		if (own && k->over)
			join(k);
		ok(k, k->unit->device->copy(k->unit, sccl_place_at(&k->x, m, i), from, m->bytes, l ? l->stream : k->main));
		k->version += !l;
		if (l) {
			l->dirty = true;
			l->hot = l->hot || slot || k->over;
		}
	}
}

static const uint32_t *copy(struct engine_cursor *k, const uint32_t *w)
{
	sccl_move_t m;
	const uint32_t *next = sccl_move_read(&k->x, w, (uint32_t)k->e->plan->element, &m);

	if (m.bytes > 0)
		copy_to_targets(k, &m, sccl_place_at(&k->x, &m, 0), m.places[0] >> 30 == SCCL_SCRATCH_SLOT, true);
	return next;
}

/* A slot for results is used again once all copies from it are done. */
static const uint32_t *reduce(struct engine_cursor *k, const uint32_t *w)
{
	const struct local_sums *s = &k->e->sums;
	sccl_move_t m, own;
	const uint32_t *next = sccl_move_read(&k->x, w, (uint32_t)k->e->plan->element, &m);
	size_t i = k->sums++;

	if ((s->aside[i] && k->aside++ >= SUM_SLOTS) || k->over)
		join(k);
	(void)sccl_move_read(&k->x, sccli_sums_word(s, i), m.element, &own);
	ok(k, sccli_sums_run(k->e->plan, s, i, k->kernel, k->main));
	k->version++;
	copy_to_targets(k, &m, sccl_place_at(&k->x, &own, own.sources), own.places[2 * own.sources] >> 30 == SCCL_SCRATCH_SLOT, false);
	return next;
}

static const uint32_t *meet(struct engine_cursor *k, const uint32_t *w)
{
	if (k->e->plan->protocol == SCCL_PULL) /* what lanes load is read behind the barrier, and told to have been read */
		join(k);
	return w + 1; /* a stream needs no barrier with itself */
}

/* What stands together is translated one by one. */
static const uint32_t *flags(struct engine_cursor *k, const uint32_t *w)
{
	(void)k;
	return w + 2;
}

static const uint32_t *moves(struct engine_cursor *k, const uint32_t *w)
{
	(void)k;
	return w + w[2];
}

static const uint32_t *(*const words[])(struct engine_cursor *, const uint32_t *) = {
	[SCCL_WORD_OFFER] = offer, [SCCL_WORD_CREDIT] = credit,   [SCCL_WORD_WAIT] = wait_for,
	[SCCL_WORD_COPY] = copy,   [SCCL_WORD_SIGNAL] = signal_to, [SCCL_WORD_SYNC] = meet,
	[SCCL_WORD_REDUCE] = reduce, [SCCL_WORD_TOTAL] = reduce,
	[SCCL_WORD_FLAGS] = flags, [SCCL_WORD_MOVES] = moves,
};

static bool lies_over(const struct sccl_plan *plan, const sccl_launch_t *l)
{
	const sccl_program_t *p = plan->program;
	uint32_t rank = plan->comm->meeting.rank;
	uintptr_t in = (uintptr_t)l->in, out = (uintptr_t)l->out;

	return p->combining && in < out + p->output_count(rank, l->count) * plan->element &&
	       out < in + p->input_count(rank, l->count) * plan->element;
}

/* Runs piece PIECE of PIECES to the end of step UNTIL. Returns whether words are left. */
static bool run_piece(struct engine_cursor *k, uint32_t piece, uint32_t pieces, uint32_t until)
{
	const uint32_t *w = k->e->at[piece];

	k->piece = piece;
	k->x.begin = sccl_block_begin(k->x.launch->slot_bytes, piece, pieces);
	k->x.end = sccl_block_begin(k->x.launch->slot_bytes, piece + 1, pieces);
	while ((*w & 0xffu) != SCCL_WORD_END && *w >> 8 <= until && k->status == SCCL_OK) {
		k->x.step = *w >> 8;
		w = words[*w & 0xffu](k, w);
	}
	k->e->at[piece] = w;
	return (*w & 0xffu) != SCCL_WORD_END;
}

sccl_status_t sccli_engines_run(struct sccl_plan *plan, const sccl_launch_t *l, const sccl_launch_t *kernel, sccl_stream_t stream)
{
	struct engines *e = plan->engines;
	struct engine_cursor k = {
		.e = e,
		.unit = &plan->comm->meeting.unit,
		/* The words of progress count the communicator's calls of this kind, since epochs are the plan's. */
		.x = {.env = &plan->comm->env, .launch = l, .epoch = e->epoch, .turn = plan->comm->engine_calls++,
		      .block = plan->comm->max_blocks},
		.main = stream,
		.version = 1,
		.kernel = kernel,
		.over = lies_over(plan, l),
	};
	uint32_t pieces = l->blocks < e->pieces ? l->blocks : e->pieces;
	bool left = true;

	for (uint32_t i = 0; i < e->lanes->n; i++)
		e->lanes->of[i].seen = 0;
	for (uint32_t i = 0; i < pieces; i++)
		e->at[i] = l->words;
	/* All ranks use the same order, so no rank waits for something that comes later in it. */
	for (uint32_t wave = 0; left && k.status == SCCL_OK; wave++) {
		left = wave < pieces - 1;
		for (uint32_t i = 0; i < pieces && i <= wave; i++)
			left |= run_piece(&k, i, pieces, wave - i);
		join(&k);
	}
	ok(&k, k.unit->device->idle(k.unit, &k.x, stream));
	e->epoch += l->signals;
	return k.status;
}

/* Peers take the lanes in turn. */
static sccl_status_t make_lanes(struct sccl_plan *plan, struct engines *e)
{
	sccl_status_t status = sccli_lanes_get(plan->comm, &e->lanes);

	for (size_t i = 0; i < plan->n_peers && status == SCCL_OK; i++)
		e->lane_of[plan->peers[i]] = e->lanes->n ? (uint32_t)(i % e->lanes->n) : 0;
	return status;
}

sccl_status_t sccli_engines_create(struct sccl_plan *plan)
{
	struct sccl_comm *c = plan->comm;
	const struct meeting *m = &c->meeting;
	struct engines *e = calloc(1, sizeof *e);
	sccl_status_t status = SCCL_OK;

	plan->engines = e;
	if (e) { /* a reduction's kernel takes whole chunks */
		e->pieces = plan->program->combining ? 1 : plan->blocks;
		e->at = calloc(e->pieces, sizeof *e->at);
		e->lane_of = calloc(m->ranks, sizeof *e->lane_of);
	}
	if (!e || !e->at || !e->lane_of)
		status = sccli_fail(SCCL_NO_MEMORY, "no memory for a plan of %u ranks", m->ranks);
	else if ((status = m->unit.device->lanes_signal(&m->unit)) == SCCL_OK)
		status = make_lanes(plan, e);
	if (status == SCCL_OK)
		status = sccli_sums_create(plan, &e->sums);
	status = sccli_agree(&m->bootstrap, m->rank, m->ranks, status, NULL);
	if (status == SCCL_OK)
		status = sccli_symmetric_create(&e->flags, m, NULL, flags_size(e, m->ranks));
	if (status != SCCL_OK)
		return status;
	e->plan = plan;
	pthread_mutex_lock(&c->engines_lock);
	e->next = c->engines;
	e->link = &c->engines;
	if (e->next)
		e->next->link = &e->next;
	c->engines = e;
	pthread_mutex_unlock(&c->engines_lock);
	return SCCL_OK;
}

void sccli_engines_free(struct sccl_plan *plan)
{
	struct engines *e = plan->engines;

	if (!e)
		return;
	pthread_mutex_lock(&plan->comm->engines_lock);
	if (e->link)
		*e->link = e->next;
	if (e->next)
		e->next->link = e->link;
	pthread_mutex_unlock(&plan->comm->engines_lock);
	sccli_lanes_put(e->lanes);
	sccli_symmetric_free(&e->flags);
	sccli_sums_free(plan, &e->sums);
	free(e->lane_of);
	free(e->at);
	free(e);
	plan->engines = NULL;
}

void sccli_engines_release(struct sccl_comm *c)
{
	pthread_mutex_lock(&c->engines_lock);
	for (struct engines *e = c->engines; e; e = e->next)
		sccli_lanes_release(e->lanes, e->flags.bases[c->meeting.rank], flags_size(e, c->meeting.ranks), e->epoch);
	pthread_mutex_unlock(&c->engines_lock);
}
