#ifndef SCCL_RUNTIME_CORE_COMM_H
#define SCCL_RUNTIME_CORE_COMM_H

/* Internals of a communicator. */

#include "runtime/core/symmetric.h"
#include "runtime/host/rest.h"

#include <sccl/device.h>
#include <sccl/sccl.h>

#include <pthread.h>
#include <stdatomic.h>

/* What this rank is asked to do in a call. Ranks compare their orders before any data is written. */
struct order {
	uint64_t plan, memory, offset, count;
	uint64_t before; /* hash of all earlier orders */
};

/* An order and the number of its call; 0: being written. In a line of its own, which peers read as a whole. */
struct order_entry {
	_Alignas(64) uint64_t call;
	struct order order;
};

/* The hash of all orders up to and including that of a call. */
struct order_mark {
	uint64_t call, hash;
};

/* Kept for ranks that lag behind: recent orders, to say what differs, and many more hashes, to notice that something
 * does. No rank is further ahead than the hashes reach (orders.c). */
enum { ORDERS = 64, ORDER_MARKS = 4096 };

/*
 * A rank's board, in memory that all ranks read. Its words have plain types and are accessed with atomic operations
 * only, because the device accesses some of them too (sccl/device.h).
 */
struct board {
	_Alignas(128) uint32_t abort_word; /* polled by this rank's waits */
	uint32_t left;                     /* 1: the rank has freed its communicator */
	uint32_t cpu;                      /* on which the rank ran when it last waited for long, or began a call */
	uint64_t cpus[REST_CPUS / 64];     /* that it may use */
	struct process process;
	_Alignas(128) uint64_t entered; /* number of calls begun; written after the order */
	struct order_entry entries[ORDERS];   /* the order of call n is at n % ORDERS */
	struct order_mark marks[ORDER_MARKS]; /* likewise */
	_Alignas(128) uint64_t finished; /* number of calls completed */
	uint32_t waiting_block;
	uint32_t fault; /* 0, 1: being written, 2: written; the home rank's board holds it for all ranks of a server */
	uint32_t fault_status;
	char fault_text[1024];
	_Alignas(128) uint64_t progress[]; /* [max_blocks] of kernels, then one of calls without kernels, and one of messages */
};

/* Size of the part that devices see. */
static inline size_t board_bytes(uint32_t max_blocks)
{
	return (sizeof(struct board) + (max_blocks + (size_t)2) * sizeof(uint64_t) + 127) / 128 * 128;
}

struct bridge;
struct messages;
struct engines;
struct guard;

/* The boards of a communicator that was shrunk, for itself and the communicator that it was shrunk to. */
struct heritage {
	struct symmetric boards; /* all zero until the first is freed */
	atomic_uint users;
};

/* What a communicator that was made from another one meets in. */
struct kin {
	sccl_group_t *group;
	struct symmetric mail;     /* the members of a part that was split off */
	struct heritage *heritage; /* the boards of a communicator that was shrunk, which hold its members */
};

void sccli_kin_leave(struct kin *kin); /* all zero is allowed */
/* Frees the boards of C, or leaves them to the communicator that it was shrunk to. */
void sccli_boards_free(struct sccl_comm *c);

/* State shared by the communicators that one sccl_comms_create call made. */
struct local {
	sccl_group_t *group;
	atomic_uint users;
};

/* One rank's communicator. */
struct sccl_comm {
	struct meeting meeting;
	uint32_t max_blocks;
	double timeout;
	struct symmetric boards, flags;
	sccl_env_t env;
	struct resting resting;            /* of this rank's waits on the host */
	struct piece device_env;           /* a copy of env that kernels can read */
	struct piece cursors;              /* private to this rank: [max_blocks] epochs, then [max_blocks] cursors */
	bool pin;                          /* bind the thread that creates it to a CPU */
	bool shared_board;                 /* this rank's board is mapped on the device */
	uint32_t blocks;                   /* default of a call: the fewest that a rank's device takes */
	uint32_t ranks_here;               /* number of ranks that share this rank's device, including itself */
	uint64_t device_number;            /* of that device, among those of all machines */
	uint64_t number;                   /* random, the same on all ranks */
	uint64_t calls;                    /* number begun */
	uint64_t engine_calls;             /* number of those without kernels */
	bool teams;                        /* some plan uses the protocol multimem, which needs symmetric memory with teams */
	uint64_t n_memories, n_plans;      /* total number ever created, used to number them */
	struct sccl_memory *memories;      /* list of the live ones */
	uint64_t stalled_since, looked_at; /* nanoseconds: start of the current wait, and last check of the other
	                                    * ranks */
	uint64_t stalled_word;             /* the progress word of that wait */
	uint64_t history;                  /* hash of the orders so far */
	unsigned char *watchable;          /* [ranks]: whether this process can see the rank's process */
	struct guard *guard;               /* NULL: waits are supervised by the waiting ranks themselves */
	struct engines *engines;           /* of its plans that run without kernels; the guard accesses them too */
	pthread_mutex_t engines_lock;
	uint32_t home;                     /* lowest rank on this server; its board holds the fault that ended the
	                                    * communicator */
	uint32_t *servers;                 /* [ranks]; NULL: all ranks share memory */
	const sccl_carrier_t *carrier;
	struct bridge *bridge;             /* to other servers; NULL: none */
	struct messages *messages;         /* NULL: it was created without */
	uint64_t stream_id;                /* of the last call's stream; 0: unknown */
	void *mark;                        /* recorded after the last call; NULL: there was none */
	struct kin kin;                    /* all zero: it was made from no other */
	struct heritage *heir;             /* its boards, if it was shrunk; NULL: it was not */
	struct local *local;               /* state shared with communicators made in the same call; NULL: none */
};

/* The board of RANK, as mapped by this rank. */
static inline struct board *comm_board(const struct sccl_comm *c, uint32_t rank)
{
	return (struct board *)(void *)c->boards.bases[rank];
}

/* One rank's view of a symmetric memory, linked into the list of its communicator. */
struct sccl_memory {
	struct sccl_comm *comm;
	struct symmetric symmetric;
	uint64_t number;
	struct sccl_memory *next, **link;
};

/* Before a call is enqueued on STREAM, and after; nothing on the host. */
sccl_status_t sccli_stream_before(struct sccl_comm *c, sccl_stream_t stream);
sccl_status_t sccli_stream_after(struct sccl_comm *c, sccl_stream_t stream);

/* Drops one reference; the last one frees L. NULL is allowed. */
void sccli_local_leave(struct local *l);

/* Collective. From now on, all symmetric memory of C has the addresses that the protocol multimem needs. */
sccl_status_t sccli_memory_join_all(struct sccl_comm *c);

/* This rank's symmetric memory that contains AT; NULL: none. */
struct sccl_memory *sccli_memory_of(const struct sccl_comm *c, const void *at);

#endif
