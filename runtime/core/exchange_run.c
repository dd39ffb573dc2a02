/*
 * Which piece of a call's messages moves next. On the host a call goes round its flows and moves what can be moved, and rests
 * if nothing can. Streams of a device cannot choose: there the n-th pieces of all flows are a wave, in which a rank first sends
 * and then receives. If every rank gives all of its messages in one call, a send waits only for receives of earlier waves, and a
 * receive for a send of its own wave, so there is always one that can go on.
 */
#include "runtime/core/exchange.h"

#include "runtime/core/watch.h"
#include "runtime/gpu/engine_lanes.h"

static uint32_t state_of(struct message_call *e, const struct pair_flow *f)
{
	e->x.step = (uint32_t)(message_side(e, f)->messages + 1) & 0xffffffu;
	return f->direction == SCCL_SEND ? SCCL_WAITS_FOR_READY : SCCL_WAITS_FOR_DATA;
}

/* ---- on the host ---- */

static bool is_ready(const struct message_call *e, const struct pair_flow *f)
{
	const uint64_t *flag = message_awaited_flag(e, f);
	return (int64_t)(__atomic_load_n(flag, __ATOMIC_ACQUIRE) - message_awaited(e, f)) >= 0;
}

static sccl_status_t go_round(struct message_call *e, bool *moved)
{
	sccl_status_t status = SCCL_OK;

	for (size_t i = 0; i < e->n_flows && status == SCCL_OK; i++) {
		struct pair_flow *f = &e->flows[i];
		if (!f->over && !f->begun)
			status = sccli_message_begin(e, f);
		if (f->over || status != SCCL_OK || !is_ready(e, f))
			continue;
		status = sccli_message_move(e, f, NULL);
		*moved = true;
	}
	return status;
}

/* Sleeping at a flag is for a call that can go on with nothing else. */
static bool rest(struct message_call *e, uint32_t *polls)
{
	const struct pair_flow *f = e->flows;

	while (f->over)
		f++;
	uint32_t state = state_of(e, f);
	return sccl_waits(&e->x, state, f->peer, polls, e->left == 1 ? message_awaited_flag(e, f) : NULL);
}

sccl_status_t sccli_exchange_on_host(struct message_call *e)
{
	struct sccl_comm *c = e->c;
	sccl_status_t status = SCCL_OK;
	uint32_t polls = 0;

	__atomic_store_n(&comm_board(c, c->meeting.rank)->cpu, sccli_rest_cpu(), __ATOMIC_RELAXED);
	c->messages->now = e;
	while (e->left > 0 && status == SCCL_OK) {
		bool moved = false;
		status = go_round(e, &moved);
		if (moved) {
			polls = 0;
			c->stalled_since = 0;
		} else if (status == SCCL_OK && !rest(e, &polls)) {
			status = sccli_watch_status(c);
		}
	}
	c->messages->now = NULL;
	sccl_finish(&e->x);
	return status;
}

/* What the peer did last may have come since its piece was last looked for. */
void sccli_exchange_look(struct sccl_comm *c)
{
	const struct message_call *e = c->messages->now;
	char name[96];

	for (size_t i = 0; e && i < e->n_flows; i++) {
		const struct pair_flow *f = &e->flows[i];
		if (f->over || is_ready(e, f) || !sccli_watch_is_gone(c, f->peer) || is_ready(e, f))
			continue;
		sccli_message_name(e, f, name, sizeof name);
		if (sccli_watch_gone_in(c, f->peer, name))
			return;
	}
}

/* ---- on a device ---- */

/* The stream of copies to PEER, ordered after all that the main one has been given. */
static sccl_status_t stream_to(const struct message_call *e, uint32_t peer, sccl_stream_t *stream)
{
	const struct unit *unit = &e->c->meeting.unit;
	const struct lanes *lanes = e->c->messages->lanes;
	struct lane *l = lanes->n ? &lanes->of[peer % lanes->n] : NULL;

	*stream = l ? l->stream : e->stream;
	if (!l || l->dirty)
		return SCCL_OK;
	l->dirty = true;
	return unit->device->lane_after(unit, l->stream, e->stream);
}

static sccl_status_t join(const struct message_call *e)
{
	const struct unit *unit = &e->c->meeting.unit;
	const struct lanes *lanes = e->c->messages->lanes;
	sccl_status_t status = SCCL_OK;

	for (uint32_t i = 0; i < lanes->n && status == SCCL_OK; i++) {
		if (lanes->of[i].dirty)
			status = unit->device->lane_after(unit, e->stream, lanes->of[i].stream);
		lanes->of[i].dirty = false;
	}
	return status;
}

static sccl_status_t await(struct message_call *e, const struct pair_flow *f)
{
	const struct unit *unit = &e->c->meeting.unit;
	uint64_t value = message_awaited(e, f);
	uint32_t state = state_of(e, f);

	e->x.turn = value;
	return unit->device->await(unit, &e->x, state, f->peer, message_awaited_flag(e, f), value, e->stream);
}

static sccl_status_t begin_and_await(struct message_call *e, struct pair_flow *f)
{
	sccl_status_t status = f->begun ? SCCL_OK : sccli_message_begin(e, f);
	return status == SCCL_OK ? await(e, f) : status;
}

/* All waits for free slots come before the copies, which then go to all peers at the same time. */
static sccl_status_t send_wave(struct message_call *e)
{
	sccl_status_t status = SCCL_OK;
	sccl_stream_t stream;

	for (size_t i = 0; i < e->n_flows && status == SCCL_OK; i++)
		if (e->flows[i].direction == SCCL_SEND && !e->flows[i].over)
			status = begin_and_await(e, &e->flows[i]);
	for (size_t i = 0; i < e->n_flows && status == SCCL_OK; i++) {
		if (e->flows[i].direction != SCCL_SEND || e->flows[i].over)
			continue;
		status = stream_to(e, e->flows[i].peer, &stream);
		if (status == SCCL_OK)
			status = sccli_message_move(e, &e->flows[i], stream);
	}
	return status;
}

static sccl_status_t receive_wave(struct message_call *e)
{
	sccl_status_t status = SCCL_OK;

	for (size_t i = 0; i < e->n_flows && status == SCCL_OK; i++) {
		if (e->flows[i].direction != SCCL_RECEIVE || e->flows[i].over)
			continue;
		status = begin_and_await(e, &e->flows[i]);
		if (status == SCCL_OK)
			status = sccli_message_move(e, &e->flows[i], e->stream);
	}
	return status;
}

sccl_status_t sccli_exchange_on_streams(struct message_call *e)
{
	const struct unit *unit = &e->c->meeting.unit;
	sccl_status_t status = SCCL_OK;

	while (e->left > 0 && status == SCCL_OK) {
		status = send_wave(e);
		if (status == SCCL_OK)
			status = receive_wave(e);
		if (status == SCCL_OK)
			status = join(e);
	}
	return status == SCCL_OK ? unit->device->idle(unit, &e->x, e->stream) : status;
}
