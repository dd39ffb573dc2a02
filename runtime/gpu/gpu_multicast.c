/*
 * Multicast objects: memory of several GPUs under one address, through which switches copy what is stored and add what is
 * loaded. One rank creates the object and adds its GPU, the others open it and add theirs, and once all have, each binds
 * its memory and maps the object.
 */
#include "runtime/gpu/gpu_memory.h"
#include "runtime/gpu/gpu_memory_inside.h"

#include "runtime/gpu/gpu_range.h"
#include "runtime/core/status.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HAS_MULTICAST = 132, LEAST_GRANULARITY = 0 };

/* CUmulticastObjectProp */
struct multicast_properties {
	unsigned devices;
	size_t bytes;
	unsigned long long handles, flags;
};

static sccl_status_t check(const struct gpu_driver *d, const struct unit *unit)
{
	int yes = 0;

	if (!d->has_multicast)
		return sccli_fail(SCCL_UNSUPPORTED, "the driver of \"%s\" has no multicast objects, which the protocol multimem needs",
				  unit->device->target);
	if (d->attribute(&yes, HAS_MULTICAST, unit->number) != 0 || !yes)
		return sccli_fail(SCCL_UNSUPPORTED, "GPU %d is at no switch that copies and adds, which the protocol multimem needs", unit->number);
	return SCCL_OK;
}

static sccl_status_t make_object(const struct gpu_driver *d, struct gpu_memory *m, size_t bytes, uint32_t ranks, unsigned ways)
{
	struct multicast_properties p = {.devices = ranks, .handles = ways};
	size_t granule = 0;

	p.bytes = (bytes + GPU_WHOLE - 1) / GPU_WHOLE * GPU_WHOLE;
	int error = d->multicast_granularity(&granule, &p, LEAST_GRANULARITY);
	if (error == 0 && (granule == 0 || p.bytes % granule != 0))
		return sccli_fail(SCCL_UNSUPPORTED, "multicast objects of this driver come in pieces of %zu bytes, not of %d", granule, GPU_WHOLE);
	if (error == 0)
		error = d->multicast_create(&m->mapping.handle, &p);
	if (error == 0)
		m->mapping.bytes = p.bytes;
	return sccli_gpu_failed(d, error, "cannot create a multicast object");
}

static sccl_status_t add_device(const struct gpu_driver *d, struct gpu_memory *m)
{
	return sccli_gpu_failed(d, d->multicast_add(m->mapping.handle, m->unit.number), "cannot add a GPU to a multicast object");
}

static sccl_status_t begin(const struct unit *unit, const struct gpu_driver **d, int *before, void **team)
{
	struct gpu_memory *m = calloc(1, sizeof *m);
	sccl_status_t status = m ? sccli_gpu_enter(unit, d, before) : sccli_fail(SCCL_NO_MEMORY, "no memory for the record of a multicast object");

	*team = NULL;
	if (status != SCCL_OK) {
		free(m);
		return status;
	}
	*m = (struct gpu_memory){.unit = *unit};
	m->how = TEAM;
	*team = m;
	return check(*d, unit);
}

sccl_status_t sccli_gpu_team_create(const struct unit *unit, size_t bytes, uint32_t ranks, void **team, union piece_handle *handle)
{
	const struct gpu_driver *d = NULL;
	struct gpu_handle h = {0};
	int before;
	sccl_status_t status = begin(unit, &d, &before, team);
	struct gpu_memory *m = *team;

	if (!m)
		return status;
	unsigned ways = status == SCCL_OK ? sccli_gpu_virtual_ways(d, unit->number) : 0;
	if (status == SCCL_OK)
		status = make_object(d, m, bytes, ranks, ways & GPU_AS_FILE ? (unsigned)GPU_AS_FILE : ways);
	if (status == SCCL_OK)
		status = add_device(d, m);
	if (status == SCCL_OK && !sccli_gpu_export_virtual(d, m, m->mapping.handle, &h))
		status = sccli_fail(SCCL_SYSTEM, "cannot export a multicast object");
	h.whole = m->mapping.bytes;
	sccli_gpu_leave(d, before);
	memcpy(handle, &h, sizeof h);
	return status;
}

sccl_status_t sccli_gpu_team_open(const struct unit *unit, const union piece_handle *handle, size_t bytes, void **team)
{
	const struct gpu_driver *d = NULL;
	struct gpu_handle h;
	int before;
	sccl_status_t status = begin(unit, &d, &before, team);
	struct gpu_memory *m = *team;

	memcpy(&h, handle, sizeof h);
	if (!m)
		return status;
	if (status == SCCL_OK && h.whole != (bytes + GPU_WHOLE - 1) / GPU_WHOLE * GPU_WHOLE)
		status = sccli_fail(SCCL_SYSTEM, "a rank offers a multicast object of another size");
	if (status == SCCL_OK)
		status = sccli_gpu_import_virtual(d, &h, m);
	if (status == SCCL_OK)
		status = add_device(d, m);
	sccli_gpu_leave(d, before);
	return status;
}

sccl_status_t sccli_gpu_team_bind(void *team, const struct piece *own, uint8_t **all)
{
	struct gpu_memory *m = team, *piece = own->own;
	const struct gpu_driver *d;
	int before;
	sccl_status_t status = sccli_gpu_enter(&m->unit, &d, &before);

	if (status != SCCL_OK)
		return status;
	int error = d->multicast_bind(m->mapping.handle, 0, (uintptr_t)own->base, m->mapping.bytes, 0);
	if (error != 0) {
		status = sccli_gpu_failed(d, error, "cannot bind memory to a multicast object: it must be symmetric memory that this runtime made, or "
					  "whole pieces of memory made by cuMemCreate");
	} else {
		m->bound = piece->bound = true;
		status = sccli_gpu_failed(d, sccli_gpu_virtual_map(d, m->unit.number, &m->mapping), "cannot map a multicast object");
	}
	sccli_gpu_withdraw(m);
	sccli_gpu_leave(d, before);
	*all = m->mapping.at;
	return status;
}

void sccli_gpu_team_close(void *team)
{
	if (!team)
		return;
	sccli_gpu_withdraw(team);
	sccli_gpu_free_later(team);
}
