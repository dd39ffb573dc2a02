/*
 * Communicators made from others. The ranks of a part meet in shared memory: for a split in memory that all ranks of the
 * whole communicator make together, for what is left after ranks have failed in a place that every board has for it, since
 * those ranks can make nothing any more.
 */
#include "runtime/core/agree.h"
#include "runtime/core/comm.h"
#include "runtime/core/messages.h"
#include "runtime/core/status.h"
#include "runtime/core/watch.h"
#include "runtime/net/bootstrap_group.h"

#include <stdlib.h>
#include <string.h>

/* The ranks of C that a new communicator has, in its order. */
struct part_of_ranks {
	uint32_t *of; /* [n] */
	uint32_t n, rank;
};

/* Every member joins at BASES[rank of C] + OFFSET. KIN is the new communicator's, or is left. */
static sccl_status_t create_part(sccl_comm_t **child, const struct sccl_comm *c, const struct part_of_ranks *part, uint8_t *const bases[],
                                 size_t offset, struct kin *kin)
{
	enum { MEETING_SECONDS = 60 };
	sccl_comm_options_t options = {.target = c->meeting.unit.device->target, .max_blocks = c->max_blocks, .timeout = c->timeout,
	                               .message_bytes = c->messages ? c->messages->piece * MESSAGE_SLOTS : 0,
	                               .device = c->meeting.unit.number};
	sccl_bootstrap_t bootstrap;
	void **members = calloc(part->n, sizeof *members);
	sccl_status_t status = members ? SCCL_OK : sccli_fail(SCCL_NO_MEMORY, "no memory for a communicator of %u ranks", part->n);

	for (uint32_t i = 0; status == SCCL_OK && i < part->n; i++) {
		members[i] = bases[part->of[i]] + offset;
		if (!meeting_reaches(&c->meeting, part->of[i]))
			status = sccli_fail(SCCL_UNSUPPORTED, "ranks on several servers need a bootstrap: use sccl_comm_create");
	}
	if (status == SCCL_OK)
		status = sccli_group_over(&kin->group, members, part->n, c->timeout > 0 ? c->timeout : MEETING_SECONDS);
	if (status == SCCL_OK)
		status = sccl_group_join(kin->group, part->rank, &bootstrap);
	if (status == SCCL_OK)
		status = sccl_comm_create(child, part->rank, part->n, &bootstrap, &options);
	free(members);
	if (status == SCCL_OK) {
		sccli_group_patience(kin->group, c->timeout); /* all ranks have come; who is late for a later exchange is only slow */
		(*child)->kin = *kin;
	} else {
		sccli_kin_leave(kin);
	}
	return status;
}

/* What a rank asks for. */
struct choice_of_part {
	int32_t color, key;
};

/* By key, then by rank. */
static sccl_status_t list_part(const struct choice_of_part *all, uint32_t ranks, uint32_t me, struct part_of_ranks *part)
{
	part->of = calloc(ranks, sizeof *part->of);
	if (!part->of)
		return sccli_fail(SCCL_NO_MEMORY, "no memory for a communicator of %u ranks", ranks);
	for (uint32_t r = 0; r < ranks; r++) {
		if (all[r].color != all[me].color)
			continue;
		uint32_t at = part->n++;
		for (; at > 0 && all[part->of[at - 1]].key > all[r].key; at--)
			part->of[at] = part->of[at - 1];
		part->of[at] = r;
	}
	for (uint32_t i = 0; i < part->n; i++)
		if (part->of[i] == me)
			part->rank = i;
	return SCCL_OK;
}

sccl_status_t sccl_comm_split(sccl_comm_t **child, sccl_comm_t *comm, int color, int key)
{
	if (!child || !comm)
		return sccli_fail(SCCL_INVALID, "sccl_comm_split needs a communicator and a place for its part");
	*child = NULL;
	struct meeting m = comm->meeting;
	struct choice_of_part mine = {color, key}, *all = calloc(m.ranks, sizeof *all);
	struct kin kin = {0};
	struct part_of_ranks part = {NULL, 0, 0};
	sccl_status_t status = sccli_watch_status(comm);

	if (status == SCCL_OK && (color < 0 && color != SCCL_NO_COLOR))
		status = sccli_fail(SCCL_INVALID, "a color is 0 or more, or SCCL_NO_COLOR, not %d", color);
	if (status == SCCL_OK && !all)
		status = sccli_fail(SCCL_NO_MEMORY, "no memory to split a communicator of %u ranks", m.ranks);
	status = sccli_agree(&m.bootstrap, m.rank, m.ranks, status, NULL);
	if (status == SCCL_OK)
		status = sccli_exchange(&m.bootstrap, m.rank, &mine, all, sizeof mine);
	if (status == SCCL_OK)
		status = sccli_agree(&m.bootstrap, m.rank, m.ranks, list_part(all, m.ranks, m.rank, &part), NULL);
	m.unit.device = sccli_device("host");
	m.reach = REACH_PROCESSES;
	if (status == SCCL_OK)
		status = sccli_symmetric_create(&kin.mail, &m, NULL, sccli_group_member_bytes());
	if (status == SCCL_OK && color != SCCL_NO_COLOR)
		status = create_part(child, comm, &part, kin.mail.bases, 0, &kin);
	else
		sccli_kin_leave(&kin);
	free(part.of);
	free(all);
	return status;
}

static sccl_status_t list_survivors(const struct sccl_comm *c, const uint32_t *without, size_t n, struct part_of_ranks *part)
{
	uint32_t ranks = c->meeting.ranks;

	part->of = calloc(ranks, sizeof *part->of);
	if (!part->of)
		return sccli_fail(SCCL_NO_MEMORY, "no memory for a communicator of %u ranks", ranks);
	for (size_t i = 0; i < n; i++)
		if (without[i] >= ranks || without[i] == c->meeting.rank)
			return sccli_fail(SCCL_INVALID, "rank %u cannot leave out rank %u of %u", c->meeting.rank, without[i], ranks);
	for (uint32_t r = 0; r < ranks; r++) {
		bool leaves = false;
		for (size_t i = 0; i < n; i++)
			leaves = leaves || without[i] == r;
		if (r == c->meeting.rank)
			part->rank = part->n;
		if (!leaves)
			part->of[part->n++] = r;
	}
	return SCCL_OK;
}

sccl_status_t sccl_comm_shrink(sccl_comm_t **child, sccl_comm_t *comm, const uint32_t without[], size_t n)
{
	struct kin kin = {0};
	struct part_of_ranks part = {NULL, 0, 0};

	if (!child || !comm || (n > 0 && !without))
		return sccli_fail(SCCL_INVALID, "sccl_comm_shrink needs a communicator, ranks and a place for the rest");
	*child = NULL;
	if (comm->heir)
		return sccli_fail(SCCL_INVALID, "the communicator was shrunk before: shrink the one that it was shrunk to");
	sccl_status_t status = list_survivors(comm, without, n, &part);
	struct heritage *h = status == SCCL_OK ? calloc(1, sizeof *h) : NULL;
	if (status == SCCL_OK && !h)
		status = sccli_fail(SCCL_NO_MEMORY, "no memory to shrink a communicator");
	if (status == SCCL_OK) {
		atomic_init(&h->users, 2);
		comm->heir = kin.heritage = h;
		status = create_part(child, comm, &part, comm->boards.bases, board_bytes(comm->max_blocks), &kin);
	}
	free(part.of);
	return status;
}
