/*
 * What the messages of a communicator need: books in memory of the CPU, flags and slots in memory of the device, and on
 * devices streams. exchange.c moves the messages; here they are also watched over.
 */
#include "runtime/core/messages.h"

#include "runtime/core/agree.h"
#include "runtime/core/status.h"
#include "runtime/gpu/engine_lanes.h"

#include <stdlib.h>

static size_t slots_bytes(const struct sccl_comm *c)
{
	return SCCL_FLAGS_SIZE(c->meeting.ranks, 1) + (size_t)c->meeting.ranks * MESSAGE_SLOTS * c->messages->piece;
}

static sccl_status_t make_own(struct sccl_comm *c)
{
	const struct unit *unit = &c->meeting.unit;
	struct messages *m = c->messages;

	if (m)
		m->sides = calloc(SCCL_DIRECTIONS * (size_t)c->meeting.ranks, sizeof *m->sides);
	if (!m || !m->sides)
		return sccli_fail(SCCL_NO_MEMORY, "no memory for the messages of %u ranks", c->meeting.ranks);
	if (unit->device->synchronous)
		return SCCL_OK;
	if (unit->device->lanes_signal(unit) != SCCL_OK)
		return sccli_fail(SCCL_UNSUPPORTED, "streams cannot signal each other through %s here, so there are no messages: leave out message_bytes",
		                  unit->device->target);
	return sccli_lanes_get(c, &m->lanes);
}

static sccl_status_t make_books(struct sccl_comm *c)
{
	struct meeting m = c->meeting;
	size_t bytes = SCCL_DIRECTIONS * (size_t)m.ranks * sizeof(struct message_book);
	void *seen;

	m.unit.device = sccli_device("host");
	m.reach = REACH_PROCESSES;
	sccl_status_t status = sccli_symmetric_create(&c->messages->books, &m, NULL, bytes);
	if (status != SCCL_OK || c->meeting.unit.device->synchronous)
		return status;
	status = c->meeting.unit.device->share(&c->meeting.unit, &c->messages->books.pieces[m.rank], bytes, &seen);
	if (status == SCCL_OK)
		c->messages->seen = seen;
	return sccli_agree(&m.bootstrap, m.rank, m.ranks, status, NULL);
}

sccl_status_t sccli_messages_create(struct sccl_comm *c, size_t bytes)
{
	const struct meeting *m = &c->meeting;

	c->messages = calloc(1, sizeof *c->messages);
	sccl_status_t status = sccli_agree(&m->bootstrap, m->rank, m->ranks, make_own(c), NULL);
	if (status == SCCL_OK)
		status = make_books(c);
	if (status != SCCL_OK)
		return status;
	c->messages->piece = (bytes + MESSAGE_SLOTS * 64 - 1) / (MESSAGE_SLOTS * 64) * 64;
	c->messages->look = sccli_exchange_look;
	return sccli_symmetric_create(&c->messages->slots, m, NULL, slots_bytes(c));
}

void sccli_messages_free(struct sccl_comm *c)
{
	struct messages *m = c->messages;

	if (!m)
		return;
	if (m->seen)
		c->meeting.unit.device->unshare(&c->meeting.unit, &m->books.pieces[c->meeting.rank]);
	sccli_lanes_put(m->lanes);
	sccli_symmetric_free(&m->slots);
	sccli_symmetric_free(&m->books);
	free(m->sides);
	free(m->scratch);
	free(m);
	c->messages = NULL;
}

/* The 16 bits of the word that tell calls apart are those of the awaited number of pieces (exchange.c). */
bool sccli_messages_is_past(const struct sccl_comm *c, uint64_t word, uint32_t peer)
{
	sccl_direction_t theirs = SCCL_PROGRESS_STATE(word) == SCCL_WAITS_FOR_READY ? SCCL_RECEIVE : SCCL_SEND;
	uint64_t done = __atomic_load_n(&message_book(c, peer, theirs, c->meeting.rank)->done, __ATOMIC_ACQUIRE);

	return (int16_t)((uint16_t)done - SCCL_PROGRESS_CALL(word)) >= 0;
}

void sccli_messages_release(struct sccl_comm *c)
{
	if (c->messages)
		sccli_lanes_release(c->messages->lanes, c->messages->slots.bases[c->meeting.rank], SCCL_FLAGS_SIZE(c->meeting.ranks, 1), 0);
}
