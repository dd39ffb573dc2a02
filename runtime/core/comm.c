/*
 * Creates and frees communicators. Creation is a sequence of collective stages (options, servers, boards, environment,
 * guard, bridge); each one ends with an agreement, so that it succeeds or fails on all ranks together.
 */
#include "runtime/core/comm.h"

#include "runtime/core/agree.h"
#include "runtime/net/bootstrap_group.h"
#include "runtime/net/bridge.h"
#include "runtime/core/guard.h"
#include "runtime/core/messages.h"
#include "runtime/core/status.h"
#include "runtime/core/watch.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCKS_MAX = 1024, RANKS_MAX = 65536 };
#define MESSAGE_BYTES_MAX ((size_t)1 << 32)

static uint64_t text_hash(const char *text)
{
	uint64_t h = 0xcbf29ce484222325u;
	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3u;
	return h;
}

/* Stores everything that must be equal on all ranks in TERMS. */
static sccl_status_t read_options(struct sccl_comm *c, const sccl_comm_options_t *options, struct terms *terms)
{
	static const sccl_comm_options_t defaults;
	const sccl_comm_options_t *o = options ? options : &defaults;
	const char *target = o->target ? o->target : "host";

	c->timeout = o->timeout;
	c->meeting.unit = (struct unit){sccli_device(target), o->device};
	c->max_blocks = o->max_blocks || !c->meeting.unit.device ? o->max_blocks : c->meeting.unit.device->most_blocks;

	c->carrier = o->carrier;
	*terms = (struct terms){{"abi", "number of ranks", "most blocks", "timeout (its bits)", "target (its hash)", "carriers",
	                         "bytes for messages"},
	                        {SCCL_ABI, c->meeting.ranks, c->max_blocks, 0, text_hash(target), o->carrier != NULL, o->message_bytes}};
	memcpy(&terms->values[3], &c->timeout, sizeof c->timeout);

	if (!c->meeting.unit.device)
		return SCCL_UNSUPPORTED;
	if (c->max_blocks > BLOCKS_MAX)
		return sccli_fail(SCCL_INVALID, "a call has at most %d blocks, not %u", BLOCKS_MAX, c->max_blocks);
	if (!(c->timeout >= 0))
		return sccli_fail(SCCL_INVALID, "a timeout must be 0 or more seconds");
	if (o->pin && !c->meeting.unit.device->synchronous)
		return sccli_fail(SCCL_INVALID, "pin is for ranks on the host; those on %s run no thread", target);
	if (o->message_bytes > MESSAGE_BYTES_MAX)
		return sccli_fail(SCCL_INVALID, "%zu bytes for the messages of a peer are more than 2^32", o->message_bytes);
	if (o->message_bytes && o->carrier)
		return sccli_fail(SCCL_UNSUPPORTED, "messages do not reach other servers: leave out message_bytes");
	c->pin = o->pin != 0;
	return c->meeting.unit.device->check(&c->meeting.unit);
}

/* Collects each rank's server if there is a carrier, and finds the home rank of this one. */
static sccl_status_t list_servers(struct sccl_comm *c, uint32_t mine)
{
	struct meeting *m = &c->meeting;
	sccl_status_t status = SCCL_OK;

	if (!c->carrier)
		return SCCL_OK;
	c->servers = calloc(m->ranks, sizeof *c->servers);
	if (!c->servers)
		status = sccli_fail(SCCL_NO_MEMORY, "no memory for a communicator of %u ranks", m->ranks);
	status = sccli_agree(&m->bootstrap, m->rank, m->ranks, status, NULL);
	if (status == SCCL_OK)
		status = sccli_exchange(&m->bootstrap, m->rank, &mine, c->servers, sizeof mine);
	m->servers = c->servers;
	while (status == SCCL_OK && c->servers[c->home] != mine)
		c->home++;
	return status;
}

