#ifndef SCCL_RUNTIME_CORE_COMM_H
#define SCCL_RUNTIME_CORE_COMM_H

/* A communicator's inside. */

#include "runtime/core/symmetric.h"

#include <sccl/device.h>
#include <sccl/sccl.h>

#include <pthread.h>
#include <stdatomic.h>

/* What this rank is asked to do in a call: the others compare it with theirs before anything is written. */
struct order {
	uint64_t plan, memory, offset, count;
	uint64_t before; /* of all orders before this one */
};

/* An order and the call that it is of; 0: it is being written. */
struct order_entry {
	uint64_t call;
	struct order order;
};

enum { ORDERS = 64 }; /* the last ones, kept for who comes later */

/*
 * A rank's notice board, in memory that all ranks read. Its words are plain and used with atomic operations only, for
 * some are the device's too (sccl/device.h).
 */
struct board {
	_Alignas(128) uint32_t abort_word; /* what this rank's waits poll */
	uint32_t left;                     /* it has freed its communicator */
	struct process process;
	_Alignas(128) uint64_t entered; /* calls; written after the order */
	struct order_entry entries[ORDERS];   /* that of call n at n % ORDERS */
	_Alignas(128) uint64_t finished; /* calls */
	uint32_t waiting_block;
	uint32_t fault; /* 0, 1: being written, 2: written; used on rank 0's board for all */
	uint32_t fault_status;
	char fault_text[1024];
	_Alignas(128) uint64_t progress[]; /* [max_blocks] */
};

struct bridge;
struct engines;
struct guard;

/* What communicators that one call made together have in common. */
struct local {
	sccl_group_t *group;
	atomic_uint users;
};

struct sccl_comm {
	struct meeting meeting;
	uint32_t max_blocks;
	double timeout;
	struct symmetric boards, flags;
	sccl_env_t env;
	struct piece device_env;           /* the same where kernels can read it */
	struct piece cursors;              /* of this rank alone: [max_blocks] epochs, then as many cursors */
	bool shared_board;                 /* the device sees this rank's board */
	uint32_t ranks_here;               /* that share this rank's device, itself among them */
	uint64_t calls;                    /* begun */
	uint64_t n_memories, n_plans;      /* ever made: their numbers */
	struct sccl_memory *memories;      /* a list of those that live */
	uint64_t stalled_since, looked_at; /* nanoseconds: of the present wait, and of the last look at the others */
	uint64_t stalled_word;             /* the progress of that wait */
	uint64_t history;                  /* of the orders so far */
	unsigned char *watchable;          /* [ranks]: its process can be seen from here */
	struct guard *guard;               /* NULL: waits are watched by those who wait */
	struct engines *engines;           /* of its plans without kernels; the guard looks at them too */
	pthread_mutex_t engines_lock;
	uint32_t home;                     /* the least rank of this server; what ended the communicator is told there */
	uint32_t *servers;                 /* [ranks], NULL: all share memory */
	const sccl_carrier_t *carrier;
	struct bridge *bridge;             /* to other servers; NULL: there are none */
	sccl_stream_t stream;              /* of the last call; */
	void *mark;                        /* behind it, NULL: there was none */
	struct local *local;               /* NULL, or what it has in common with those made in the same call */
};

static inline struct board *comm_board(const struct sccl_comm *c, uint32_t rank)
{
	return (struct board *)(void *)c->boards.bases[rank];
}

struct sccl_memory {
	struct sccl_comm *comm;
	struct symmetric symmetric;
	uint64_t number;
	struct sccl_memory *next, **link;
};

/* The last of its users to go takes it away. NULL is fine. */
void sccli_local_leave(struct local *l);

/* The memory of this rank that AT lies in, NULL: none. */
struct sccl_memory *sccli_memory_of(const struct sccl_comm *c, const void *at);

#endif
