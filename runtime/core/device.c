/*
 * The table of devices, one per target.
 */
#include "runtime/core/device.h"

#include "runtime/core/status.h"

#include <string.h>

extern const struct device sccli_device_host, sccli_device_cuda, sccli_device_hip;

/* One row per target. */
static const struct device *const devices[] = {
	&sccli_device_host,
	&sccli_device_cuda,
	&sccli_device_hip,
};

const struct device *sccli_device(const char *target)
{
	for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
		if (strcmp(devices[i]->target, target) == 0)
			return devices[i];
	sccli_fail(SCCL_UNSUPPORTED, "there is no target \"%.64s\"", target);
	return NULL;
}

sccl_status_t sccli_device_private(const struct unit *unit, size_t bytes, struct piece *piece)
{
	union piece_handle unused;
	sccl_status_t status = unit->device->create(unit, bytes, REACH_OWNER, piece, &unused);

	if (status == SCCL_OK)
		unit->device->settle(piece);
	return status;
}
