#ifndef SCCL_RUNTIME_GPU_ENGINE_LANES_H
#define SCCL_RUNTIME_GPU_ENGINE_LANES_H

/*
 * The streams of a communicator's copy engines. A GPU feeds streams from a few hardware queues (CUDA_DEVICE_MAX_CONNECTIONS,
 * 8 unless it is set); two streams in one queue wait for each other. If one of them waits for another rank's signal, which is
 * behind it in the same queue, neither ever ends. So all streams of a process on a GPU have queues of their own: that of each
 * rank's caller, one that never waits, and as many lanes as are left.
 */

#include "runtime/core/comm.h"

#include <stdbool.h>

struct lane {
	void *stream;
	uint64_t seen; /* version of the main stream that the lane is ordered after */
	bool dirty;    /* has work that the main stream is not yet ordered after */
	bool hot;      /* and that work reads a scratch slot, which another rank may be allowed to overwrite */
};

struct lanes {
	const struct sccl_comm *comm;
	uint32_t n; /* 0: copies go into the caller's stream */
	struct lane *of;
	void *spare; /* never waits */
	uint32_t users;
	struct lanes *next;
};

/* Local. The lanes of C, shared by its plans, for calls follow each other. */
sccl_status_t sccli_lanes_get(const struct sccl_comm *c, struct lanes **lanes);
void sccli_lanes_put(struct lanes *lanes); /* NULL is allowed */

/* Sets this rank's flags, BYTES at FLAGS, to values far beyond EPOCH and any that a call waits for, by a copy on the stream that
 * never waits. */
void sccli_lanes_release(const struct lanes *lanes, uint8_t *flags, size_t bytes, uint64_t epoch);

#endif
