#ifndef SCCL_RUNTIME_CORE_DEVICE_H
#define SCCL_RUNTIME_CORE_DEVICE_H

/*
 * The kind of hardware a communicator runs on. One row per target: to add one, write a device_NAME.c that implements
 * the functions below and add its row to device.c. The rest of the runtime is the same for all targets.
 */

#include "runtime/host/shared.h"

#include <sccl/device.h>
#include <sccl/sccl.h>

struct plan;

/* Who opens a piece: nobody but its owner, threads of its process, or other processes too. */
enum piece_reach { REACH_OWNER, REACH_THREADS, REACH_PROCESSES };

/* A piece of some rank's memory, as mapped by this rank. `own` is the device's record of it. */
struct piece {
	uint8_t *base;
	void *own;
};

/* What another rank needs to open a piece, sent as is. It contains no address, and neither does anything else that
 * ranks exchange. */
union piece_handle {
	struct shared_handle shared;
	unsigned char bytes[192];
};

struct device;

/* One device: which accelerator of which kind. */
struct unit {
	const struct device *device;
	int number;
};

struct device {
	const char *target; /* target of the programs it runs */

	/* SCCL_OK if the unit is available. */
	sccl_status_t (*check)(const struct unit *unit);

	/* Allocates zeroed memory of this rank, which peers within REACH can open until it is settled. */
	sccl_status_t (*create)(const struct unit *unit, size_t bytes, enum piece_reach reach, struct piece *piece,
	                        union piece_handle *handle);
	/* HANDLE may contain anything: the result is a piece of BYTES or an error. */
	sccl_status_t (*open)(const struct unit *unit, const union piece_handle *handle, size_t bytes, struct piece *piece);
	/* Like create, for memory that the caller owns: BUFFER, of BYTES. */
	sccl_status_t (*adopt)(const struct unit *unit, void *buffer, size_t bytes, enum piece_reach reach, struct piece *piece,
	                       union piece_handle *handle);
	void (*settle)(struct piece *piece);
	void (*close)(struct piece *piece);
	/* How this rank reaches a piece of another, such as "by address"; a constant string. */
	const char *(*route)(const struct piece *piece);

	/* Puts data where kernels can read and write it: a copy, or (host) DATA itself. Closed like any other piece. */
	sccl_status_t (*place)(const struct unit *unit, const void *data, size_t bytes, struct piece *piece);
	/* Maps a piece of the CPU's for kernels; *SEEN is its address on the device. Unshare it before closing it. */
	sccl_status_t (*share)(const struct unit *unit, const struct piece *memory, size_t bytes, void **seen);
	void (*unshare)(const struct unit *unit, const struct piece *memory);

	/*
	 * One address for the pieces of all ranks, through which switches copy and add; NULL: kernels go from rank to rank.
	 * One rank creates the team over pieces of BYTES, the others open it, and once all have, each binds its own piece:
	 * *ALL is the address. What *TEAM is set to is closed, also after an error.
	 */
	sccl_status_t (*team_create)(const struct unit *unit, size_t bytes, uint32_t ranks, void **team, union piece_handle *handle);
	sccl_status_t (*team_open)(const struct unit *unit, const union piece_handle *handle, size_t bytes, void **team);
	sccl_status_t (*team_bind)(void *team, const struct piece *own, uint8_t **all);
	void (*team_close)(void *team);

	/* SCCL_OK if the 128 bytes of a line that a kernel stores at once reach every peer at once; NULL: kernels rely on no
	 * such thing. */
	sccl_status_t (*keeps_lines)(const struct unit *unit);

	/* Number of polls before a wait's first rest, given RANKS on this machine and how many CPUs they may use
	 * together. */
	uint32_t (*spin)(uint32_t ranks, uint32_t cpus);
	/* Default number of blocks of a call, and of the most that a communicator allows. */
	uint32_t (*blocks)(const struct unit *unit);
	uint32_t most_blocks;
	/* Maximum number of blocks of KERNEL that can run at once, at least 1. Loads the kernel. */
	sccl_status_t (*resident)(const struct unit *unit, sccl_kernel_t kernel, uint32_t *blocks);
	/* Runs one rank's part of a call, or enqueues it on the stream. */
	sccl_status_t (*launch)(const struct unit *unit, sccl_kernel_t kernel, const sccl_launch_t *launch, sccl_stream_t stream);
	/* Copies between memories that this rank can access, in stream order. */
	sccl_status_t (*copy)(const struct unit *unit, void *to, const void *from, size_t bytes, sccl_stream_t stream);
	/*
	 * Copy engines (engines.h). Lanes are streams in addition to the caller's, each in order; lane_after makes
	 * STREAM wait until OTHER has completed all work enqueued so far. post and await signal a flag and wait for
	 * one, in stream order; idle reports that the call is complete.
	 */
	sccl_status_t (*lanes_signal)(const struct unit *unit); /* SCCL_OK if lanes can signal each other */
	sccl_status_t (*lane_create)(const struct unit *unit, void **lane);
	void (*lane_destroy)(const struct unit *unit, void *lane);
	sccl_status_t (*lane_after)(const struct unit *unit, sccl_stream_t stream, sccl_stream_t other);
	sccl_status_t (*post)(const struct unit *unit, uint64_t *flag, uint64_t value, sccl_stream_t stream);
	sccl_status_t (*await)(const struct unit *unit, sccl_block_t *x, uint32_t state, uint32_t peer, uint64_t *flag,
	                       uint64_t value, sccl_stream_t stream);
	sccl_status_t (*wait)(const struct unit *unit, sccl_stream_t stream); /* until all enqueued work is complete */
	sccl_status_t (*idle)(const struct unit *unit, const sccl_block_t *x, sccl_stream_t stream);

	/*
	 * Ordering of calls on different streams: a mark is recorded after the work of one stream, and another stream
	 * waits for it. *MARK is created on first use. A stream that is being captured can do neither. NULL on
	 * synchronous devices.
	 */
	int (*captures)(const struct unit *unit, sccl_stream_t stream);
	/* Around all that a call enqueues: no memory is freed meanwhile, since that could wait for the call. */
	void (*call_begins)(void);
	void (*call_ends)(void);
	/* A number that no other stream of this process has or had; 0: unknown. */
	uint64_t (*stream_id)(const struct unit *unit, sccl_stream_t stream);
	sccl_status_t (*mark)(const struct unit *unit, void **mark, sccl_stream_t stream);
	sccl_status_t (*after_mark)(const struct unit *unit, void *mark, sccl_stream_t stream);
	void (*unmark)(const struct unit *unit, void *mark);

	/* 1: a call is complete when it returns, and kernels themselves check whether a wait can still end. 0: a thread
	 * must supervise the waits (guard.h). */
	int synchronous;
	/* Identifies this device among those of all machines: ranks with the same number share it. */
	sccl_status_t (*identity)(const struct unit *unit, uint64_t *number);
};

/* The row of TARGET; NULL with the error text set if there is none. */
const struct device *sccli_device(const char *target);

/* Allocates zeroed memory of the unit that no other process can open. */
sccl_status_t sccli_device_private(const struct unit *unit, size_t bytes, struct piece *piece);

#endif
