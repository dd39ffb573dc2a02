/*
 * Memory, copies and graphs on the device of a run: nothing but malloc on CPUs, driver calls on GPUs.
 */
#include "runtime/runner/machine.h"

#include "runtime/core/status.h"

#include <stdlib.h>
#include <string.h>

static sccl_status_t check(const struct run_machine *m, int error, const char *what)
{
	return error == 0 ? SCCL_OK : sccli_fail(SCCL_SYSTEM, "%s: %s", what, m->gpu->error_text(error));
}

sccl_status_t machine_open(struct run_machine *m, const char *target, uint32_t rank)
{
	int devices = 0;
	sccl_status_t status;

	*m = (struct run_machine){0};
	if (strcmp(target, "host") == 0)
		return SCCL_OK;
	status = sccli_gpu_driver(target, &m->gpu);
	if (status == SCCL_OK)
		status = check(m, m->gpu->device_count(&devices), "cannot count the GPUs");
	if (status == SCCL_OK && devices < 1)
		status = sccli_fail(SCCL_UNSUPPORTED, "there is no GPU");
	if (status == SCCL_OK) {
		m->device = (int)(rank % (uint32_t)devices);
		status = check(m, m->gpu->set_device(m->device), "cannot use the GPU");
	}
	if (status == SCCL_OK)
		status = check(m, m->gpu->stream_create(&m->stream, GPU_STREAM_APART), "cannot make a stream");
	return status;
}

void machine_close(struct run_machine *m)
{
	machine_forget(m);
	if (m->gpu && m->stream)
		m->gpu->stream_destroy(m->stream);
	*m = (struct run_machine){0};
}

void *machine_room(const struct run_machine *m, size_t bytes)
{
	void *room = NULL;
	if (!m->gpu)
		return malloc(bytes);
	return m->gpu->malloc(&room, bytes, GPU_MALLOC_FINE) == 0 ? room : NULL;
}

void machine_room_free(const struct run_machine *m, void *room)
{
	if (!m->gpu)
		free(room);
	else if (room)
		m->gpu->free(room);
}

sccl_status_t machine_copy(const struct run_machine *m, void *to, const void *from, size_t bytes)
{
	if (!m->gpu || bytes == 0)
		return SCCL_OK;
	sccl_status_t status = check(m, m->gpu->copy(to, from, bytes, GPU_COPY_ANY, m->stream), "cannot copy to or from the GPU");
	return status == SCCL_OK ? machine_wait(m) : status;
}

sccl_status_t machine_wait(const struct run_machine *m)
{
	return m->gpu ? check(m, m->gpu->stream_wait(m->stream), "a call on the GPU failed") : SCCL_OK;
}

sccl_status_t machine_record(struct run_machine *m)
{
	enum { ONLY_THIS_THREAD = 1 };
	if (!m->gpu || !m->gpu->capture_begin || !m->gpu->capture_end || !m->gpu->graph_make || !m->gpu->graph_launch)
		return sccli_fail(SCCL_UNSUPPORTED, "the driver has no graphs to record calls in");
	return check(m, m->gpu->capture_begin(m->stream, ONLY_THIS_THREAD), "cannot record a call");
}

sccl_status_t machine_recorded(struct run_machine *m)
{
	sccl_status_t status = check(m, m->gpu->capture_end(m->stream, &m->graph), "cannot record a call");
	if (status == SCCL_OK)
		status = check(m, m->gpu->graph_make(&m->recorded, m->graph, 0), "cannot instantiate a graph");
	return status;
}

sccl_status_t machine_replay(const struct run_machine *m)
{
	return check(m, m->gpu->graph_launch(m->recorded, m->stream), "cannot launch a graph");
}

void machine_forget(struct run_machine *m)
{
	if (m->recorded && m->gpu->graph_exec_destroy)
		m->gpu->graph_exec_destroy(m->recorded);
	if (m->graph && m->gpu->graph_destroy)
		m->gpu->graph_destroy(m->graph);
	m->recorded = m->graph = NULL;
}
