/*
 * Questions to the driver about this thread's GPU, and about ranges of memory.
 */
#include "runtime/gpu/gpu_range.h"

#include "runtime/core/status.h"

sccl_status_t sccli_gpu_failed(const struct gpu_driver *driver, int error, const char *what)
{
	if (error == 0)
		return SCCL_OK;
	(void)driver->last_error(); /* clears it, so that the caller's next query does not report our error */
	return sccli_fail(SCCL_SYSTEM, "%s: %s", what, driver->error_text(error));
}

sccl_status_t sccli_gpu_enter(const struct unit *unit, const struct gpu_driver **driver, int *before)
{
	sccl_status_t status = sccli_gpu_driver(unit->device->target, driver);

	if (status == SCCL_OK)
		status = sccli_gpu_failed(*driver, (*driver)->get_device(before), "cannot query this thread's GPU");
	if (status == SCCL_OK && *before != unit->number)
		status = sccli_gpu_failed(*driver, (*driver)->set_device(unit->number), "cannot use the GPU");
	return status;
}

void sccli_gpu_leave(const struct gpu_driver *driver, int before)
{
	int now;
	if (driver->get_device(&now) == 0 && now != before)
		driver->set_device(before);
}

sccl_status_t sccli_gpu_see(const struct gpu_driver *d, const struct unit *unit, int device)
{
	int yes = 0, error;

	if (device == unit->number)
		return SCCL_OK;
	error = d->can_access(&yes, unit->number, device);
	if (error == 0 && !yes)
		return sccli_fail(SCCL_UNSUPPORTED, "GPU %d cannot reach the memory of GPU %d", unit->number, device);
	if (error == 0)
		error = d->enable_access(device, 0);
	if (error == GPU_ACCESS_ENABLED_ALREADY) {
		(void)d->last_error();
		error = 0;
	}
	return sccli_gpu_failed(d, error, "cannot reach the memory of another GPU");
}

bool sccli_gpu_is_inside(const struct gpu_driver *d, void *opened, uint64_t offset, size_t bytes)
{
	size_t whole = 0;
	void *base = opened;

	if (!d->address_range)
		return offset == 0; /* then exports always begin at the allocation's base */
	if (d->address_range(&base, &whole, opened) != 0) {
		(void)d->last_error();
		return true;
	}
	size_t before = (uintptr_t)opened - (uintptr_t)base;
	return before <= whole && offset <= whole - before && bytes <= whole - before - offset;
}

/* NVLink keeps 128 bytes together and PCIe does not; of the two only NVLink has atomic operations on a peer's memory. */
sccl_status_t sccli_gpu_keeps_lines(const struct unit *unit)
{
	enum { NATIVE_ATOMICS = 3 }; /* cudaDevP2PAttrNativeAtomicSupported */
	const struct gpu_driver *d;
	int n = 0, reaches, yes;
	sccl_status_t status = sccli_gpu_driver(unit->device->target, &d);

	if (status == SCCL_OK)
		status = sccli_gpu_failed(d, d->device_count(&n), "cannot count the GPUs");
	for (int peer = 0; status == SCCL_OK && peer < n; peer++) {
		reaches = yes = 0;
		if (peer != unit->number)
			status = sccli_gpu_failed(d, d->can_access(&reaches, unit->number, peer), "cannot query the GPUs");
		if (status == SCCL_OK && reaches && d->link_attribute)
			status = sccli_gpu_failed(d, d->link_attribute(&yes, NATIVE_ATOMICS, unit->number, peer), "cannot query the GPUs");
		if (status == SCCL_OK && reaches && !yes)
			status = sccli_fail(SCCL_UNSUPPORTED, "lines of 128 bytes do not arrive whole from GPU %d at GPU %d, which no NVLink joins: "
					    "use the protocol packets", unit->number, peer);
	}
	return status;
}