/* Boards are read by CPUs, whatever the device. */
static sccl_status_t make_boards(struct sccl_comm *c)
{
	struct meeting m = c->meeting;
	m.unit.device = sccli_device("host");
	m.reach = REACH_PROCESSES;

	sccl_status_t status =
		sccli_symmetric_create(&c->boards, &m, NULL, board_bytes(c->max_blocks) + sccli_group_member_bytes());
	if (status != SCCL_OK)
		return status;
	c->watchable = calloc(m.ranks, sizeof *c->watchable);
	if (!c->watchable)
		status = sccli_fail(SCCL_NO_MEMORY, "no memory for a communicator of %u ranks", m.ranks);
	else if (!sccli_process_self(&comm_board(c, m.rank)->process))
		status = SCCL_SYSTEM;
	if (status == SCCL_OK)
		sccli_rest_cpus(comm_board(c, m.rank)->cpus);
	status = sccli_agree(&m.bootstrap, m.rank, m.ranks, status, NULL);
	c->meeting.reach = REACH_THREADS;
	for (uint32_t r = 0; status == SCCL_OK && r < m.ranks; r++) {
		const struct process *p = &comm_board(c, r)->process;
		c->watchable[r] = meeting_reaches(&m, r) && sccli_process_alive(p);
		if (meeting_reaches(&m, r) && !sccli_process_same(p, &comm_board(c, m.rank)->process))
			c->meeting.reach = REACH_PROCESSES;
	}
	return status;
}

/* Counts the ranks that share this rank's device, finds the number of blocks that suits all devices, and takes rank 0's random
 * number as the communicator's. */
static sccl_status_t count_neighbours(struct sccl_comm *c)
{
	struct card {
		uint64_t device, random, blocks;
	};
	const struct meeting *m = &c->meeting;
	struct card mine = {0, 0, m->unit.device->blocks(&m->unit)}, *all = calloc(m->ranks, sizeof *all);
	sccl_status_t status = all ? m->unit.device->identity(&m->unit, &mine.device)
				   : sccli_fail(SCCL_NO_MEMORY, "no memory for a communicator of %u ranks", m->ranks);

	if (status == SCCL_OK && !sccli_process_random(&mine.random))
		status = SCCL_SYSTEM;
	status = sccli_agree(&m->bootstrap, m->rank, m->ranks, status, NULL);
	if (status == SCCL_OK)
		status = sccli_exchange(&m->bootstrap, m->rank, &mine, all, sizeof mine);
	c->blocks = (uint32_t)mine.blocks;
	for (uint32_t r = 0; status == SCCL_OK && r < m->ranks; r++) {
		c->ranks_here += all[r].device == mine.device;
		if (all[r].blocks > 0 && all[r].blocks < c->blocks)
			c->blocks = (uint32_t)all[r].blocks;
	}
	c->device_number = mine.device;
	c->number = status == SCCL_OK ? all[0].random : 0;
	free(all);
	return status;
}

/* The number of CPUs that the ranks of this server may use together. */
static uint32_t count_cpus(const struct sccl_comm *c)
{
	uint32_t n = 0;

	for (int i = 0; i < REST_CPUS / 64; i++) {
		uint64_t usable = 0;
		for (uint32_t r = 0; r < c->meeting.ranks; r++)
			usable |= meeting_reaches(&c->meeting, r) ? comm_board(c, r)->cpus[i] : 0;
		n += (uint32_t)__builtin_popcountll(usable);
	}
	return n;
}

/* Epochs and cursors are in private memory: unlike flags, no other rank can overwrite a cursor, which is a position in
 * this rank's words. */
static sccl_status_t fill_env(struct sccl_comm *c)
{
	const struct meeting *m = &c->meeting;
	void *board;
	sccl_status_t status =
		m->unit.device->share(&m->unit, &c->boards.pieces[m->rank], board_bytes(c->max_blocks), &board);

	if (status != SCCL_OK)
		return status;
	c->shared_board = true;
	status = sccli_device_private(&m->unit, c->max_blocks * (sizeof(uint64_t) + sizeof(uint32_t)), &c->cursors);
	if (status != SCCL_OK)
		return status;
	c->env = (sccl_env_t){
		.rank = m->rank,
		.ranks = m->ranks,
		.max_blocks = c->max_blocks,
		.spin = m->unit.device->spin(m->ranks, count_cpus(c)),
		.peer_flags = symmetric_table(&c->flags),
		.flags = c->flags.bases[m->rank],
		.epochs = (uint64_t *)(void *)c->cursors.base,
		.cursors = (uint32_t *)(void *)(c->cursors.base + c->max_blocks * sizeof(uint64_t)),
		.progress = ((struct board *)board)->progress,
		.abort_word = &((struct board *)board)->abort_word,
		.stalled = sccli_watch_stalled,
		.owner = c,
		.rest = sccli_rest,
		.wake = sccli_rest_wake,
	};
	c->resting.fits = c->env.spin > 0;
	if (c->pin && !sccli_rest_pin(m->rank))
		return SCCL_SYSTEM;
	return m->unit.device->place(&m->unit, &c->env, sizeof c->env, &c->device_env);
}

