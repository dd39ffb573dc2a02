#ifndef SCCL_RUNTIME_CORE_DEVICE_H
#define SCCL_RUNTIME_CORE_DEVICE_H

/*
 * What kind of machine a communicator runs on. One row a target: to add one, a device_NAME.c that fills the functions
 * below, and its row in device.c. Everything else of the runtime is the same for all.
 */

#include "runtime/host/shared.h"

#include <sccl/device.h>
#include <sccl/sccl.h>

struct plan;

/* A piece of a rank's memory as seen from here. `own` is the device's record of how it came. */
struct piece {
	uint8_t *base;
	void *own;
};

/* How another rank opens a piece: sent as it is. No address is in it, nor in anything else that ranks exchange. */
union piece_handle {
	struct shared_handle shared;
	unsigned char bytes[192];
};

struct device;

/* One of them: which accelerator, of which kind. */
struct unit {
	const struct device *device;
	int number;
};

struct device {
	const char *target; /* of the programs that it runs */

	/* SCCL_OK where the unit is there to be used. */
	sccl_status_t (*check)(const struct unit *unit);

	/* This rank's memory, zeroed, that its peers can open until it is settled. */
	sccl_status_t (*create)(const struct unit *unit, size_t bytes, struct piece *piece, union piece_handle *handle);
	/* HANDLE may hold anything: a piece of BYTES, or an error. */
	sccl_status_t (*open)(const struct unit *unit, const union piece_handle *handle, size_t bytes, struct piece *piece);
	/* The same of memory that is the caller's and stays so: BUFFER, of BYTES. */
	sccl_status_t (*adopt)(const struct unit *unit, void *buffer, size_t bytes, struct piece *piece,
	                       union piece_handle *handle);
	void (*settle)(struct piece *piece);
	void (*close)(struct piece *piece);

	/* These bytes where kernels can read and write them: a copy, or (host) DATA itself; closed like any piece. */
	sccl_status_t (*place)(const struct unit *unit, const void *data, size_t bytes, struct piece *piece);
	/* Memory of processors that kernels are to reach too: where they see it. */
	sccl_status_t (*share)(const struct unit *unit, void *memory, size_t bytes, void **seen);
	void (*unshare)(const struct unit *unit, void *memory);

	/* Polls before a rank yields, of RANKS on this machine. */
	uint32_t (*spin)(uint32_t ranks);
	/* Blocks of a call where the caller leaves it open. */
	uint32_t blocks;
	/* Most blocks of KERNEL that are worked on at once where RANKS_HERE ranks share this device. Loads it. */
	sccl_status_t (*resident)(const struct unit *unit, sccl_kernel_t kernel, uint32_t ranks_here, uint32_t *blocks);
	/* Runs one rank's share of a call, or puts it on the stream. */
	sccl_status_t (*launch)(const struct unit *unit, sccl_kernel_t kernel, const sccl_launch_t *launch, sccl_stream_t stream);
	/* Copies between memories of this rank, in the stream's order. */
	sccl_status_t (*copy)(const struct unit *unit, void *to, const void *from, size_t bytes, sccl_stream_t stream);
	/*
	 * Copy engines (engines.h). Streams beside the caller's; each does what it is given in order, and lane_after makes
	 * STREAM go on only when OTHER has done what it was given so far. post and await are a signal and the wait for one,
	 * in the stream's order; idle tells that the call is over.
	 */
	sccl_status_t (*lanes_signal)(const struct unit *unit); /* can they? */
	sccl_status_t (*lane_create)(const struct unit *unit, void **lane);
	void (*lane_destroy)(const struct unit *unit, void *lane);
	sccl_status_t (*lane_after)(const struct unit *unit, sccl_stream_t stream, sccl_stream_t other);
	sccl_status_t (*post)(const struct unit *unit, uint64_t *flag, uint64_t value, sccl_stream_t stream);
	sccl_status_t (*await)(const struct unit *unit, sccl_block_t *x, uint32_t state, uint32_t peer, uint64_t *flag,
	                       uint64_t value, sccl_stream_t stream);
	sccl_status_t (*wait)(const struct unit *unit, sccl_stream_t stream); /* until all that it was given is done */
	sccl_status_t (*idle)(const struct unit *unit, const sccl_block_t *x, sccl_stream_t stream);

	/*
	 * Calls on different streams, one after another: a mark that is put behind what a stream was given, and waited for by
	 * another. *MARK is made when first needed. A stream whose work is captured can do neither. NULL where synchronous.
	 */
	int (*captures)(const struct unit *unit, sccl_stream_t stream);
	sccl_status_t (*mark)(const struct unit *unit, void **mark, sccl_stream_t stream);
	sccl_status_t (*after_mark)(const struct unit *unit, void *mark, sccl_stream_t stream);
	void (*unmark)(const struct unit *unit, void *mark);

	/* 1: a call is over when it returns, and kernels themselves look whether a wait can still end. 0: a thread has to
	 * watch over it (guard.h). */
	int synchronous;
	/* Tells this device from all others of all machines: ranks with the same number share it. */
	sccl_status_t (*identity)(const struct unit *unit, uint64_t *number);
};

/* TARGET's row, NULL with the error text set. */
const struct device *sccli_device(const char *target);

/* Zeroed memory of the unit that no other process can open. */
sccl_status_t sccli_device_private(const struct unit *unit, size_t bytes, struct piece *piece);

#endif
