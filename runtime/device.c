#include "runtime/device.h"

#include "runtime/status.h"

#include <string.h>

extern const struct device sccli_device_host, sccli_device_cuda, sccli_device_hip;

/* One row a target. */
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