static sccl_status_t make_env(struct sccl_comm *c)
{
	const struct meeting *m = &c->meeting;
	sccl_status_t status = sccli_symmetric_create(&c->flags, m, NULL, SCCL_FLAGS_SIZE(m->ranks, c->max_blocks));

	if (status != SCCL_OK)
		return status;
	status = sccli_agree(&m->bootstrap, m->rank, m->ranks, fill_env(c), NULL);
	return status == SCCL_OK ? count_neighbours(c) : status;
}

static sccl_status_t check_arguments(sccl_comm_t **comm, uint32_t rank, uint32_t ranks, const sccl_bootstrap_t *b)
{
	if (!comm)
		return sccli_fail(SCCL_INVALID, "sccl_comm_create needs a place for the communicator");
	*comm = NULL;
	if (!b || !b->allgather || !b->barrier)
		return sccli_fail(SCCL_INVALID, "sccl_comm_create needs a bootstrap with both functions");
	if (ranks < 1 || ranks > RANKS_MAX)
		return sccli_fail(SCCL_INVALID, "a communicator has 1 to %d ranks, not %u", RANKS_MAX, ranks);
	if (rank >= ranks)
		return sccli_fail(SCCL_INVALID, "there is no rank %u of %u", rank, ranks);
	return SCCL_OK;
}

sccl_status_t sccl_comm_create(sccl_comm_t **comm, uint32_t rank, uint32_t ranks, const sccl_bootstrap_t *bootstrap,
                               const sccl_comm_options_t *options)
{
	struct terms terms;
	sccl_status_t status = check_arguments(comm, rank, ranks, bootstrap);
	if (status != SCCL_OK)
		return status;

	struct sccl_comm *c = calloc(1, sizeof *c);
	if (!c) /* the others are told */
		return sccli_agree(bootstrap, rank, ranks, sccli_fail(SCCL_NO_MEMORY, "no memory for a communicator"), NULL);
	pthread_mutex_init(&c->engines_lock, NULL);
	c->meeting = (struct meeting){.rank = rank, .ranks = ranks, .bootstrap = *bootstrap};
	status = read_options(c, options, &terms);
	status = sccli_agree(bootstrap, rank, ranks, status, &terms);
	if (status == SCCL_OK)
		status = list_servers(c, options ? options->server : 0);
	if (status == SCCL_OK)
		status = make_boards(c);
	if (status == SCCL_OK)
		status = make_env(c);
	if (status == SCCL_OK && options && options->message_bytes)
		status = sccli_messages_create(c, options->message_bytes);
	if (status == SCCL_OK && !c->meeting.unit.device->synchronous)
		status = sccli_agree(bootstrap, rank, ranks, sccli_guard_start(c), NULL);
	if (status == SCCL_OK && c->carrier)
		status = sccli_agree(bootstrap, rank, ranks, sccli_bridge_open(c), NULL);
	if (status == SCCL_OK)
		*comm = c;
	else
		sccl_comm_free(c);
	return status;
}

void sccli_local_leave(struct local *l)
{
	if (!l || atomic_fetch_sub(&l->users, 1) != 1)
		return;
	sccl_group_free(l->group);
	free(l);
}

void sccl_comm_free(sccl_comm_t *comm)
{
	if (!comm)
		return;
	sccli_bridge_close(comm);
	sccli_guard_stop(comm);
	sccli_messages_free(comm);
	if (comm->boards.bases)
		__atomic_store_n(&comm_board(comm, comm->meeting.rank)->left, 1, __ATOMIC_RELEASE);
	if (comm->shared_board)
		comm->meeting.unit.device->unshare(&comm->meeting.unit, &comm->boards.pieces[comm->meeting.rank]);
	if (comm->mark)
		comm->meeting.unit.device->unmark(&comm->meeting.unit, comm->mark);
	if (comm->device_env.own)
		comm->meeting.unit.device->close(&comm->device_env);
	if (comm->cursors.own)
		comm->meeting.unit.device->close(&comm->cursors);
	sccli_symmetric_free(&comm->flags);
	sccli_boards_free(comm);
	pthread_mutex_destroy(&comm->engines_lock);
	free(comm->watchable);
	free(comm->servers);
	sccli_local_leave(comm->local);
	sccli_kin_leave(&comm->kin);
	free(comm);
}
