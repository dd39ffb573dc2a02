#ifndef SCCL_INTEROP_PLANS_READ_MSCCLPP_H
#define SCCL_INTEROP_PLANS_READ_MSCCLPP_H

/* MSCCL++ JSON: what a rank can reach, and its ops. Internal to interop/plans/. */

#include "interop/plans/plan.h"

#include "core/base/json.h"

enum channel_type { CHANNEL_MEMORY, CHANNEL_PORT, CHANNEL_SWITCH, CHANNEL_TYPES };

/* A channel of a rank to a peer, or a switch channel to a group of ranks. */
struct plan_channel {
	int peer;
	int ordinal;             /* among this rank's channels of the type to this peer */
	int semaphore;           /* that it waits for */
	enum plan_buffer buffer; /* of a switch channel */
	size_t n_group;
	int *group;              /* owned */
};

struct remote_buffer {
	int rank;
	enum plan_buffer buffer;
};

/* What one rank can reach. */
struct rank_channels {
	size_t n[CHANNEL_TYPES], capacity[CHANNEL_TYPES];
	struct plan_channel *of[CHANNEL_TYPES]; /* owned */
	size_t n_buffers;
	struct remote_buffer *buffers; /* owned */
	size_t n_semaphores;
	int *semaphores; /* owned: numbers in the plan */
};

/* Of the thread block in hand: indices in its rank's lists. */
struct block_channels {
	size_t n[CHANNEL_TYPES], n_buffers[CHANNEL_TYPES];
	int *of[CHANNEL_TYPES], *buffers[CHANNEL_TYPES]; /* owned */
};

struct mscclpp_reading {
	struct foreign_plan *p;
	struct rank_channels *ranks; /* [rank] */
};

/* Reads the ops of a thread block. False with *e set. */
bool mscclpp_read_ops(struct mscclpp_reading *x, const struct json_place *ops, int rank, const struct block_channels *c, struct plan_block *b,
		      struct error *e);
bool mscclpp_channel_type(const struct json_place *at, const char *key, enum channel_type *out, struct error *e);
bool mscclpp_buffer(const struct json_place *at, const char *key, enum plan_buffer *out, struct error *e);

enum { MSCCLPP_RANKS_MAX = 1024, MSCCLPP_INT_MAX = 1 << 20, MSCCLPP_CUT_MAX = 256 };

#endif
