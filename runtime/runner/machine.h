#ifndef SCCL_RUNTIME_RUNNER_MACHINE_H
#define SCCL_RUNTIME_RUNNER_MACHINE_H

/*
 * Where the buffers of a run are located. On CPUs a rank fills, runs and checks the same memory. On GPUs it fills and
 * checks CPU memory, and the program works on a copy in GPU memory.
 */

#include "runtime/gpu/gpu_driver.h"

#include <stdbool.h>

/* The device of one rank. */
struct run_machine {
	const struct gpu_driver *gpu; /* NULL: CPU */
	sccl_stream_t stream;
	int device;
	void *graph, *recorded; /* a captured call, ready to be launched repeatedly */
};

/* Selects the rank's device, GPUs in round-robin order, and makes it current for this thread. */
sccl_status_t machine_open(struct run_machine *m, const char *target, uint32_t rank);
void machine_close(struct run_machine *m);

/* Memory that a program can work on; NULL if the allocation failed. */
void *machine_room(const struct run_machine *m, size_t bytes);
void machine_room_free(const struct run_machine *m, void *room);

/* Copies in stream order and waits for completion. Does nothing on CPUs, where both buffers are the same. */
sccl_status_t machine_copy(const struct run_machine *m, void *to, const void *from, size_t bytes);
/* Waits until all work of the stream is complete. */
sccl_status_t machine_wait(const struct run_machine *m);

/* Between machine_record and machine_recorded, work given to the stream is captured instead of executed; machine_replay
 * executes it, any number of times. */
sccl_status_t machine_record(struct run_machine *m);
sccl_status_t machine_recorded(struct run_machine *m);
sccl_status_t machine_replay(const struct run_machine *m);
/* Frees the captured call; allowed if there is none. */
void machine_forget(struct run_machine *m);

#endif
