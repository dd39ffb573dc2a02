#ifndef SCCL_RUNTIME_RUNNER_MACHINE_H
#define SCCL_RUNTIME_RUNNER_MACHINE_H

/*
 * Where the buffers of a run lie. On processors a rank fills, runs and checks the same memory. On GPUs it fills and checks
 * memory of processors, and a copy of it, in memory of the GPU, is what the program works on.
 */

#include "runtime/gpu/gpu_driver.h"

#include <stdbool.h>

struct run_machine {
	const struct gpu_driver *gpu; /* NULL: processors */
	sccl_stream_t stream;
	int device;
	void *graph, *recorded; /* a captured call, ready to be launched again and again */
};

/* A rank's machine: of all GPUs in turn. Makes it this thread's. */
sccl_status_t machine_open(struct run_machine *m, const char *target, uint32_t rank);
void machine_close(struct run_machine *m);

/* Memory that a program can work on, NULL: there is none. */
void *machine_room(const struct run_machine *m, size_t bytes);
void machine_room_free(const struct run_machine *m, void *room);

/* In the stream's order, and to the end. Nothing to do on processors, where both are the same. */
sccl_status_t machine_copy(const struct run_machine *m, void *to, const void *from, size_t bytes);
/* All that the stream was given is done. */
sccl_status_t machine_wait(const struct run_machine *m);

/* Records what the stream is given between the two, instead of doing it; then does it as often as asked. */
sccl_status_t machine_record(struct run_machine *m);
sccl_status_t machine_recorded(struct run_machine *m);
sccl_status_t machine_replay(const struct run_machine *m);
void machine_forget(struct run_machine *m);

#endif
