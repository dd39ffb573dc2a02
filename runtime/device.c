#include "runtime/device.h"

#include "runtime/status.h"

#include <string.h>

extern const struct device sccli_device_host;

/* One row a target. */
static const struct device *const devices[] = {
	&sccli_device_host,
};

const struct device *sccli_device(const char *target)
{
	for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
		if (strcmp(devices[i]->target, target) == 0)
			return devices[i];
	sccli_fail(SCCL_UNSUPPORTED, "this runtime was built without the target \"%.64s\"", target);
	return NULL;
}
